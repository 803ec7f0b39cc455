//! Reads one request, records it and follows the script.

use std::{
    cell::Cell,
    io::{Error, ErrorKind},
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, atomic::Ordering},
    time::Duration,
};

use textsearch_core::http::{HeaderMap, HeaderName, HeaderValue, Method, Url};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

use super::{Action, Script, Seen};
use crate::RecordedRequest;

thread_local! {
    /// A case runs in one thread.
    static PANICKED: Cell<bool> = const { Cell::new(false) };
}

pub(crate) fn has_panicked() -> bool {
    PANICKED.take()
}

pub(super) async fn serve_connection(mut stream: TcpStream, script: Arc<Script>, seen: Arc<Seen>) {
    let Some(request) = read_request(&mut stream).await else { return };
    let before = {
        let mut requests = seen.requests.lock().expect("no case panicked here");
        requests.push(request.clone());
        requests.len() - 1
    };
    // A script may assert on the request. Its panic counts even if a case expects a broken
    // connection.
    let Ok(action) = catch_unwind(AssertUnwindSafe(|| script(&request, before))) else {
        PANICKED.set(true);
        return;
    };
    let now = seen.now.fetch_add(1, Ordering::SeqCst) + 1;
    seen.max.fetch_max(now, Ordering::SeqCst);
    if play(&mut stream, action, &seen).await.is_err() {
        seen.hung_up.fetch_add(1, Ordering::SeqCst);
    }
    seen.now.fetch_sub(1, Ordering::SeqCst);
}

async fn play(stream: &mut TcpStream, action: Action, seen: &Seen) -> Result<(), Error> {
    match action {
        Action::Answer(response) => {
            stream.write_all(&response.bytes()).await?;
            stream.shutdown().await
        }
        Action::AnswerAfter(pause, response) => {
            let is_gone = tokio::time::timeout(pause, stream.read(&mut [0])).await.is_ok();
            if is_gone {
                return Err(ErrorKind::ConnectionAborted.into());
            }
            stream.write_all(&response.bytes()).await?;
            stream.shutdown().await
        }
        Action::Reset(bytes) => {
            stream.write_all(&bytes).await?;
            // Give the client time to read: a reset discards unread bytes.
            tokio::time::sleep(Duration::from_millis(30)).await;
            stream.set_zero_linger()
        }
        Action::Stall(bytes) => {
            stream.write_all(&bytes).await?;
            match stream.read(&mut [0]).await {
                Ok(0) | Err(_) => Err(ErrorKind::ConnectionAborted.into()),
                Ok(_) => Ok(()),
            }
        }
        Action::Flood(response, times) => {
            stream.write_all(&response.endless_head()).await?;
            for _ in 0..times {
                stream.write_all(&response.body).await?;
                seen.bytes_sent.fetch_add(response.body.len(), Ordering::SeqCst);
            }
            stream.shutdown().await
        }
    }
}

async fn read_request(stream: &mut TcpStream) -> Option<RecordedRequest> {
    let mut read = Vec::new();
    let mut buffer = [0; 4096];
    loop {
        let count = stream.read(&mut buffer).await.ok().filter(|count| *count > 0)?;
        read.extend(buffer.iter().take(count));
        let Some(end) = read.windows(4).position(|bytes| bytes == b"\r\n\r\n") else { continue };
        let head = read.get(..end)?;
        let body = read.get(end + 4..)?;
        let (method, target, headers) = parsed(&String::from_utf8_lossy(head))?;
        if body.len() >= length(&headers) {
            let host = headers.get("host").and_then(|host| host.to_str().ok());
            let url = format!("http://{}{target}", host.unwrap_or("localhost"));
            return Some(RecordedRequest::new(
                method,
                Url::parse(&url).ok()?,
                headers,
                body.to_vec(),
            ));
        }
    }
}

fn parsed(head: &str) -> Option<(Method, String, HeaderMap)> {
    let (line, rest) = head.split_once("\r\n").unwrap_or((head, ""));
    let mut words = line.split(' ');
    let method = words.next()?.parse().ok()?;
    let target = words.next()?.to_owned();
    let headers = rest.lines().filter_map(|line| line.split_once(':'));
    let headers = headers.filter_map(|(name, value)| {
        let name: HeaderName = name.parse().ok()?;
        Some((name, HeaderValue::from_str(value.trim()).ok()?))
    });
    Some((method, target, headers.collect()))
}

fn length(headers: &HeaderMap) -> usize {
    let value = headers.get("content-length").and_then(|value| value.to_str().ok());
    value.and_then(|value| value.parse().ok()).unwrap_or(0)
}
