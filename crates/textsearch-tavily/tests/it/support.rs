//! A server on loopback that gives one answer after the other and keeps what it was asked.

use std::sync::{Arc, Mutex};

use serde_json::Value;
use textsearch_tavily::{
    TavilyConfig,
    http::{HttpSettings, Url},
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    task::JoinHandle,
};

/// An answer: its status, more header lines, and its body.
#[derive(Clone)]
pub(crate) struct Reply(pub(crate) u16, pub(crate) &'static str, pub(crate) String);

impl Reply {
    pub(crate) fn json(body: impl Into<String>) -> Self {
        Self(200, "", body.into())
    }
}

/// A request: its address, its head in small letters, and its body.
#[derive(Debug, Clone)]
pub(crate) struct Asked {
    pub(crate) url: Url,
    pub(crate) head: String,
    pub(crate) body: Value,
}

/// Stops when it is dropped.
pub(crate) struct Server {
    port: u16,
    asked: Arc<Mutex<Vec<Asked>>>,
    task: JoinHandle<()>,
}

impl Server {
    /// Gives the answers in order, and the last one again and again.
    pub(crate) async fn start(replies: impl IntoIterator<Item = Reply>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let (asked, replies) = (Arc::default(), replies.into_iter().collect::<Vec<_>>());
        let task = tokio::spawn(serve(listener, replies, Arc::clone(&asked)));
        Self { port, asked, task }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    pub(crate) fn asked(&self) -> Vec<Asked> {
        self.asked.lock().unwrap().clone()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn serve(listener: TcpListener, replies: Vec<Reply>, asked: Arc<Mutex<Vec<Asked>>>) {
    while let Ok((mut stream, _)) = listener.accept().await {
        let request = read(&mut stream).await;
        let number = {
            let mut asked = asked.lock().unwrap();
            asked.push(request);
            asked.len()
        };
        let Reply(status, headers, body) = replies.get(number - 1).or(replies.last()).unwrap();
        let head =
            format!("HTTP/1.1 {status} Reply\r\nContent-Type: application/json\r\n{headers}");
        let head = format!("{head}Content-Length: {}\r\nConnection: close\r\n\r\n", body.len());
        stream.write_all(format!("{head}{body}").as_bytes()).await.unwrap();
        stream.shutdown().await.unwrap();
    }
}

async fn read(stream: &mut TcpStream) -> Asked {
    let (mut bytes, mut buffer) = (Vec::new(), [0; 4096]);
    loop {
        let count = stream.read(&mut buffer).await.unwrap();
        bytes.extend_from_slice(&buffer[..count]);
        let text = String::from_utf8_lossy(&bytes);
        let Some((head, body)) = text.split_once("\r\n\r\n") else { continue };
        if body.len() >= length(head) {
            let target = head.split(' ').nth(1).unwrap();
            let url = Url::parse("http://localhost").unwrap().join(target).unwrap();
            let body = serde_json::from_str(body).unwrap_or_default();
            return Asked { url, head: head.to_lowercase(), body };
        }
    }
}

fn length(head: &str) -> usize {
    let head = head.to_lowercase();
    let value = head.lines().find_map(|line| line.strip_prefix("content-length:"));
    value.map_or(0, |value| value.trim().parse().unwrap())
}

/// The key of the tests.
pub(crate) const KEY: &str = "open-sesame-1";

/// Settings for the server, without pauses and without further attempts.
pub(crate) fn config(server: &Server) -> TavilyConfig {
    let http = HttpSettings::default().with_proxy(false).with_max_attempts(1);
    TavilyConfig::new(KEY).with_endpoint(server.url()).with_http_settings(http)
}

/// An answer with a page for each address.
pub(crate) fn found(urls: &[&str]) -> Reply {
    let results: Vec<Value> = urls.iter().map(|url| serde_json::json!({ "url": url })).collect();
    Reply::json(serde_json::json!({ "results": results }).to_string())
}
