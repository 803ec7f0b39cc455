//! llama.cpp's own server, with a model too small to be right: only the protocol is checked.
//!
//! `cargo xtask integration llm` starts the servers, and collects the lines that begin with `llm`.
//! It runs the chats again with LiteLLM's proxy, through the Responses API.
#![expect(clippy::print_stdout, reason = "`cargo xtask integration llm` reads the lines")]

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use textsearch_openai::{
    ChatCompletion, ChatHistory, ChatMessage, ChatOptions, ChatResponse, ChatUpdate,
    EmbeddingGenerator, EmbeddingSettings, ErrorKind, FinishReason, OpenAiChat, OpenAiConfig,
    OpenAiEmbeddings, Protocol, ResponseFormat, ToolChoice, ToolDefinition, ToolResult,
};

use crate::support::text_of;

/// In tokens: half of the server's, which answers two requests at once.
const CONTEXT: usize = 2_048;

fn config(variable: &str) -> OpenAiConfig {
    let url = std::env::var(variable).unwrap();
    let mut config = OpenAiConfig::without_key(format!("{url}/v1"), "smollm2");
    if is_responses() {
        config.protocol = Protocol::Responses;
        config.api_key = std::env::var("TEXTSEARCH_LLM_PROXY_KEY").ok().map(Into::into);
        config.model = "smollm2-by-completions".to_owned();
    }
    // Its time limits leave minutes, for a busy machine.
    let http = config.http.clone().with_proxy(false).with_max_attempts(2);
    config.with_http_settings(http.with_backoff(Duration::ZERO, Duration::ZERO))
}

fn is_responses() -> bool {
    std::env::var("OPENAI_PROTOCOL").is_ok_and(|protocol| protocol == "responses")
}

fn chat() -> OpenAiChat {
    OpenAiChat::new(config("TEXTSEARCH_LLM_CHAT")).unwrap()
}

fn question(text: impl Into<String>) -> ChatHistory {
    ChatHistory::from(vec![ChatMessage::user(text)])
}

fn limited(tokens: u32) -> ChatOptions {
    let mut options = ChatOptions::new();
    options.max_tokens = Some(tokens);
    options.temperature = Some(0.0);
    options
}

fn report(step: &str, result: &str, start: Instant, tokens: u64) {
    let api = if is_responses() { "/v1/responses: " } else { "" };
    println!("llm\t{api}{step}\t{result}\t{}\t{tokens}", start.elapsed().as_secs_f64());
}

fn report_answer(step: &str, start: Instant, response: &ChatResponse) {
    let tokens = response.usage.unwrap().output_tokens;
    report(step, response.finish_reason.name(), start, tokens);
}

#[tokio::test]
#[ignore = "needs llama.cpp's server: cargo xtask integration llm"]
async fn llama_cpp_answers_with_usage_model_and_reason() {
    let start = Instant::now();
    let response = chat().complete(&question("What is a tide?"), &limited(30)).await.unwrap();
    report_answer("chat", start, &response);
    assert!(!response.message.text().is_empty());
    assert_eq!(response.finish_reason, FinishReason::Length);
    let usage = response.usage.unwrap();
    assert_eq!(usage.output_tokens, 30);
    assert!(usage.input_tokens > 5);
    assert!(response.id.is_some() && response.model.is_some());
}

#[tokio::test]
#[ignore = "needs llama.cpp's server: cargo xtask integration llm"]
async fn llama_cpp_streams_pieces_then_the_whole_response() {
    let start = Instant::now();
    let mut stream = chat().stream(&question("What is a tide?"), &limited(30)).await.unwrap();
    let mut updates = Vec::new();
    while let Some(update) = stream.next().await {
        updates.push(update.unwrap());
    }
    let Some(ChatUpdate::Finished(response)) = updates.last() else { panic!("{updates:?}") };
    report_answer("stream", start, response);
    assert!(updates.len() > 20, "{}", updates.len());
    assert_eq!(text_of(&updates), response.message.text());
    assert_eq!(response.finish_reason, FinishReason::Length);
    assert_eq!(response.usage.unwrap().output_tokens, 30);
}

#[tokio::test]
#[ignore = "needs llama.cpp's server: cargo xtask integration llm"]
async fn dropped_streams_stop_llama_cpp() {
    let chat = chat();
    let start = Instant::now();
    chat.complete(&question("What is a wave?"), &limited(2)).await.unwrap();
    let alone = start.elapsed();
    let start = Instant::now();
    for number in 0..4 {
        let endless = limited(3_000).with_extra("ignore_eos", true);
        let question = question(format!("Count from {number}."));
        let mut stream = chat.stream(&question, &endless).await.unwrap();
        stream.next().await.unwrap().unwrap();
    }
    let asked = Instant::now();
    let response = chat.complete(&question("What is a wave?"), &limited(2)).await.unwrap();
    // The four answers would take minutes.
    assert!(asked.elapsed() < alone * 10 + Duration::from_secs(10), "{:?}", asked.elapsed());
    report_answer("4 cancelled streams, then a chat", start, &response);
}

#[tokio::test]
#[ignore = "needs llama.cpp's server: cargo xtask integration llm"]
async fn overlong_prompts_are_context_errors_of_llama_cpp() {
    let chat = chat();
    let history = question("tide ".repeat(CONTEXT));
    let start = Instant::now();
    let whole = chat.complete(&history, &limited(5)).await.unwrap_err();
    let streamed = chat.stream(&history, &limited(5)).await.unwrap_err();
    report("context overflow, by the prompt", "unexpected_status", start, 0);
    for error in [whole, streamed] {
        let ErrorKind::UnexpectedStatus { status, code, .. } = error.kind() else {
            panic!("{error:?}");
        };
        assert_eq!((*status, code.as_deref()), (400, Some("context_length_exceeded")));
        assert!(!error.is_retryable() && error.message().contains("context size"), "{error}");
    }
}

#[tokio::test]
#[ignore = "needs llama.cpp's server: cargo xtask integration llm"]
async fn a_full_context_truncates_the_answer_of_llama_cpp() {
    let start = Instant::now();
    let history = question("tide ".repeat(CONTEXT - 100));
    let options = limited(500).with_extra("ignore_eos", true);
    let response = chat().complete(&history, &options).await.unwrap();
    report_answer("context overflow, by the answer", start, &response);
    assert_eq!(response.finish_reason, FinishReason::Length);
    assert!(response.usage.unwrap().output_tokens < 200);
}

#[tokio::test]
#[ignore = "needs llama.cpp's server: cargo xtask integration llm"]
async fn a_schema_shapes_the_answer_of_llama_cpp() {
    let schema = json!({
        "type": "object",
        "properties": {
            "colour": { "type": "string", "enum": ["red", "green"] },
            "warm": { "type": "boolean" },
        },
        "required": ["colour", "warm"],
    });
    for strict in [false, true] {
        let start = Instant::now();
        let mut options = limited(60);
        let (name, schema) = ("colour".to_owned(), schema.clone());
        options.response_format = Some(ResponseFormat::JsonSchema { name, schema, strict });
        let response = chat().complete(&question("Which colour is fire?"), &options).await.unwrap();
        report_answer("typed answer", start, &response);
        let answer: Value = serde_json::from_str(&response.message.text()).unwrap();
        assert!(["red", "green"].map(Value::from).contains(&answer["colour"]), "{answer}");
        assert!(answer["warm"].is_boolean(), "{answer}");
        assert_eq!(response.finish_reason, FinishReason::Stop);
    }
}

fn search(strict: bool) -> ToolDefinition {
    let properties = json!({ "query": { "type": "string" }, "count": { "type": "integer" } });
    let parameters = json!({ "type": "object", "properties": properties, "required": ["query"] });
    let mut tool = ToolDefinition::new("Docs-Search", "Searches documents.", parameters);
    tool.strict = Some(strict);
    tool
}

/// Also says whether the schema is strict.
const CALLS: [(ToolChoice, bool); 3] =
    [(ToolChoice::Auto, false), (ToolChoice::Required, false), (ToolChoice::Required, true)];

#[tokio::test]
#[ignore = "needs llama.cpp's server: cargo xtask integration llm"]
async fn llama_cpp_calls_a_tool_and_reads_its_result() {
    let chat = chat();
    for (choice, strict) in CALLS {
        for is_stream in [false, true] {
            let start = Instant::now();
            let mut options = limited(60).with_tools([search(strict)]);
            options.tool_choice = Some(choice.clone());
            let mut history = question("What are tides?");
            let called = if is_stream {
                let stream = chat.stream(&history, &options).await.unwrap();
                stream.into_response().await.unwrap()
            } else {
                chat.complete(&history, &options).await.unwrap()
            };
            report_answer("tool call", start, &called);
            assert_eq!(called.finish_reason, FinishReason::ToolCalls, "{called:?}");
            let calls: Vec<_> = called.message.tool_calls().cloned().collect();
            assert_eq!((calls.len(), calls[0].name.as_str()), (1, "Docs-Search"));
            let arguments: Value = serde_json::from_str(&calls[0].arguments).unwrap();
            assert!(arguments["query"].is_string(), "{arguments}");
            // An optional argument that the strict schema made the model write.
            assert_ne!(arguments.get("count"), Some(&Value::Null));

            let start = Instant::now();
            history.push(called.message);
            history.push(ChatMessage::tool_result(ToolResult::new(&calls[0].id, "At nine.")));
            options.tool_choice = None;
            let answer = chat.complete(&history, &options).await.unwrap();
            report_answer("answer from a tool's result", start, &answer);
            assert!(!answer.message.text().is_empty());
        }
    }
}

#[tokio::test]
#[ignore = "needs llama.cpp's server: cargo xtask integration llm"]
async fn llama_cpp_embeds_as_numbers_and_as_base64() {
    let texts: Vec<String> = (0..100).map(|number| format!("Tide number {number}.")).collect();
    let mut vectors = Vec::new();
    for base64 in [false, true] {
        let start = Instant::now();
        let mut config = config("TEXTSEARCH_LLM_EMBEDDINGS");
        config.base64_embeddings = Some(base64);
        let model = OpenAiEmbeddings::new(config).unwrap();
        let embeddings = model.generate(&texts, &EmbeddingSettings::default()).await.unwrap();
        report("embeddings", "100 vectors", start, embeddings.tokens.unwrap());
        assert_eq!((embeddings.vectors.len(), embeddings.vectors[0].len()), (100, 576));
        assert_ne!(embeddings.vectors[0], embeddings.vectors[1]);
        vectors.push(embeddings.vectors);
    }
    // The arithmetic depends on how the server batches.
    let pairs = vectors[0].iter().flat_map(|vector| vector.iter());
    let pairs = pairs.zip(vectors[1].iter().flat_map(|vector| vector.iter()));
    for (number, decoded) in pairs {
        assert!((number - decoded).abs() < 0.01, "{number} {decoded}");
    }
}

#[tokio::test]
#[ignore = "needs llama.cpp's server: cargo xtask integration llm"]
async fn llama_cpp_refuses_to_embed_an_overlong_text() {
    let start = Instant::now();
    let model = OpenAiEmbeddings::new(config("TEXTSEARCH_LLM_EMBEDDINGS")).unwrap();
    let texts = ["tide ".repeat(CONTEXT)];
    let error = model.generate(&texts, &EmbeddingSettings::default()).await.unwrap_err();
    report("embeddings, overlong text", error.kind().name(), start, 0);
    assert!(error.message().contains("too large"), "{error}");
}
