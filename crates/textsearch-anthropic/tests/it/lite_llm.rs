//! LiteLLM's proxy before llama.cpp's server, with a model too small to be right: only the protocol is
//! checked.
//!
//! `cargo xtask integration llm` starts the servers, and collects the lines that begin with `llm`.
#![expect(clippy::print_stdout, reason = "`cargo xtask integration llm` reads the lines")]

use std::time::Instant;

use serde_json::json;
use textsearch_anthropic::{
    AnthropicChat, AnthropicConfig, ChatCompletion, ChatHistory, ChatMessage, ChatOptions,
    ChatResponse, ChatUpdate, FinishReason, ToolChoice, ToolDefinition, ToolResult,
    http::HttpSettings,
};

use crate::support::text_of;

const MODEL: &str = "smollm2";

fn chat_with(key: &str, model: &str) -> AnthropicChat {
    let http = HttpSettings::default().with_proxy(false).with_max_attempts(1);
    let config = AnthropicConfig::new(key, model)
        .with_endpoint(std::env::var("TEXTSEARCH_LLM_PROXY").unwrap())
        .with_http_settings(http);
    AnthropicChat::new(config).unwrap()
}

fn chat() -> AnthropicChat {
    chat_with(&std::env::var("TEXTSEARCH_LLM_PROXY_KEY").unwrap(), MODEL)
}

fn question(text: &str) -> ChatHistory {
    ChatHistory::from(vec![ChatMessage::system("Be brief."), ChatMessage::user(text)])
}

fn limited(tokens: u32) -> ChatOptions {
    let mut options = ChatOptions::new();
    options.max_tokens = Some(tokens);
    options
}

fn report(step: &str, start: Instant, response: &ChatResponse) {
    let tokens = response.usage.unwrap().output_tokens;
    let result = response.finish_reason.name();
    println!(
        "llm\tLiteLLM, /v1/messages: {step}\t{result}\t{}\t{tokens}",
        start.elapsed().as_secs_f64()
    );
}

#[tokio::test]
#[ignore = "needs LiteLLM's proxy: cargo xtask integration llm"]
async fn lite_llm_answers_with_usage_model_and_reason() {
    let start = Instant::now();
    let response = chat().complete(&question("What is a tide?"), &limited(30)).await.unwrap();
    report("chat", start, &response);
    assert!(!response.message.text().is_empty());
    assert!(response.id.is_some() && response.model.is_some());
    let usage = response.usage.unwrap();
    assert_eq!(usage.output_tokens, 30);
    assert!(usage.input_tokens > 5, "{usage:?}");
}

#[tokio::test]
#[ignore = "needs LiteLLM's proxy: cargo xtask integration llm"]
async fn lite_llm_streams_pieces_then_the_whole_response() {
    let start = Instant::now();
    let mut stream = chat().stream(&question("What is a tide?"), &limited(30)).await.unwrap();
    let mut updates = Vec::new();
    while let Some(update) = stream.next().await {
        updates.push(update.unwrap());
    }
    let [.., ChatUpdate::Finished(response)] = updates.as_slice() else { unreachable!() };
    report("stream", start, response);
    assert!(updates.len() > 20, "{}", updates.len());
    assert_eq!(text_of(&updates), response.message.text());
    assert_eq!(response.usage.unwrap().output_tokens, 30);
}

#[tokio::test]
#[ignore = "needs LiteLLM's proxy: cargo xtask integration llm"]
async fn lite_llm_calls_a_tool_and_reads_its_results() {
    let parameters = json!({
        "type": "object",
        "properties": { "query": { "type": "string" } },
        "required": ["query"],
    });
    let tools = [ToolDefinition::new("Docs-Search", "Searches the documents.", parameters)];
    let mut options = limited(60).with_tools(tools);
    options.tool_choice = Some(ToolChoice::Required);
    let mut history = question("Search for tides.");
    let start = Instant::now();
    let stream = chat().stream(&history, &options).await.unwrap();
    let response = stream.into_response().await.unwrap();
    report("tool call", start, &response);
    assert_eq!(response.finish_reason, FinishReason::ToolCalls);
    let call = response.message.tool_calls().next().unwrap();
    assert_eq!(call.name, "Docs-Search");
    let arguments: serde_json::Value = serde_json::from_str(&call.arguments).unwrap();
    assert!(arguments["query"].is_string(), "{arguments}");

    let results = json!([{ "Value": "The moon causes tides. ".repeat(20), "Link": "https://a" }]);
    let result = ToolResult::search_results(&call.id, results.to_string());
    history.push(response.message);
    history.push(ChatMessage::tool_result(result));
    let start = Instant::now();
    let response = chat().complete(&history, &limited(30)).await.unwrap();
    report("results of a tool", start, &response);
    // The proxy would drop blocks of search results without an error.
    assert!(response.usage.unwrap().input_tokens > 100, "{:?}", response.usage);
}

#[tokio::test]
#[ignore = "needs LiteLLM's proxy: cargo xtask integration llm"]
async fn errors_of_lite_llm_have_a_reason_and_no_key() {
    let key = std::env::var("TEXTSEARCH_LLM_PROXY_KEY").unwrap();
    let unknown = chat_with(&key, "unknown-model");
    let unknown = unknown.complete(&question("a"), &limited(16)).await.unwrap_err();
    assert!(unknown.to_string().contains("unknown-model"), "{unknown}");
    let wrong = chat_with("wrong-sesame-0123456789", MODEL);
    let wrong = wrong.stream(&question("a"), &limited(16)).await.unwrap_err();
    for error in [unknown, wrong] {
        let text = format!("{error} {error:?}");
        assert!(!text.contains("sesame") && !text.contains(&key), "{text}");
    }
}
