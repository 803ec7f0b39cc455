//! The metrics of chats and calls. A separate program, since the meter provider is global.
#![expect(
    clippy::unwrap_used,
    reason = "a panic in a test's helper is a failed test with a line number"
)]

#[path = "../../textsearch-core/tests/metrics/recorded.rs"]
mod recorded;

use textsearch_core::{
    Error, ErrorKind, FixedSearch, Result, TextSearchResult, async_trait,
    chat::{ChatCompletion, ChatHistory, ChatMessage, ChatOptions, ChatResponse, Usage},
};
use textsearch_kernel::{
    Kernel, KernelArguments, TextSearchPlugins as _, chat::FunctionChoiceBehavior,
};

use recorded::{recorded, start};

const DURATION: &str = "gen_ai.client.operation.duration";

/// Answers unless its name is `down`.
struct Model(&'static str);

#[async_trait]
impl ChatCompletion for Model {
    fn name(&self) -> &str {
        "scripted"
    }

    fn model_id(&self) -> &str {
        self.0
    }

    async fn complete(&self, _: &ChatHistory, _: &ChatOptions) -> Result<ChatResponse> {
        if self.0 == "down" {
            return Err(Error::new(ErrorKind::Unavailable, "scripted", "not there"));
        }
        let usage = Usage::new(11, 3);
        let answer = ChatResponse::new(ChatMessage::assistant("secret")).with_usage(usage);
        Ok(answer.with_model("script-2026"))
    }
}

fn kernel(model: &'static str) -> Kernel {
    let mut kernel = Kernel::new();
    kernel.add_chat_service("default", Model(model)).unwrap();
    let search = FixedSearch::new([TextSearchResult::new("found")]);
    kernel.add_plugin(search.create_with_search("Metered").unwrap()).unwrap();
    kernel
}

fn question() -> ChatHistory {
    ChatHistory::from(vec![ChatMessage::user("secret?")])
}

#[tokio::test]
async fn a_chat_records_its_duration_and_tokens() {
    start();
    kernel("script").chat(question(), FunctionChoiceBehavior::auto()).await.unwrap();
    let durations = recorded(DURATION, "gen_ai.request.model", "script");
    assert_eq!((durations.len(), durations[0].count), (1, 1), "{durations:?}");
    assert_eq!(durations[0].attributes["gen_ai.operation.name"], "chat");
    assert_eq!(durations[0].attributes["gen_ai.provider.name"], "scripted");
    assert_eq!(durations[0].attributes["gen_ai.response.model"], "script-2026");
    let mut tokens = recorded("gen_ai.client.token.usage", "gen_ai.request.model", "script");
    tokens.sort_by(|one, other| one.sum.total_cmp(&other.sum));
    let tokens = tokens.iter().map(|one| (one.attributes["gen_ai.token.type"].as_str(), one.sum));
    assert_eq!(tokens.collect::<Vec<_>>(), [("output", 3.0), ("input", 11.0)]);
}

#[tokio::test]
async fn a_failed_chat_records_the_kind_of_its_error() {
    start();
    kernel("down").chat(question(), FunctionChoiceBehavior::auto()).await.unwrap_err();
    let durations = recorded(DURATION, "gen_ai.request.model", "down");
    assert_eq!(durations[0].attributes["error.type"], "unavailable");
    assert!(recorded("gen_ai.client.token.usage", "gen_ai.request.model", "down").is_empty());
}

#[tokio::test]
async fn a_call_records_its_duration() {
    start();
    let kernel = kernel("unused");
    let arguments = KernelArguments::new().with("query", "secret");
    kernel.invoke("Metered", "Search", arguments).await.unwrap();
    kernel.invoke("Metered", "Search", KernelArguments::new()).await.unwrap_err();
    let mut calls = recorded(DURATION, "gen_ai.tool.name", "Metered-Search");
    calls.retain(|call| call.attributes["gen_ai.operation.name"] == "execute_tool");
    let of = |error: Option<&str>| {
        let is_of = |call: &&recorded::Recorded| {
            call.attributes.get("error.type").map(String::as_str) == error
        };
        calls.iter().filter(is_of).map(|call| call.count).sum::<u64>()
    };
    assert_eq!((of(None), of(Some("invalid_argument"))), (1, 1), "{calls:?}");
}
