use std::time::Duration;

use proptest::{prelude::*, test_runner::TestRunner};
use serde_json::json;
use textsearch_conformance::{
    Action, Response, Server, assert_linear,
    chat::{Chunks, Fault, ModelScript, Turn},
};
use textsearch_openai::{
    ChatCompletion, ChatOptions, ChatUpdate, ErrorKind, FinishReason, OpenAiChat, OpenAiConfig,
    http::HttpSettings,
};

use crate::support::{Talk, question, text_of};

const TEXT: &str = "Größe: 21 °C – 東京 🌍 is a text of several pieces.";

#[tokio::test]
async fn streams_pieces_and_then_the_whole_response() {
    let talk = Talk::with([Turn::text(TEXT)]).await;
    let (updates, end) = talk.listen(&ChatOptions::new()).await;
    end.unwrap();
    assert!(updates.len() > 3);
    assert_eq!(text_of(&updates), TEXT);
    let Some(ChatUpdate::Finished(response)) = updates.last() else { panic!("{updates:?}") };
    assert_eq!(response.message.text(), TEXT);
    let body = &talk.model.requests()[0].body;
    assert_eq!(body["stream_options"], json!({ "include_usage": true }));
    assert!(response.usage.is_some());
}

#[tokio::test]
async fn usage_in_streams_is_not_requested_if_unsupported() {
    let script = [Turn::text(TEXT)];
    let without_usage = |mut config: OpenAiConfig| {
        config.stream_usage = false;
        config
    };
    let talk = Talk::configured(script, without_usage).await;
    assert_eq!(talk.streamed(&ChatOptions::new()).await.unwrap().usage, None);
    assert_eq!(talk.model.requests()[0].body.get("stream_options"), None);
}

/// Text and two alternating calls, with comments and both kinds of line endings.
const RECORDED: &[u8] = include_bytes!("../fixtures/stream.sse");

#[test]
fn chunk_boundaries_do_not_change_the_response() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let expected = runtime.block_on(heard(Chunks::Whole));
    assert_eq!(expected.0, "Zwölf – 十二");
    let cases =
        ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() };
    let ways = prop_oneof![
        any::<u64>().prop_map(|seed| Chunks::Arbitrary { seed }),
        (1_usize..40).prop_map(Chunks::OfBytes),
    ];
    let check = |chunks| {
        prop_assert_eq!(&runtime.block_on(heard(chunks)), &expected);
        Ok(())
    };
    TestRunner::new(cases).run(&ways, check).unwrap();
}

async fn heard(chunks: Chunks) -> (String, Vec<ChatUpdate>) {
    let turn = Turn::raw("text/event-stream", RECORDED);
    let talk = Talk::with(ModelScript::turns([turn]).with_chunks(chunks)).await;
    let (updates, end) = talk.listen(&ChatOptions::new()).await;
    end.unwrap();
    (text_of(&updates), updates)
}

#[tokio::test]
async fn lines_may_end_with_cr_and_lf() {
    let script =
        ModelScript::turns([Turn::text(TEXT)]).with_crlf(true).with_chunks(Chunks::OfBytes(1));
    let talk = Talk::with(script).await;
    assert_eq!(talk.streamed(&ChatOptions::new()).await.unwrap().message.text(), TEXT);
}

#[tokio::test]
async fn done_may_be_missing() {
    let talk = Talk::with([Turn::text(TEXT).with_fault(Fault::WithoutDone)]).await;
    let response = talk.streamed(&ChatOptions::new()).await.unwrap();
    assert_eq!(
        (response.message.text().as_str(), response.finish_reason),
        (TEXT, FinishReason::Stop)
    );
}

async fn broken(fault: Fault) -> textsearch_openai::Error {
    let talk = Talk::with([Turn::text(TEXT.repeat(5)).with_fault(fault)]).await;
    let (updates, end) = talk.listen(&ChatOptions::new()).await;
    assert!(!updates.iter().any(|update| matches!(update, ChatUpdate::Finished(_))));
    end.unwrap_err()
}

#[tokio::test]
async fn a_broken_stream_is_a_retryable_error() {
    for fault in [Fault::Reset, Fault::EndsEarly] {
        let error = broken(fault.clone()).await;
        assert_eq!(error.kind(), &ErrorKind::Unavailable, "{fault:?}");
        assert!(error.is_retryable());
    }
    let message = broken(Fault::EndsEarly).await.message().to_owned();
    assert!(message.ends_with("the stream ended before the answer was complete"), "{message}");
}

#[tokio::test]
async fn an_event_that_is_not_json_is_undecodable() {
    assert_eq!(broken(Fault::MalformedEvent).await.kind(), &ErrorKind::Undecodable);
}

#[tokio::test]
async fn stream_errors_keep_their_kind() {
    let cases = [
        ("server_error", "unavailable"),
        ("rate_limit_exceeded", "rate_limited"),
        ("insufficient_quota", "quota_exceeded"),
        ("context_length_exceeded", "backend"),
    ];
    for (code, kind) in cases {
        let message = "Something went wrong.".to_owned();
        let error = broken(Fault::ErrorEvent { code: code.to_owned(), message }).await;
        assert_eq!(error.kind().name(), kind);
        let expected = format!("the answer is an error ({code}): Something went wrong.");
        assert!(error.message().ends_with(&expected), "{error}");
    }
}

#[tokio::test]
async fn a_stalled_stream_times_out() {
    let mut http = HttpSettings::default().with_proxy(false);
    http.idle_timeout = Duration::from_millis(80);
    let script = [Turn::text(TEXT).with_fault(Fault::Stall)];
    let talk = Talk::configured(script, |config| config.with_http_settings(http)).await;
    let (_, end) = talk.listen(&ChatOptions::new()).await;
    assert_eq!(end.unwrap_err().kind(), &ErrorKind::Timeout);
    talk.model.wait_for_disconnects(1).await;
}

#[tokio::test]
async fn a_stream_of_comments_ends_with_the_total_time() {
    let comments = Response::new(200, "text/event-stream", b": ping\n\n".repeat(2000));
    let server = Server::start(move |_, _| Action::Flood(comments.clone(), usize::MAX)).await;
    let mut http = HttpSettings::default().with_proxy(false).with_max_body_bytes(usize::MAX);
    http.stream_timeout = Duration::from_millis(100);
    let config = OpenAiConfig::without_key(server.url(), "m").with_http_settings(http);
    let chat = OpenAiChat::new(config).unwrap();
    let mut stream = chat.stream(&question(), &ChatOptions::new()).await.unwrap();
    let error = stream.next().await.unwrap().unwrap_err();
    assert_eq!(error.kind(), &ErrorKind::Timeout);
    assert!(error.message().ends_with("did not end within 100ms"), "{error}");
}

#[tokio::test]
async fn dropping_the_stream_ends_the_request() {
    let talk = Talk::with([Turn::text(TEXT).with_fault(Fault::Stall)]).await;
    let mut stream = talk.chat.stream(&question(), &ChatOptions::new()).await.unwrap();
    stream.next().await.unwrap().unwrap();
    assert_eq!(talk.model.hung_up(), 0);
    drop(stream);
    talk.model.wait_for_disconnects(1).await;
}

#[tokio::test]
async fn dropping_the_future_ends_the_request() {
    let talk = Talk::with([Turn::text(TEXT).with_fault(Fault::Stall)]).await;
    // Before its request arrives, the model can't notice a client that disconnects.
    let arrival = async {
        while talk.model.requests().is_empty() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    let options = ChatOptions::new();
    tokio::select! {
        _ = talk.ask(&options) => panic!("the answer stands still"),
        () = arrival => {}
    }
    talk.model.wait_for_disconnects(1).await;
}

#[tokio::test]
async fn a_finished_stream_frees_its_connection() {
    let talk = Talk::with(ModelScript::from_fn(|_| Turn::text(TEXT))).await;
    for _ in 0..5 {
        talk.streamed(&ChatOptions::new()).await.unwrap();
        talk.ask(&ChatOptions::new()).await.unwrap();
    }
    let connections: Vec<usize> =
        talk.model.requests().iter().map(|request| request.connection).collect();
    assert_eq!(connections, [0; 10]);
}

#[tokio::test]
async fn an_open_connection_does_not_delay_the_answer() {
    let answer = br#"data: {"choices":[{"delta":{"content":"Yes."},"finish_reason":"stop"}]}"#;
    let mut body = [answer.as_slice(), b"\n\ndata: [DONE]\n\n"].concat();
    // The stall comes in the middle, so the rest is never sent.
    body.extend(b": ping\n\n".repeat(body.len() / 8 + 1));
    let turn = Turn::raw("text/event-stream", body).with_fault(Fault::Stall);
    let talk = Talk::with([turn]).await;
    let options = ChatOptions::new();
    let asked = tokio::time::timeout(Duration::from_secs(5), talk.streamed(&options)).await;
    assert_eq!(asked.unwrap().unwrap().message.text(), "Yes.");
    talk.model.wait_for_disconnects(1).await;
}

#[tokio::test]
async fn an_endless_stream_of_calls_is_rejected() {
    let calls: Vec<_> = (0..20_000).map(|index| json!({ "index": index })).collect();
    let chunk = json!({ "choices": [{ "delta": { "tool_calls": calls } }] });
    let turn = Turn::raw("text/event-stream", format!("data: {chunk}\n\n"));
    let talk = Talk::with(ModelScript::turns([turn]).with_chunks(Chunks::Whole)).await;
    let error = talk.streamed(&ChatOptions::new()).await.unwrap_err();
    assert_eq!(error.kind(), &ErrorKind::Undecodable);
    assert!(error.message().contains("at most 1000 items"), "{error}");
}

#[tokio::test]
async fn a_response_with_too_many_calls_is_rejected() {
    let call = json!({ "id": "x", "function": { "name": "A", "arguments": "{}" } });
    let answer = |calls| {
        let message = json!({ "role": "assistant", "tool_calls": vec![&call; calls] });
        let body = json!({ "choices": [{ "index": 0, "message": message }] }).to_string();
        Turn::raw("application/json", body)
    };
    let talk = Talk::with([answer(1_000), answer(1_001)]).await;
    let response = talk.ask(&ChatOptions::new()).await.unwrap();
    assert_eq!(response.message.tool_calls().count(), 1_000);
    let error = talk.ask(&ChatOptions::new()).await.unwrap_err();
    assert_eq!(error.kind(), &ErrorKind::Undecodable);
    assert!(error.message().contains("at most 1000 items"), "{error}");
}

#[tokio::test]
async fn arguments_above_the_limit_of_an_answer_are_rejected() {
    let call = |length: usize| json!({ "index": 0, "id": "x", "function": { "name": "A", "arguments": "1".repeat(length) } });
    let chunk =
        |length| json!({ "choices": [{ "delta": { "tool_calls": [call(length)] } }] }).to_string();
    let end = json!({ "choices": [{ "delta": {}, "finish_reason": "tool_calls" }] });
    let half = 2 * 1024 * 1024;
    let stream = |last| {
        let body = format!("data: {}\n\ndata: {}\n\ndata: {end}\n\n", chunk(half), chunk(last));
        Turn::raw("text/event-stream", body)
    };
    // Two fragments, each with an identifier and a name of one byte.
    let turns = [stream(half - 4), stream(half - 3)];
    let talk = long_answers(ModelScript::turns(turns).with_chunks(Chunks::Whole)).await;
    let response = talk.streamed(&ChatOptions::new()).await.unwrap();
    assert_eq!(response.message.tool_calls().next().unwrap().arguments.len(), 2 * half - 4);
    let error = talk.streamed(&ChatOptions::new()).await.unwrap_err();
    assert_eq!(error.kind(), &ErrorKind::Undecodable);
    assert!(error.message().contains("calls are longer than 4194304 bytes"), "{error}");
}

/// Accepts longer bodies than [`Talk::with`].
async fn long_answers(script: ModelScript) -> Talk {
    Talk::configured(script, |config| {
        let http = config.http.clone().with_max_body_bytes(64 * 1024 * 1024);
        config.with_http_settings(http)
    })
    .await
}

#[tokio::test]
async fn a_whole_response_above_the_limit_is_rejected() {
    let message = json!({ "role": "assistant", "content": "x".repeat(4 * 1024 * 1024 + 1) });
    let body = json!({ "choices": [{ "index": 0, "message": message }] }).to_string();
    let talk = long_answers(ModelScript::turns([Turn::raw("application/json", body)])).await;
    let error = talk.ask(&ChatOptions::new()).await.unwrap_err();
    assert!(error.message().contains("calls are longer than 4194304 bytes"), "{error}");
}

#[tokio::test]
async fn an_event_above_eight_mebibytes_is_not_read() {
    let body = format!("data: {{\"choices\":[{{}}{}]}}\n\n", ",{}".repeat(3 * 1024 * 1024));
    let script = ModelScript::turns([Turn::raw("text/event-stream", body)]);
    let talk = long_answers(script.with_chunks(Chunks::Whole)).await;
    let error = talk.streamed(&ChatOptions::new()).await.unwrap_err();
    assert_eq!(error.kind(), &ErrorKind::Undecodable);
    assert!(error.message().contains("an event has more than 8388608 bytes"), "{error}");
}

fn long_stream(events: usize, event: &str) -> String {
    let end = r#"data: {"choices":[{"delta":{},"finish_reason":"stop"}]}"#;
    format!("{}{end}\n\ndata: [DONE]\n\n", event.repeat(events))
}

#[test]
fn long_streams_take_linear_time() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    for event in [
        "data: {\"choices\":[{\"delta\":{\"content\":\"ab\"}}]}\n\n",
        ": keep-alive\n\n",
        "data: {\n",
        "\n",
    ] {
        let both = [2_000, 4_000].map(|events| {
            let turn = Turn::raw("text/event-stream", long_stream(events, event));
            let script = ModelScript::turns(vec![turn; 8]).with_chunks(Chunks::Whole);
            (events, runtime.block_on(Talk::with(script)))
        });
        assert_linear(2_000, |events| {
            let talk = both.iter().find(|(known, _)| *known == events);
            let (_, talk) = talk.unwrap();
            let _ = runtime.block_on(talk.streamed(&ChatOptions::new()));
        });
    }
}
