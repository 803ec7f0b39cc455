//! Prints the citations that two models return beside the same answer, checked in one form.
//!
//! Needs: nothing; it runs offline against two servers of its own, with the shapes of Anthropic's Messages
//! API and of OpenAI's Responses API.

use examples::company::{self, QUESTION};
use serde_json::{Value, json};
use textsearch_anthropic::{AnthropicChat, AnthropicConfig};
use textsearch_conformance::{Response, Server};
use textsearch_kernel::{
    citations::{Sources, check_message},
    prelude::*,
    textsearch_core::chat::{ChatOptions, MessagePart, ToolCall, ToolResult},
};
use textsearch_openai::{OpenAiChat, OpenAiConfig, Protocol};

const ANSWER: [&str; 2] = ["It is 1.2 million euros.", " It may rise."];
const QUOTE: &str = "2024 has 1.2 million euros.";
const LINK: &str = "https://intranet.example/budget-2024";
/// A page that no search returned.
const OTHER: &str = "https://rumours.example/";

#[tokio::main(flavor = "current_thread")]
async fn main() -> anyhow::Result<()> {
    let search = company::memory().await?;
    let results = search.text_search_results(QUESTION, &SearchOptions::top(2)).await?;
    let results = results.into_vec().await?;
    let sources: Sources = results.iter().collect();

    let server = Server::of([Response::json(&message())]).await;
    let config = AnthropicConfig::new("key", "claude").with_endpoint(server.url());
    show(&AnthropicChat::new(config)?, &results, &sources).await?;

    let server = Server::of([Response::json(&response())]).await;
    let mut config = OpenAiConfig::new("key", "gpt").with_base_url(server.url());
    config.protocol = Protocol::Responses;
    show(&OpenAiChat::new(config)?, &results, &sources).await
}

async fn show(
    chat: &dyn ChatCompletion,
    results: &[TextSearchResult],
    sources: &Sources,
) -> anyhow::Result<()> {
    let mut call = ChatMessage::assistant("");
    call.parts = vec![MessagePart::ToolCall(ToolCall::new("call_1", "Docs-Search", "{}"))];
    let tool_result = ToolResult::new("call_1", serde_json::to_string(results)?);
    let question = ChatMessage::user(QUESTION);
    let history = ChatHistory::from(vec![question, call, ChatMessage::tool_result(tool_result)]);
    let answer = chat.complete(&history, &ChatOptions::new()).await?.message;
    let text = answer.text();
    println!("{}: {text}", chat.name());
    for citation in check_message(&answer, sources) {
        let source =
            citation.source.map_or("unsupported".to_owned(), |number| format!("[{number}]"));
        let passage = text.get(citation.range).unwrap_or_default().trim();
        println!("  {source:11} {passage:24} {}", citation.target);
    }
    Ok(())
}

/// As Anthropic's API cites the search results that it was sent.
fn message() -> Value {
    let cited = |index: usize, source: &str, quote: &str| {
        let citation = json!({
            "type": "search_result_location", "source": source, "title": null, "cited_text": quote,
            "search_result_index": 0, "start_block_index": 0, "end_block_index": 1,
        });
        json!({ "type": "text", "text": ANSWER.get(index), "citations": [citation] })
    };
    json!({
        "id": "msg_1", "type": "message", "role": "assistant", "model": "claude",
        "content": [cited(0, LINK, QUOTE), cited(1, OTHER, "It may rise.")],
        "stop_reason": "end_turn", "usage": { "input_tokens": 80, "output_tokens": 12 },
    })
}

/// As OpenAI's API cites the pages that its own web search read.
fn response() -> Value {
    let [first, second] = ANSWER.map(|text| text.chars().count());
    let cited = |start: usize, end: usize, url: &str| json!({ "type": "url_citation", "start_index": start, "end_index": end, "url": url });
    let annotations = [cited(0, first, LINK), cited(first, first + second, OTHER)];
    let text =
        json!({ "type": "output_text", "text": ANSWER.concat(), "annotations": annotations });
    let message = json!({ "type": "message", "role": "assistant", "content": [text] });
    json!({ "id": "resp_1", "model": "gpt", "status": "completed", "output": [message] })
}
