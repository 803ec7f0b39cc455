//! A server on loopback with a page for each path.

use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    task::{JoinHandle, JoinSet},
    time::sleep,
};

/// What the server does with a request for one path.
#[derive(Clone)]
pub(crate) struct Answer {
    head: String,
    body: Vec<u8>,
    delay: Duration,
    /// How often the body is sent.
    times: usize,
}

impl Answer {
    pub(crate) fn html(body: impl AsRef<[u8]>) -> Self {
        Self::typed("text/html; charset=utf-8", body)
    }

    pub(crate) fn typed(content_type: &str, body: impl AsRef<[u8]>) -> Self {
        Self::with_header(200, &format!("Content-Type: {content_type}"), body)
    }

    pub(crate) fn status(status: u16) -> Self {
        Self::with_header(status, "Content-Type: text/html", "<p>An error page</p>")
    }

    pub(crate) fn redirect(location: &str) -> Self {
        Self::with_header(302, &format!("Location: {location}"), "")
    }

    pub(crate) fn with_header(status: u16, header: &str, body: impl AsRef<[u8]>) -> Self {
        let head = format!("HTTP/1.1 {status} Scripted\r\n{header}\r\nConnection: close\r\n\r\n");
        Self { head, body: body.as_ref().to_vec(), delay: Duration::ZERO, times: 1 }
    }

    /// Sends nothing until some time is over.
    pub(crate) fn after(mut self, delay: Duration) -> Self {
        self.delay = delay;
        self
    }

    pub(crate) fn repeated(mut self, times: usize) -> Self {
        self.times = times;
        self
    }
}

/// Stops when it is dropped.
pub(crate) struct Server {
    port: u16,
    seen: Arc<Seen>,
    task: JoinHandle<()>,
}

#[derive(Default)]
struct Seen {
    requests: Mutex<Vec<String>>,
    bytes_sent: AtomicUsize,
    hung_up: AtomicUsize,
    now: AtomicUsize,
    most: AtomicUsize,
}

impl Server {
    pub(crate) async fn start<P: Into<String>>(
        pages: impl IntoIterator<Item = (P, Answer)>,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let seen = Arc::<Seen>::default();
        let pages = pages.into_iter().map(|(path, answer)| (path.into(), answer)).collect();
        let task = tokio::spawn(serve(listener, Arc::new(pages), Arc::clone(&seen)));
        Self { port, seen, task }
    }

    /// A server with one page.
    pub(crate) async fn with(answer: Answer) -> Self {
        Self::start([("/", answer)]).await
    }

    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port)
    }

    /// The requests so far, with their headers.
    pub(crate) fn requests(&self) -> Vec<String> {
        self.seen.requests.lock().unwrap().clone()
    }

    pub(crate) fn count(&self) -> usize {
        self.requests().len()
    }

    pub(crate) fn bytes_sent(&self) -> usize {
        self.seen.bytes_sent.load(Ordering::SeqCst)
    }

    /// How many requests were open at the same time at most.
    pub(crate) fn most_at_once(&self) -> usize {
        self.seen.most.load(Ordering::SeqCst)
    }

    /// Waits until so many requests have come.
    pub(crate) async fn until_count(&self, requests: usize) {
        while self.count() < requests {
            sleep(Duration::from_millis(2)).await;
        }
    }

    /// Waits until so many clients have gone away before their answer came.
    pub(crate) async fn until_hung_up(&self, clients: usize) {
        while self.seen.hung_up.load(Ordering::SeqCst) < clients {
            sleep(Duration::from_millis(2)).await;
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn serve(listener: TcpListener, pages: Arc<HashMap<String, Answer>>, seen: Arc<Seen>) {
    // Each connection has a task of its own, which ends with the set.
    let mut connections = JoinSet::new();
    while let Ok((stream, _)) = listener.accept().await {
        connections.spawn(converse(stream, Arc::clone(&pages), Arc::clone(&seen)));
    }
}

async fn converse(mut stream: TcpStream, pages: Arc<HashMap<String, Answer>>, seen: Arc<Seen>) {
    let Some(request) = read_request(&mut stream).await else { return };
    let path = request.split(' ').nth(1).unwrap_or_default().to_owned();
    seen.requests.lock().unwrap().push(request);
    let now = seen.now.fetch_add(1, Ordering::SeqCst) + 1;
    seen.most.fetch_max(now, Ordering::SeqCst);
    let missing = Answer::status(404);
    let answer = pages.get(&path).unwrap_or(&missing);
    let mut buffer = [0];
    let is_gone = tokio::select! {
        () = sleep(answer.delay) => false,
        _ = stream.read(&mut buffer) => true,
    };
    if is_gone || play(&mut stream, answer, &seen).await.is_err() {
        seen.hung_up.fetch_add(1, Ordering::SeqCst);
    }
    seen.now.fetch_sub(1, Ordering::SeqCst);
}

async fn play(stream: &mut TcpStream, answer: &Answer, seen: &Seen) -> std::io::Result<()> {
    stream.write_all(answer.head.as_bytes()).await?;
    for _ in 0..answer.times {
        stream.write_all(&answer.body).await?;
        seen.bytes_sent.fetch_add(answer.body.len(), Ordering::SeqCst);
    }
    stream.shutdown().await
}

async fn read_request(stream: &mut TcpStream) -> Option<String> {
    let (mut read, mut buffer) = (Vec::new(), [0; 4096]);
    loop {
        let count = stream.read(&mut buffer).await.ok().filter(|count| *count > 0)?;
        read.extend_from_slice(&buffer[..count]);
        if read.ends_with(b"\r\n\r\n") {
            return String::from_utf8(read).ok();
        }
    }
}
