//! Errors in responses with status 200, as MediaWiki sends them.

use std::time::{Duration, Instant};

use serde_json::Value;
use textsearch_core::{
    ErrorKind,
    http::{ErrorAnswer, ErrorDetails, HttpClient, Secret},
};

use super::{
    client, get, post,
    server::{Answer, Server},
    settings,
};

fn read(answer: &ErrorAnswer<'_>) -> Option<ErrorDetails> {
    let body: Value = answer.json()?;
    let code = body.pointer("/error/code")?.as_str()?;
    let info = body.pointer("/error/info")?;
    let kind = match code {
        "ratelimited" => Some(ErrorKind::RateLimited),
        "readonly" => Some(ErrorKind::Unavailable),
        "slow" => Some(ErrorKind::Timeout),
        "badtoken" => Some(ErrorKind::Authentication),
        _ => None,
    };
    let code = Some(code.to_owned());
    let message = Some(info.as_str()?.to_owned());
    Some(ErrorDetails { kind, code, message, ..ErrorDetails::default() })
}

fn wiki() -> HttpClient {
    client(settings()).with_success_error_reader(read)
}

fn fault(code: &str, info: &str) -> Answer {
    let body = format!(r#"{{"error":{{"code":"{code}","info":"{info}"}}}}"#);
    Answer::with_header(200, &format!("MediaWiki-API-Error: {code}"), &body)
}

#[tokio::test]
async fn kind_and_retries_follow_the_reader() {
    let cases = [
        ("ratelimited", false, 3, "rate_limited"),
        ("ratelimited", true, 3, "rate_limited"),
        ("readonly", false, 3, "unavailable"),
        ("readonly", true, 1, "unavailable"),
        ("slow", false, 3, "timeout"),
        ("slow", true, 1, "timeout"),
        ("badtoken", false, 1, "authentication"),
        ("badvalue", false, 1, "unexpected_status"),
    ];
    for (code, is_post, attempts, kind) in cases {
        let server = Server::start([fault(code, "no")]).await;
        let request = if is_post { post(&server) } else { get(&server) };
        let error = wiki().send_json::<Value>(request).await.unwrap_err();
        assert_eq!((server.count(), error.kind().name()), (attempts, kind), "{code}");
        let expected = format!("/search answered 200 OK ({code}): no");
        assert!(error.message().ends_with(&expected), "{error}");
    }
}

#[tokio::test]
async fn an_error_gives_way_to_results_on_retry() {
    let server = Server::start([fault("ratelimited", "slow down"), Answer::json("[1]")]).await;
    let answer = wiki().send_json::<Value>(get(&server)).await.unwrap();
    assert_eq!((answer.body[0].as_u64(), server.count()), (Some(1), 2));
}

#[tokio::test]
async fn only_a_body_of_64_kib_can_be_an_error() {
    let fault = |length: usize| {
        let body = r#"{"error":{"code":"badtoken","info":"no"}}"#;
        Server::start([Answer::json(&(body.to_owned() + &" ".repeat(length - body.len())))])
    };
    let server = fault(64 * 1024).await;
    let error = wiki().send_json::<Value>(get(&server)).await.unwrap_err();
    assert_eq!(error.kind(), &ErrorKind::Authentication);
    let server = fault(64 * 1024 + 1).await;
    let answer = wiki().send_json::<Value>(get(&server)).await.unwrap();
    assert_eq!(answer.body["error"]["info"], "no");
}

#[tokio::test]
async fn retry_after_is_kept() {
    let header = "Retry-After: 1";
    let busy = r#"{"error":{"code":"ratelimited","info":""}}"#;
    let script = [Answer::with_header(200, header, busy), Answer::json("{}")];
    let server = Server::start(script).await;
    let start = Instant::now();
    wiki().send(get(&server)).await.unwrap();
    assert!(start.elapsed() >= Duration::from_secs(1), "{:?}", start.elapsed());
}

#[tokio::test]
async fn code_message_and_excerpt_lose_the_key() {
    let server = Server::start([fault("bad-sesame", "sesame is no key")]).await;
    let request = get(&server).with_secret_query("key", &Secret::from("sesame"));
    let error = wiki().send(request).await.unwrap_err();
    assert!(error.message().ends_with("answered 200 OK (bad-***): *** is no key"), "{error}");
    let ErrorKind::UnexpectedStatus { status, code, excerpt, .. } = error.kind() else {
        panic!("{error:?}")
    };
    assert_eq!((*status, code.as_deref()), (200, Some("bad-***")));
    assert!(excerpt.contains("*** is no key") && !format!("{error:?}").contains("sesame"));
}

#[tokio::test]
async fn error_statuses_keep_their_own_reader() {
    let server = Server::start([Answer::status(401)]).await;
    let error = wiki().send(get(&server)).await.unwrap_err();
    assert_eq!(error.kind(), &ErrorKind::Authentication);
    assert!(error.message().ends_with(": because"), "{error}");
}
