//! A scripted model on loopback that speaks OpenAI's API, for testing LLM applications offline, and
//! the suite for chat services: see [`chat_suite!`](crate::chat_suite).
//!
//! # The scripted model
//!
//! It is a real HTTP/1.1 server with real server-sent events, so it exercises the client's HTTP
//! stack, stream parser and retries. A [`ModelScript`] defines its answers. The server records
//! every request and **checks it against a JSON schema of the API**. If OpenAI would reject a
//! request, the model answers 400 with OpenAI's error, and [`ScriptedModel::assert_valid`] fails
//! the test even if the client swallows the error.
//!
//! ```
//! use textsearch_conformance::{
//!     chat::{ScriptedModel, Turn},
//!     core::http::{HttpClient, HttpRequest, HttpSettings, Url},
//! };
//! use serde_json::{Value, json};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let model = ScriptedModel::start([
//!     Turn::tool_call("Docs-Search", &json!({ "query": "retries" })),
//!     Turn::text("Twice, see [HTTP](https://example.com/http)."),
//! ])
//! .await;
//!
//! let client = HttpClient::new("my-client", HttpSettings::default().with_proxy(false))?;
//! let url = Url::parse(&format!("{}/chat/completions", model.base_url()))?;
//! let question = json!({ "role": "user", "content": "How often is it tried again?" });
//! let body = json!({ "model": "any", "messages": [question] });
//! let answer = client.send_json::<Value>(HttpRequest::post(url).with_json(&body)).await?.body;
//!
//! assert_eq!(answer["choices"][0]["finish_reason"], "tool_calls");
//! assert_eq!(model.requests()[0].body["messages"][0]["role"], "user");
//! model.assert_valid();
//! # Ok(())
//! # }
//! ```
//!
//! It serves:
//!
//! | request | response |
//! |---|---|
//! | `POST /v1/chat/completions` | the next turn, whole or as a stream |
//! | `POST /v1/embeddings` | vectors of hashed words: equal for equal texts, close if words match |
//! | `POST /openai/deployments/NAME/…?api-version=…` | the same as Azure serves it, with the header `api-key` |
//!
//! OpenAI's references: [chat](https://platform.openai.com/docs/api-reference/chat/create),
//! [streams](https://platform.openai.com/docs/api-reference/chat-streaming),
//! [embeddings](https://platform.openai.com/docs/api-reference/embeddings/create).

mod answer;
mod body;
mod check;
mod chunks;
mod completion;
mod demonstration;
mod embeddings;
mod events;
mod failure;
mod model;
mod request;
mod script;
mod service;
mod shared;
mod suite;
mod turn;

pub use check::Violation;
pub use chunks::Chunks;
pub use model::ScriptedModel;
pub use request::ModelRequest;
pub use script::ModelScript;
pub use suite::{ChatAnswer, ChatSubject, chat_cases};
pub use turn::{Fault, Turn};
