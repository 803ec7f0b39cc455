//! Broken, late, endless and misleading responses.

use std::{
    io::Write,
    time::{Duration, Instant},
};

use flate2::{Compress, Compression, FlushCompress, write::GzEncoder};
use serde_json::Value;
use textsearch_core::{
    ErrorKind,
    http::{HttpRequest, HttpSettings},
};

use super::{
    client, get, post,
    server::{Answer, Server},
    settings,
};

const HEAD: &[u8] =
    b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 20\r\n\r\n";

fn head_and(body: &str) -> Vec<u8> {
    [HEAD, body.as_bytes()].concat()
}

#[tokio::test]
async fn a_reset_in_the_body_is_retried_if_idempotent() {
    let script = [Answer::Reset(head_and("{\"a\":")), Answer::json("{\"a\": 1}")];
    let server = Server::start(script.clone()).await;
    let answer = client(settings()).send_json::<Value>(get(&server)).await.unwrap();
    assert_eq!((answer.body["a"].as_u64(), server.count()), (Some(1), 2));

    let server = Server::start(script).await;
    let error = client(settings()).send(post(&server)).await.unwrap_err();
    assert_eq!((error.kind(), server.count()), (&ErrorKind::Unavailable, 1));
    assert!(error.message().ends_with("/search broke off"), "{error}");
}

#[tokio::test]
async fn a_reset_before_headers_is_retried_if_idempotent() {
    let script = [Answer::Reset(Vec::new()), Answer::json("{}")];
    let server = Server::start(script.clone()).await;
    client(settings()).send(get(&server)).await.unwrap();
    assert_eq!(server.count(), 2);

    let server = Server::start(script).await;
    let error = client(settings()).send(post(&server)).await.unwrap_err();
    assert_eq!((error.kind(), server.count()), (&ErrorKind::Unavailable, 1));
}

#[tokio::test]
async fn a_stalled_body_ends_with_the_idle_time() {
    let server = Server::start([Answer::Stall(head_and("{"))]).await;
    let mut settings = settings().with_max_attempts(2);
    settings.idle_timeout = Duration::from_millis(500);
    let error = client(settings).send(get(&server)).await.unwrap_err();
    assert_eq!((error.kind(), server.count()), (&ErrorKind::Timeout, 2));
    assert!(error.message().ends_with("stood still for 500ms"), "{error}");
    server.until_hung_up(2).await;
}

#[tokio::test]
async fn slow_headers_end_with_the_time_of_an_attempt() {
    let server = Server::start([Answer::Stall(b"HTTP/1.1 200 OK\r\nX-A".to_vec())]).await;
    let mut settings = settings().with_max_attempts(2);
    settings.attempt_timeout = Duration::from_millis(500);
    let error = client(settings).send(get(&server)).await.unwrap_err();
    assert_eq!((error.kind(), server.count()), (&ErrorKind::Timeout, 2));
    assert!(error.message().starts_with("no complete answer from http://127.0.0.1:"), "{error}");
    server.until_hung_up(2).await;
}

#[tokio::test]
async fn truncated_json_is_asked_for_again() {
    let script = [Answer::json("{\"a\": [1, 2"), Answer::json("{\"a\": [1, 2]}")];
    let server = Server::start(script).await;
    let answer = client(settings()).send_json::<Value>(get(&server)).await.unwrap();
    assert_eq!((answer.body["a"][1].as_u64(), server.count()), (Some(2), 2));

    let server = Server::start([Answer::json("{\"a\": [1, 2")]).await;
    let error = client(settings()).send_json::<Value>(get(&server)).await.unwrap_err();
    assert_eq!((error.kind(), server.count()), (&ErrorKind::Undecodable, 3));
    assert!(error.message().contains("at line 1, column 11: EOF while parsing"), "{error}");
}

#[tokio::test]
async fn html_is_reported_whatever_its_status() {
    let page = "<html><body>Please log in</body></html>";
    let server = Server::start([Answer::typed(200, "text/html; charset=utf-8", page)]).await;
    let error = client(settings()).send_json::<Value>(get(&server)).await.unwrap_err();
    assert_eq!((error.kind(), server.count()), (&ErrorKind::Undecodable, 1));
    assert!(error.message().ends_with("with a page of HTML where JSON is expected"), "{error}");

    let server = Server::start([Answer::typed(404, "text/html", page)]).await;
    let error = client(settings()).send_json::<Value>(get(&server)).await.unwrap_err();
    let expected = ErrorKind::unexpected_status(404, None, page);
    assert_eq!(error.kind(), &expected);
}

#[tokio::test]
async fn an_unreadable_body_names_its_content_type() {
    let server = Server::start([Answer::typed(200, "text/csv", "a;b")]).await;
    let error = client(settings()).send_json::<Value>(get(&server)).await.unwrap_err();
    assert_eq!((error.kind(), server.count()), (&ErrorKind::Undecodable, 1));
    assert!(error.message().contains("(text/csv), at line 1, column 1: expected value"), "{error}");
}

#[tokio::test]
async fn a_body_declared_too_long_is_refused_unread() {
    let head = b"HTTP/1.1 200 OK\r\nContent-Length: 100000000\r\n\r\n".to_vec();
    let server = Server::start([Answer::Flood(head, vec![b'1'; 100_000], 1000)]).await;
    assert_too_long(&server).await;
}

#[tokio::test]
async fn a_body_without_length_is_read_to_the_limit() {
    let head = b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n".to_vec();
    let server = Server::start([Answer::Flood(head, vec![b'1'; 100_000], 1000)]).await;
    assert_too_long(&server).await;
}

#[tokio::test]
async fn a_gzip_bomb_is_unpacked_to_the_limit() {
    let gzip = b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nConnection: close\r\n\r\n";
    let header = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255];
    let head = [gzip.as_slice(), &header].concat();
    let server = Server::start([Answer::Flood(head, deflated_zeros(), 1000)]).await;
    assert_too_long(&server).await;
}

/// Returns 10 MB of zeros as a repeatable piece of a deflate stream.
fn deflated_zeros() -> Vec<u8> {
    let mut deflate = Compress::new(Compression::best(), false);
    let mut packed = Vec::with_capacity(100_000);
    deflate.compress_vec(&vec![0; 10_000_000], &mut packed, FlushCompress::Full).unwrap();
    assert_eq!(deflate.total_in(), 10_000_000);
    packed
}

async fn assert_too_long(server: &Server) {
    let start = Instant::now();
    let error = client(settings()).send(get(server)).await.unwrap_err();
    let took = start.elapsed();
    let limit = HttpSettings::default().max_body_bytes;
    assert_eq!((error.kind(), server.count()), (&ErrorKind::Undecodable, 1));
    assert!(error.message().ends_with("is longer than the limit of 4194304 bytes"), "{error}");
    assert!(took < Duration::from_secs(20), "{took:?}");
    server.until_hung_up(1).await;
    // The socket buffers hold what the server sent beyond the limit.
    assert!(server.bytes_sent() < limit + 16_000_000, "{}", server.bytes_sent());
}

#[tokio::test]
async fn a_compressed_body_is_read_and_counts_unpacked() {
    let mut gzip = GzEncoder::new(Vec::new(), Compression::best());
    write!(gzip, "\"{}\"", "x".repeat(9998)).unwrap();
    let packed = gzip.finish().unwrap();
    let head = format!(
        "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: {}\r\n\r\n",
        packed.len()
    );
    let server = Server::start([Answer::Send([head.into_bytes(), packed].concat())]).await;
    let fits = client(settings().with_max_body_bytes(10_000));
    assert_eq!(fits.send_json::<String>(get(&server)).await.unwrap().body.len(), 9998);
    let error = client(settings().with_max_body_bytes(9_999)).send(get(&server)).await.unwrap_err();
    assert!(error.message().ends_with("is longer than the limit of 9999 bytes"), "{error}");
}

#[tokio::test]
async fn the_body_of_an_error_is_read_in_part_only() {
    let head = b"HTTP/1.1 503 Busy\r\nRetry-After: 99\r\nConnection: close\r\n\r\n".to_vec();
    let server = Server::start([Answer::Flood(head, vec![b'1'; 100_000], 1000)]).await;
    let error = client(settings()).send(get(&server)).await.unwrap_err();
    assert_eq!(error.kind(), &ErrorKind::Unavailable);
    assert!(error.message().len() < 600, "{error}");
    server.until_hung_up(1).await;
}

#[tokio::test]
async fn dropping_a_request_ends_it() {
    let server = Server::start([Answer::json("{}"), Answer::Stall(HEAD.to_vec())]).await;
    let client = client(settings());
    client.send(get(&server)).await.unwrap();
    // Drop the request only after it has arrived.
    let arrival = async {
        while server.count() < 2 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::select! {
        _ = client.send(get(&server)) => panic!("the answer stands still"),
        () = arrival => {}
    }
    server.until_hung_up(1).await;
    tokio::time::sleep(Duration::from_millis(50)).await;
    assert_eq!(server.count(), 2);
}

#[tokio::test]
async fn dropping_a_streamed_body_closes_it() {
    let events = b"HTTP/1.1 200 OK\r\n\r\ndata: 1\n\n".to_vec();
    let server = Server::start([Answer::status(503), Answer::Stall(events)]).await;
    let mut settings = settings();
    settings.attempt_timeout = Duration::from_millis(500);
    settings.idle_timeout = Duration::from_millis(700);
    let client = client(settings);
    let mut answer = client.open(post(&server)).await.unwrap();
    assert_eq!(answer.body.chunk().await.unwrap().unwrap(), "data: 1\n\n");
    // The timeout of an attempt is over long before the idle timeout.
    let error = answer.body.chunk().await.unwrap_err();
    assert_eq!(error.kind(), &ErrorKind::Timeout);
    assert!(error.message().ends_with("stood still for 700ms"), "{error}");
    drop(answer);
    server.until_hung_up(1).await;
}

#[tokio::test]
async fn many_requests_at_once_share_one_client() {
    let server = Server::start([Answer::json("[1, 2]")]).await;
    let client = client(settings());
    let requests = (0..64).map(|_| client.send_json::<Vec<u8>>(get(&server)));
    let answers = futures_util::future::join_all(requests).await;
    assert!(answers.into_iter().all(|answer| answer.unwrap().body == [1, 2]));
    assert_eq!(server.count(), 64);
}

#[tokio::test]
async fn a_response_that_is_not_http_is_an_error() {
    let server = Server::start([Answer::Send(b"SSH-2.0-OpenSSH_9.6\r\n".to_vec())]).await;
    let url = server.url("/");
    let error = client(settings()).send(HttpRequest::get(url)).await.unwrap_err();
    assert_eq!(error.kind(), &ErrorKind::Unavailable);
}
