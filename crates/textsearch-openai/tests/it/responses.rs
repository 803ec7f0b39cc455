use serde_json::{Value, json};
use textsearch_conformance::{LogCapture, Replay, Response};
use textsearch_openai::{
    ChatCompletion as _, ChatHistory, ChatMessage, ChatOptions, ChatResponse, ChatUpdate, Error,
    ErrorKind, FinishReason, MessagePart, OpenAiChat, OpenAiConfig, OpenAiEmbeddings, Protocol,
    ResponseFormat, Result, ToolCall, ToolChoice, ToolDefinition, ToolResult,
};

use crate::support::{KEY, question};

const URL: &str = "https://api.openai.com/v1/responses";

fn chat(replay: &Replay) -> OpenAiChat {
    let mut config = OpenAiConfig::new(KEY, "m");
    config.protocol = Protocol::Responses;
    OpenAiChat::new(config).unwrap().with_http_client(replay.client("openai"))
}

async fn sent(history: &ChatHistory, options: &ChatOptions) -> Result<Value> {
    let replay = Replay::of([(200, r#"{ "output": [] }"#)]);
    chat(&replay).complete(history, options).await?;
    let request = &replay.requests()[0];
    assert_eq!(request.url.as_str(), URL);
    Ok(request.json())
}

async fn whole(body: Value) -> Result<ChatResponse> {
    chat(&Replay::of([Response::json(&body)])).complete(&question(), &ChatOptions::new()).await
}

async fn streamed(events: &[Value]) -> (Vec<ChatUpdate>, Option<Error>) {
    let events: String = events.iter().map(|event| format!("data: {event}\n\n")).collect();
    let replay = Replay::of([Response::new(200, "text/event-stream", events)]);
    let mut stream = chat(&replay).stream(&question(), &ChatOptions::new()).await.unwrap();
    let mut updates = Vec::new();
    while let Some(update) = stream.next().await {
        match update {
            Ok(update) => updates.push(update),
            Err(error) => return (updates, Some(error)),
        }
    }
    (updates, None)
}

async fn stream_response(events: &[Value]) -> ChatResponse {
    let (updates, error) = streamed(events).await;
    assert!(error.is_none(), "{error:?}");
    response_of(&updates)
}

fn response_of(updates: &[ChatUpdate]) -> ChatResponse {
    let finished = updates.iter().find_map(|update| match update {
        ChatUpdate::Finished(response) => Some((**response).clone()),
        _ => None,
    });
    finished.unwrap()
}

fn message(text: &str, annotations: &Value) -> Value {
    let part = json!({ "type": "output_text", "text": text, "annotations": annotations });
    json!({ "type": "message", "id": "msg_1", "role": "assistant", "content": [part] })
}

fn done(item: &Value) -> Value {
    json!({ "type": "response.output_item.done", "output_index": 0, "item": item })
}

fn delta(text: &str) -> Value {
    json!({ "type": "response.output_text.delta", "delta": text })
}

fn completed(output: &Value) -> Value {
    let response = json!({ "id": "resp_1", "status": "completed", "output": output });
    json!({ "type": "response.completed", "response": response })
}

fn refusal(text: &str) -> Value {
    let part = json!({ "type": "refusal", "refusal": text });
    json!({ "type": "message", "role": "assistant", "content": [part] })
}

fn search() -> ToolDefinition {
    let properties = json!({ "query": { "type": "string" }, "count": { "type": "integer" } });
    let parameters = json!({ "type": "object", "properties": properties, "required": ["query"] });
    ToolDefinition::new("Search", "Searches.", parameters)
}

#[tokio::test]
async fn a_history_becomes_input_items() {
    let image = MessagePart::Image { url: "https://a.example/i.png".to_owned() };
    let mut user = ChatMessage::user("What is it?");
    user.parts.push(image);
    let mut asking = ChatMessage::assistant("Wait.");
    asking.parts.push(MessagePart::ToolCall(ToolCall::new("call_1", "Search", "{}")));
    let mut refusal = ChatMessage::assistant("");
    refusal.parts = vec![MessagePart::Refusal { text: "No.".to_owned() }];
    let history = ChatHistory::from(vec![
        ChatMessage::system("Be brief."),
        user,
        asking,
        ChatMessage::tool_result(ToolResult::new("call_1", "A cat.")),
        refusal,
    ]);
    let body = sent(&history, &ChatOptions::new()).await.unwrap();
    let parts = json!([
        { "type": "input_text", "text": "What is it?" },
        { "type": "input_image", "image_url": "https://a.example/i.png", "detail": "auto" },
    ]);
    let refusal = json!([{ "type": "refusal", "refusal": "No." }]);
    let expected = json!([
        { "type": "message", "role": "system", "content": "Be brief." },
        { "type": "message", "role": "user", "content": parts },
        { "type": "message", "role": "assistant", "content": "Wait." },
        { "type": "function_call", "call_id": "call_1", "name": "Search", "arguments": "{}" },
        { "type": "function_call_output", "call_id": "call_1", "output": "A cat." },
        { "type": "message", "role": "assistant", "content": refusal },
    ]);
    assert_eq!(body, json!({ "model": "m", "input": expected, "store": false }));
}

#[tokio::test]
async fn options_are_sent_under_the_names_of_responses() {
    let schema = json!({ "type": "object", "properties": {} });
    let mut options = ChatOptions::new().with_model("other").with_tools([search()]);
    options.temperature = Some(0.5);
    options.top_p = Some(0.9);
    options.max_tokens = Some(9);
    options.reasoning_effort = Some("low".to_owned());
    let name = "form".to_owned();
    options.response_format =
        Some(ResponseFormat::JsonSchema { name, schema: schema.clone(), strict: false });
    options.tool_choice = Some(ToolChoice::Tool("Search".to_owned()));
    options.parallel_tool_calls = Some(false);
    let options = options
        .with_extra("tools", json!([{ "type": "web_search" }]))
        .with_extra("reasoning", json!({ "summary": "auto" }))
        .with_extra("text", json!({ "verbosity": "low" }))
        .with_extra("store", true);
    let mut body = sent(&question(), &options).await.unwrap();
    body.as_object_mut().unwrap().remove("input");
    let parameters = search().parameters;
    let expected = json!({
        "model": "other", "temperature": 0.5, "top_p": 0.9, "max_output_tokens": 9, "store": true,
        "reasoning": { "summary": "auto", "effort": "low" },
        "text": {
            "verbosity": "low",
            "format": { "type": "json_schema", "name": "form", "schema": schema, "strict": false },
        },
        "tools": [
            { "type": "web_search" },
            {
                "type": "function", "name": "Search", "description": "Searches.",
                "parameters": parameters, "strict": false,
            },
        ],
        "tool_choice": { "type": "function", "name": "Search" },
        "parallel_tool_calls": false,
    });
    assert_eq!(body, expected);
}

#[tokio::test]
async fn tool_options_hold_for_hosted_tools_alone() {
    for (choice, expected) in [(ToolChoice::None, "none"), (ToolChoice::Required, "required")] {
        let tools = json!([{ "type": "web_search" }]);
        let mut options = ChatOptions::new().with_extra("tools", tools.clone());
        options.tool_choice = Some(choice);
        options.parallel_tool_calls = Some(false);
        let body = sent(&question(), &options).await.unwrap();
        assert_eq!(body["tools"], tools);
        assert_eq!(body["tool_choice"], expected);
        assert_eq!(body["parallel_tool_calls"], false);
    }
}

#[tokio::test]
async fn what_responses_lacks_is_refused_before_a_request() {
    let with = |change: fn(&mut ChatOptions)| {
        let mut options = ChatOptions::new();
        change(&mut options);
        options
    };
    let cases = [
        (with(|options| options.seed = Some(7)), "`seed` is 7; expected nothing"),
        (with(|options| options.stop.push("END".into())), "`stop` is `END`; expected nothing"),
        (ChatOptions::new().with_extra("background", true), "`extra.background` is a field"),
        (
            ChatOptions::new().with_extra("previous_response_id", "resp_1"),
            "`extra.previous_response_id` is a field",
        ),
        (
            ChatOptions::new().with_extra("conversation", "conv_1"),
            "`extra.conversation` is a field",
        ),
        (
            with(|options| options.reasoning_effort = Some("low".into()))
                .with_extra("reasoning", 1),
            "`extra.reasoning` is not an object",
        ),
        (
            ChatOptions::new().with_tools([search()]).with_extra("tools", "all"),
            "`extra.tools` is not a list",
        ),
    ];
    for (options, expected) in cases {
        let error = sent(&question(), &options).await.unwrap_err();
        assert!(error.message().starts_with(expected), "{error}");
    }
    let mut named = ChatMessage::user("Hello.");
    named.author = Some("Ada".to_owned());
    let error = sent(&ChatHistory::from(vec![named]), &ChatOptions::new()).await.unwrap_err();
    assert!(error.message().starts_with("`messages[0].author` is \"Ada\""), "{error}");
}

#[test]
fn versions_of_azure_have_no_responses() {
    let mut config = OpenAiConfig::azure("https://a.azure.com", "d", "2024-10-21", "k");
    config.protocol = Protocol::Responses;
    assert!(OpenAiEmbeddings::new(config.clone()).is_ok());
    let error = OpenAiChat::new(config).unwrap_err();
    assert!(error.message().starts_with("`protocol` is `responses` with a version"), "{error}");
}

#[tokio::test]
async fn strict_calls_lose_added_nulls() {
    let call = json!({ "type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "Search",
        "arguments": r#"{"query":"a","count":null}"# });
    let replay = Replay::of([Response::json(&json!({ "output": [call] }))]);
    let mut tool = search();
    tool.strict = Some(true);
    let options = ChatOptions::new().with_tools([tool]);
    let response = chat(&replay).complete(&question(), &options).await.unwrap();
    let expected = ToolCall::new("call_1", "Search", r#"{"query":"a"}"#);
    assert_eq!(response.message.tool_calls().collect::<Vec<_>>(), [&expected]);
    assert_eq!(response.finish_reason, FinishReason::ToolCalls);
    let sent = &replay.requests()[0].json()["tools"][0];
    assert_eq!(sent["strict"], true);
    assert_eq!(sent["parameters"]["required"], json!(["count", "query"]));
}

/// Both tools run at the service, whose items come before the message.
fn cited() -> Value {
    let url = json!({ "type": "url_citation", "start_index": 6, "end_index": 11, "url": "https://a.example/ebbe", "title": "Ebbe" });
    let file =
        json!({ "type": "file_citation", "index": 5, "file_id": "file-1", "filename": "notes.md" });
    json!([
        { "type": "web_search_call", "id": "ws_1", "status": "completed" },
        { "type": "file_search_call", "id": "fs_1", "status": "completed", "queries": ["tide"] },
        message("Größe ", &json!([file])),
        message("ändert sich.", &json!([])),
        message(" Ebbe: fällt.", &json!([url])),
    ])
}

fn assert_cited(message: &ChatMessage) {
    assert_eq!(message.text(), "Größe ändert sich. Ebbe: fällt.");
    assert_eq!(message.citations.len(), 2);
    let file = &message.citations[0];
    let url = &message.citations[1];
    assert_eq!((file.source.as_str(), file.title.as_deref()), ("file-1", Some("notes.md")));
    assert_eq!(file.range, 7..7);
    assert_eq!(
        (url.source.as_str(), url.title.as_deref()),
        ("https://a.example/ebbe", Some("Ebbe"))
    );
    assert_eq!(&message.text()[url.range.clone()], " fäll");
}

#[tokio::test]
async fn citations_of_hosted_tools_are_kept() {
    let response = whole(json!({ "output": cited() })).await.unwrap();
    assert_cited(&response.message);
}

#[tokio::test]
async fn a_stream_keeps_citations_and_tells_each_text_once() {
    let mut events = Vec::new();
    for item in cited().as_array().unwrap() {
        if let Some(text) = item["content"][0]["text"].as_str() {
            let (first, rest) = text.split_at(2);
            events.extend([delta(first), delta(rest)]);
        }
        events.push(done(item));
    }
    events.push(completed(&cited()));
    let (updates, error) = streamed(&events).await;
    assert!(error.is_none(), "{error:?}");
    assert_eq!(crate::support::text_of(&updates), "Größe ändert sich. Ebbe: fällt.");
    assert_cited(&response_of(&updates).message);
}

#[tokio::test]
async fn streams_without_pieces_or_items_are_complete() {
    let call = json!({ "type": "function_call", "call_id": "call_1", "name": "Search", "arguments": "{}" });
    let output = json!([message("Wait.", &json!([])), call]);
    let items = output.as_array().unwrap();
    for events in [
        vec![completed(&output)],
        vec![done(&items[0]), done(&items[1]), completed(&json!([]))],
        vec![delta("Wait."), completed(&output)],
        vec![delta("Wait."), done(&items[0]), completed(&output)],
    ] {
        let response = stream_response(&events).await;
        assert_eq!(response.message.text(), "Wait.");
        assert_eq!(response.message.tool_calls().count(), 1);
        assert_eq!(response.finish_reason, FinishReason::ToolCalls);
        assert_eq!(response.id.as_deref(), Some("resp_1"));
    }
}

#[tokio::test]
async fn an_item_completes_its_pieces() {
    let none = json!([]);
    let refusing = json!({ "type": "response.refusal.delta", "delta": "N" });
    for events in [
        vec![delta(""), done(&message("Hello", &none))],
        vec![delta("Hel"), done(&message("Hello", &none))],
        vec![delta("Hello"), done(&message("", &none))],
        vec![done(&json!({ "type": "reasoning" })), completed(&json!([message("Hello", &none)]))],
    ] {
        let response = stream_response(&[events, vec![completed(&none)]].concat()).await;
        assert_eq!(response.message.text(), "Hello");
        assert_eq!(response.finish_reason, FinishReason::Stop);
    }
    for piece in [delta("I"), refusing] {
        let response = stream_response(&[piece, done(&refusal("No.")), completed(&none)]).await;
        assert_eq!(response.message.refusal(), Some("No."));
        assert_eq!(response.finish_reason, FinishReason::Refusal);
    }
}

#[tokio::test]
async fn an_item_that_differs_from_its_pieces_is_an_error() {
    let item = done(&message("Hello", &json!([])));
    let (_, error) = streamed(&[delta("Help"), item.clone(), completed(&json!([]))]).await;
    let error = error.unwrap();
    assert_eq!(error.kind(), &ErrorKind::Undecodable);
    assert!(error.message().ends_with("the text of an item differs from its pieces"), "{error}");
    let response = stream_response(&[delta("\n\nHel"), item.clone(), completed(&json!([]))]).await;
    assert_eq!(response.message.text(), "\n\nHello");
    // A character that was cut in two differs.
    let response = stream_response(&[delta("Hell\u{fffd}"), item, completed(&json!([]))]).await;
    assert_eq!(response.message.text(), "Hell\u{fffd}");
}

#[tokio::test]
async fn events_decide_what_a_response_without_status_is() {
    let event = |name: &str, response: Value| json!({ "type": format!("response.{name}"), "response": response });
    let (_, error) = streamed(&[event("failed", json!({ "output": [] }))]).await;
    assert!(error.unwrap().message().ends_with("it failed without an error"));
    let details = json!({ "reason": "max_output_tokens" });
    let cut = json!({ "output": [message("Half", &json!([]))], "incomplete_details": details });
    for response in [
        stream_response(&[event("incomplete", cut.clone())]).await,
        stream_response(&[event("completed", cut.clone())]).await,
        whole(cut).await.unwrap(),
    ] {
        assert_eq!(response.message.text(), "Half");
        assert_eq!(response.finish_reason, FinishReason::Length);
    }
}

#[tokio::test]
async fn citations_and_lists_above_the_limit_are_rejected() {
    let cited = |count: usize| {
        let annotation = json!({ "type": "url_citation", "url": "u", "end_index": 1 });
        message("Tides.", &vec![annotation; count].into())
    };
    let most = whole(json!({ "output": [cited(600), cited(400)] })).await.unwrap();
    assert_eq!(most.message.citations.len(), 1_000);
    for (output, expected) in [
        (vec![cited(600), cited(401)], "more than 1000 citations"),
        (vec![cited(1_001)], "expected a list of at most 1000"),
        (vec![json!({ "type": "other" }); 1_001], "expected a list of at most 1000"),
    ] {
        let error = whole(json!({ "output": output })).await.unwrap_err();
        assert_eq!(error.kind(), &ErrorKind::Undecodable);
        assert!(error.message().contains(expected), "{error}");
    }
}

#[tokio::test]
async fn usage_and_reasoning_are_kept() {
    let reasoning =
        json!({ "type": "reasoning", "summary": [{ "type": "summary_text", "text": "Hm." }] });
    let usage = json!({
        "input_tokens": 9, "input_tokens_details": { "cached_tokens": 4 },
        "output_tokens": 7, "output_tokens_details": { "reasoning_tokens": 5 },
    });
    let body = json!({ "output": [reasoning, message("Yes.", &json!([]))], "usage": usage, "service_tier": "default" });
    let response = whole(body).await.unwrap();
    let usage = response.usage.unwrap();
    assert_eq!((usage.input_tokens, usage.cached_tokens), (9, 4));
    assert_eq!((usage.output_tokens, usage.reasoning_tokens), (7, 5));
    assert_eq!(response.metadata["reasoning_content"], "Hm.");
    assert_eq!(response.metadata["service_tier"], "default");
}

#[tokio::test]
async fn failed_responses_are_errors_with_their_kind() {
    let failed = |code: &str| json!({ "status": "failed", "output": [], "error": { "code": code, "message": "Because." } });
    let event = |code: &str| json!({ "type": "response.failed", "response": failed(code) });
    let bare = json!({ "type": "error", "code": "rate_limit_exceeded", "message": "Because." });
    for (code, kind) in [
        ("server_error", ErrorKind::Unavailable),
        ("rate_limit_exceeded", ErrorKind::RateLimited),
        ("invalid_prompt", ErrorKind::Backend),
        ("image_too_large", ErrorKind::Backend),
        ("image_content_policy_violation", ErrorKind::Backend),
        ("vector_store_timeout", ErrorKind::Unavailable),
    ] {
        let whole = whole(failed(code)).await.unwrap_err();
        let (updates, streamed) = streamed(&[delta("Half"), event(code)]).await;
        assert_eq!(updates, [ChatUpdate::Text("Half".to_owned())]);
        for error in [whole, streamed.unwrap()] {
            assert_eq!(error.kind(), &kind, "{error}");
            assert!(error.message().ends_with(&format!("({code}): Because.")), "{error}");
        }
    }
    let (_, error) = streamed(&[bare]).await;
    assert_eq!(error.unwrap().kind(), &ErrorKind::RateLimited);
    let error = whole(json!({ "status": "failed", "output": [] })).await.unwrap_err();
    assert_eq!(error.kind(), &ErrorKind::Undecodable, "{error}");
}

#[tokio::test]
async fn a_stream_without_its_last_event_is_an_error() {
    for events in [vec![delta("Half")], vec![delta("Half"), done(&message("Half", &json!([])))]] {
        let (_, error) = streamed(&events).await;
        assert_eq!(error.unwrap().kind(), &ErrorKind::Unavailable);
    }
}

#[tokio::test]
async fn errors_of_responses_hide_the_key() {
    let log = LogCapture::start();
    let echo =
        json!({ "type": "error", "code": KEY, "message": format!("the key {KEY} is wrong") });
    let (_, error) = streamed(&[echo]).await;
    let error = error.unwrap();
    for text in [format!("{error} {error:?}"), log.text()] {
        assert!(!text.contains(KEY), "{text}");
    }
}
