//! A loopback server that follows a script.

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use textsearch_core::http::Url;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpSocket, TcpStream},
    task::JoinHandle,
};

#[derive(Clone)]
pub(super) enum Answer {
    /// Then closes.
    Send(Vec<u8>),
    /// Then resets the connection.
    Reset(Vec<u8>),
    /// Then stalls forever.
    Stall(Vec<u8>),
    /// Then the second bytes so many times.
    Flood(Vec<u8>, Vec<u8>, usize),
}

impl Answer {
    pub(super) fn json(body: &str) -> Self {
        Self::typed(200, "application/json", body)
    }

    pub(super) fn status(status: u16) -> Self {
        Self::typed(status, "text/plain", "because")
    }

    pub(super) fn typed(status: u16, content_type: &str, body: &str) -> Self {
        Self::with_header(status, &format!("Content-Type: {content_type}"), body)
    }

    /// `header` may be several, separated by line breaks.
    pub(super) fn with_header(status: u16, header: &str, body: &str) -> Self {
        let length = body.len();
        let head = format!("HTTP/1.1 {status} Scripted\r\n{header}\r\nContent-Length: {length}");
        Self::Send(format!("{head}\r\nConnection: close\r\n\r\n{body}").into_bytes())
    }
}

pub(super) struct Server {
    port: u16,
    seen: Arc<Seen>,
    task: JoinHandle<()>,
}

#[derive(Default)]
struct Seen {
    requests: Mutex<Vec<String>>,
    bytes_sent: AtomicUsize,
    hung_up: AtomicUsize,
}

impl Server {
    /// Sends the script's responses in order and repeats the last one.
    pub(super) async fn start(script: impl IntoIterator<Item = Answer>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let seen = Arc::<Seen>::default();
        let script = script.into_iter().collect::<Vec<_>>();
        let task = tokio::spawn(serve(listener, script, Arc::clone(&seen)));
        Self { port, seen, task }
    }

    /// Returns an address without a listener. No other program gets its port before the process ends.
    pub(super) async fn nowhere() -> Url {
        let socket = TcpSocket::new_v4().unwrap();
        socket.bind("127.0.0.1:0".parse().unwrap()).unwrap();
        let port = socket.local_addr().unwrap().port();
        std::mem::forget(socket);
        Url::parse(&format!("http://127.0.0.1:{port}/search")).unwrap()
    }

    pub(super) fn port(&self) -> u16 {
        self.port
    }

    pub(super) fn url(&self, path: &str) -> Url {
        Url::parse(&format!("http://127.0.0.1:{}{path}", self.port)).unwrap()
    }

    pub(super) fn requests(&self) -> Vec<String> {
        self.seen.requests.lock().unwrap().clone()
    }

    pub(super) fn count(&self) -> usize {
        self.requests().len()
    }

    pub(super) fn bytes_sent(&self) -> usize {
        self.seen.bytes_sent.load(Ordering::SeqCst)
    }

    /// Waits until this many clients have disconnected before their response was complete.
    pub(super) async fn until_hung_up(&self, clients: usize) {
        let start = Instant::now();
        while self.seen.hung_up.load(Ordering::SeqCst) < clients {
            assert!(start.elapsed() < Duration::from_secs(30), "the clients stay connected");
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn serve(listener: TcpListener, script: Vec<Answer>, seen: Arc<Seen>) {
    let mut connections = tokio::task::JoinSet::new();
    while let Ok((stream, _)) = listener.accept().await {
        connections.spawn(converse(stream, script.clone(), Arc::clone(&seen)));
    }
}

async fn converse(mut stream: TcpStream, script: Vec<Answer>, seen: Arc<Seen>) {
    let Some(request) = read_request(&mut stream).await else { return };
    let number = {
        let mut requests = seen.requests.lock().unwrap();
        requests.push(request);
        requests.len()
    };
    let answer = script.get(number - 1).or(script.last()).expect("a script has an answer");
    let is_complete = play(&mut stream, answer, &seen).await.is_ok();
    if !is_complete {
        seen.hung_up.fetch_add(1, Ordering::SeqCst);
    }
}

async fn play(stream: &mut TcpStream, answer: &Answer, seen: &Seen) -> std::io::Result<()> {
    match answer {
        Answer::Send(bytes) => {
            stream.write_all(bytes).await?;
            stream.shutdown().await
        }
        Answer::Reset(bytes) => {
            stream.write_all(bytes).await?;
            // A reset discards bytes that the client hasn't read yet.
            tokio::time::sleep(Duration::from_millis(30)).await;
            stream.set_zero_linger()
        }
        Answer::Stall(bytes) => {
            stream.write_all(bytes).await?;
            match stream.read(&mut [0]).await {
                Ok(0) | Err(_) => Err(std::io::ErrorKind::ConnectionAborted.into()),
                Ok(_) => Ok(()),
            }
        }
        Answer::Flood(head, piece, times) => {
            stream.write_all(head).await?;
            for _ in 0..*times {
                stream.write_all(piece).await?;
                seen.bytes_sent.fetch_add(piece.len(), Ordering::SeqCst);
            }
            stream.shutdown().await
        }
    }
}

async fn read_request(stream: &mut TcpStream) -> Option<String> {
    let mut read = Vec::new();
    let mut buffer = [0; 4096];
    loop {
        let count = stream.read(&mut buffer).await.ok().filter(|count| *count > 0)?;
        read.extend_from_slice(&buffer[..count]);
        let text = String::from_utf8_lossy(&read);
        if let Some((head, body)) = text.split_once("\r\n\r\n")
            && body.len() >= content_length(head)
        {
            return Some(text.into_owned());
        }
    }
}

fn content_length(head: &str) -> usize {
    let lower = head.to_ascii_lowercase();
    let value = lower.lines().find_map(|line| line.strip_prefix("content-length:"));
    value.map_or(0, |value| value.trim().parse().unwrap())
}
