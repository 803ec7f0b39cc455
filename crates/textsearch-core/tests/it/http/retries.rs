//! Retries and their pauses.

use std::time::{Duration, Instant};

use textsearch_core::{
    ErrorKind,
    http::{ErrorDetails, HttpRequest},
};

use super::{
    client, get, post,
    server::{Answer, Server},
    settings,
};

#[tokio::test]
async fn the_number_of_attempts_depends_on_the_status() {
    let cases = [
        (408, 3, "unavailable"),
        (429, 3, "rate_limited"),
        (502, 3, "unavailable"),
        (503, 3, "unavailable"),
        (504, 3, "unavailable"),
        (400, 1, "unexpected_status"),
        (401, 1, "authentication"),
        (402, 1, "quota_exceeded"),
        (403, 1, "authentication"),
        (404, 1, "unexpected_status"),
        (501, 1, "unexpected_status"),
    ];
    for (status, attempts, kind) in cases {
        for is_post in [false, true] {
            let server = Server::start([Answer::status(status)]).await;
            let request = if is_post { post(&server) } else { get(&server) };
            let error = client(settings()).send(request).await.unwrap_err();
            assert_eq!((server.count(), error.kind().name()), (attempts, kind), "{status}");
            assert!(error.message().contains(&format!("answered {status}")), "{error}");
            assert!(error.message().ends_with(": because"), "{error}");
        }
    }
}

#[tokio::test]
async fn a_500_is_retried_only_for_idempotent_requests() {
    let script = [Answer::status(500), Answer::json("{}")];
    let server = Server::start(script.clone()).await;
    assert_eq!(client(settings()).send(get(&server)).await.unwrap().body, "{}");

    let server = Server::start(script.clone()).await;
    let error = client(settings()).send(post(&server)).await.unwrap_err();
    assert_eq!((error.kind(), server.count()), (&ErrorKind::Unavailable, 1));

    let server = Server::start(script).await;
    let request = post(&server).with_idempotent(true);
    client(settings()).send(request).await.unwrap();
    let bodies = server.requests();
    assert!(bodies.iter().all(|request| request.ends_with("\r\n\r\n[\"rust\"]")), "{bodies:?}");
    assert_eq!(bodies.len(), 2);
}

#[tokio::test]
async fn the_last_error_is_the_one_that_is_returned() {
    let server = Server::start([502, 503, 429].map(Answer::status)).await;
    let error = client(settings()).send(get(&server)).await.unwrap_err();
    assert_eq!((error.kind(), server.count()), (&ErrorKind::RateLimited, 3));
}

#[tokio::test]
async fn a_wait_in_seconds_is_kept() {
    let busy = Answer::with_header(429, "Retry-After: 1", "");
    let server = Server::start([busy, Answer::json("{}")]).await;
    let start = Instant::now();
    client(settings()).send(get(&server)).await.unwrap();
    let waited = start.elapsed();
    assert!(waited >= Duration::from_secs(1) && waited < Duration::from_secs(20), "{waited:?}");
}

#[tokio::test]
async fn retry_after_dates_use_the_servers_clock() {
    let dates = "Date: Sun, 06 Nov 1994 08:49:36 GMT\r\nRetry-After: Sun, 06 Nov 1994 08:49:37 GMT";
    let server = Server::start([Answer::with_header(503, dates, ""), Answer::json("{}")]).await;
    let start = Instant::now();
    client(settings()).send(get(&server)).await.unwrap();
    assert!(start.elapsed() >= Duration::from_secs(1), "{:?}", start.elapsed());
}

#[tokio::test]
async fn a_wait_beyond_the_total_time_is_an_error() {
    let server = Server::start([Answer::with_header(429, "Retry-After: 90", "")]).await;
    let start = Instant::now();
    let error = client(settings()).send(get(&server)).await.unwrap_err();
    assert_eq!(error.retry_after(), Some(Duration::from_secs(90)));
    assert_eq!((error.kind(), server.count()), (&ErrorKind::RateLimited, 1));
    assert!(start.elapsed() < Duration::from_secs(20));
}

#[tokio::test]
async fn nothing_waits_after_the_last_attempt() {
    let server = Server::start([Answer::with_header(429, "Retry-After: 30", "")]).await;
    let start = Instant::now();
    let error = client(settings().with_max_attempts(1)).send(get(&server)).await.unwrap_err();
    assert_eq!((error.retry_after(), server.count()), (Some(Duration::from_secs(30)), 1));
    assert!(start.elapsed() < Duration::from_secs(20));
}

#[tokio::test]
async fn all_attempts_end_with_the_total_time() {
    let server = Server::start([Answer::Stall(Vec::new())]).await;
    let settings = settings().with_total_timeout(Duration::from_millis(300)).with_max_attempts(9);
    let start = Instant::now();
    let error = client(settings).send(get(&server)).await.unwrap_err();
    assert_eq!((error.kind(), server.count()), (&ErrorKind::Timeout, 1));
    assert!(error.message().starts_with("no complete answer from http://127.0.0.1:"), "{error}");
    assert!(start.elapsed() < Duration::from_secs(20));
}

#[tokio::test]
async fn a_refused_connection_is_tried_again_and_names_the_place() {
    let url = Server::nowhere().await;
    let request = HttpRequest::post(url.clone()).with_query("key", "1");
    let error = client(settings()).send(request).await.unwrap_err();
    assert_eq!(error.kind(), &ErrorKind::Unavailable);
    assert_eq!(error.message(), format!("cannot connect to {url}"));
    let causes = format!("{:?}", std::error::Error::source(&error).unwrap());
    assert!(causes.contains("ConnectionRefused"), "{causes}");
}

#[tokio::test]
async fn a_connector_decides_which_errors_are_retried() {
    let quota = Answer::typed(403, "application/json", r#"{"reason":"dailyLimitExceeded"}"#);
    let busy = Answer::typed(403, "application/json", r#"{"reason":"rateLimitExceeded"}"#);
    let server = Server::start([busy, quota]).await;
    let client = client(settings()).with_error_reader(|answer| {
        let body: serde_json::Value = answer.json()?;
        let reason = body["reason"].as_str()?;
        let kind = match reason {
            "rateLimitExceeded" => ErrorKind::RateLimited,
            _ => ErrorKind::QuotaExceeded,
        };
        let code = Some(reason.to_owned());
        Some(ErrorDetails { kind: Some(kind), code, ..ErrorDetails::default() })
    });
    let error = client.send(get(&server)).await.unwrap_err();
    assert_eq!((error.kind(), server.count()), (&ErrorKind::QuotaExceeded, 2));
    assert!(error.message().contains("(dailyLimitExceeded)"), "{error}");
}

#[tokio::test]
async fn invalid_requests_are_refused_before_sending() {
    let server = Server::start([Answer::json("{}")]).await;
    let request = get(&server).with_header("x-market", "en\nus");
    let error = client(settings()).send(request).await.unwrap_err();
    assert!(
        matches!(error.kind(), ErrorKind::InvalidOptions { option, .. } if option == "x-market")
    );
    assert_eq!(server.count(), 0);
}

#[tokio::test]
async fn requests_have_user_agent_and_accept_headers() {
    let server = Server::start([Answer::json("[1]")]).await;
    let mut settings = settings();
    settings.user_agent = "probe/7".to_owned();
    let client = client(settings);
    assert_eq!(client.send_json::<Vec<u8>>(get(&server)).await.unwrap().body, [1]);
    let request = server.requests().remove(0).to_ascii_lowercase();
    assert!(request.starts_with("get /search?q=rust http/1.1\r\n"), "{request}");
    for header in ["user-agent: probe/7", "accept: application/json", "accept-encoding: gzip"] {
        assert!(request.contains(header), "{request}");
    }
    assert!(!request.contains("cookie") && !request.contains("referer"), "{request}");
}
