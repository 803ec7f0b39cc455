//! A server on loopback that gives one answer after the other and keeps what it was asked.

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use textsearch_brave::{
    BraveConfig,
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

/// A request: its address, and its head in small letters.
#[derive(Debug, Clone)]
pub(crate) struct Asked {
    pub(crate) url: Url,
    pub(crate) head: String,
}

impl Asked {
    /// The values of a parameter.
    pub(crate) fn all(&self, name: &str) -> Vec<String> {
        let pairs = self.url.query_pairs().filter(|(other, _)| other == name);
        pairs.map(|(_, value)| value.into_owned()).collect()
    }

    /// The value of a parameter; empty where it is missing.
    pub(crate) fn one(&self, name: &str) -> String {
        self.all(name).into_iter().next().unwrap_or_default()
    }
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
        if let Some((head, _)) = text.split_once("\r\n\r\n") {
            let target = head.split(' ').nth(1).unwrap();
            let url = Url::parse("http://localhost").unwrap().join(target).unwrap();
            return Asked { url, head: head.to_lowercase() };
        }
    }
}

/// The key of the tests.
pub(crate) const KEY: &str = "open-sesame-1";

/// Settings for the server, without pauses and without further attempts.
pub(crate) fn config(server: &Server) -> BraveConfig {
    let http = HttpSettings::default().with_proxy(false).with_max_attempts(1);
    BraveConfig::new(KEY).with_endpoint(server.url()).with_http_settings(http)
}

/// An answer with that many pages of the site, and whether there are more.
pub(crate) fn found(numbers: impl Iterator<Item = usize>, more: bool) -> Reply {
    let page = |number| json!({ "title": "T", "url": format!("https://docs.rs/{number}") });
    let results: Vec<Value> = numbers.map(page).collect();
    let query = json!({ "original": "q", "more_results_available": more });
    Reply::json(json!({ "query": query, "web": { "results": results } }).to_string())
}
