//! A scripted server on loopback.

mod connection;

pub(crate) use connection::has_panicked;

use std::{
    mem,
    net::SocketAddr,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use textsearch_core::http::Url;
use tokio::{
    net::{TcpListener, TcpSocket},
    task::{JoinHandle, JoinSet},
};

use crate::{Endpoint, RecordedRequest, Response, endpoint, response::in_order};

/// The action of a [`Server`] for one request.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Action {
    /// Answers and closes the connection.
    Answer(Response),
    /// Answers after the delay, unless the client has disconnected.
    AnswerAfter(Duration, Response),
    /// Sends the bytes and resets the connection.
    Reset(Vec<u8>),
    /// Sends the bytes and then nothing, until the client disconnects.
    Stall(Vec<u8>),
    /// Answers with the body this many times, without announcing its length.
    Flood(Response, usize),
}

type Script = dyn Fn(&RecordedRequest, usize) -> Action + Send + Sync;

/// A provider on loopback that follows a script and records requests. It stops when dropped.
///
/// Use it to test redirects, delays, and bodies that break off or never end. For requests and
/// responses alone, a [`Replay`](crate::Replay) is simpler.
///
/// ```
/// use textsearch_conformance::{Action, Response, Server, core::{ErrorKind, http::{HttpClient, HttpRequest}}};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> textsearch_conformance::core::Result<()> {
/// let half = Response::json("what there is").half();
/// let server = Server::start(move |request, before| match before {
///     0 => Action::Answer(Response::json(&request.parameter("q"))),
///     _ => Action::Reset(half.clone()),
/// })
/// .await;
///
/// let client = server.endpoint().http_client("acme");
/// let request = HttpRequest::get(server.url()).with_query("q", "rust");
/// assert_eq!(client.send_json::<String>(request.clone()).await?.body, "rust");
/// assert_eq!(client.send_json::<String>(request).await.unwrap_err().kind(), &ErrorKind::Unavailable);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Server {
    url: Url,
    seen: Arc<Seen>,
    task: JoinHandle<()>,
}

#[derive(Debug, Default)]
pub(super) struct Seen {
    requests: Mutex<Vec<RecordedRequest>>,
    bytes_sent: AtomicUsize,
    hung_up: AtomicUsize,
    now: AtomicUsize,
    max: AtomicUsize,
}

impl Server {
    /// Starts a server. Its `script` also gets the number of earlier requests.
    ///
    /// # Panics
    /// If loopback has no free port.
    pub async fn start(
        script: impl Fn(&RecordedRequest, usize) -> Action + Send + Sync + 'static,
    ) -> Self {
        let (listener, url) = listener().await;
        let seen = Arc::<Seen>::default();
        let task = tokio::spawn(serve(listener, Arc::new(script), Arc::clone(&seen)));
        Self { url, seen, task }
    }

    /// Returns the answers in order, then repeats the last one.
    ///
    /// # Panics
    /// If loopback has no free port.
    pub async fn of<A: Into<Response>>(answers: impl IntoIterator<Item = A>) -> Self {
        let answer = in_order(answers);
        Self::start(move |_, number| Action::Answer(answer(number))).await
    }

    /// Returns an address without a listener. No other program gets its port before the process ends.
    ///
    /// # Panics
    /// If loopback has no free port.
    pub async fn nowhere() -> Url {
        let socket = TcpSocket::new_v4().expect("a socket is made");
        socket.bind(([127, 0, 0, 1], 0).into()).expect("loopback has a free port");
        let url = url_of(socket.local_addr().expect("the socket has an address"));
        mem::forget(socket);
        url
    }

    /// Returns the server's root, such as `http://127.0.0.1:4711/`. It accepts any path.
    pub fn url(&self) -> Url {
        self.url.clone()
    }

    /// Returns the endpoint for a connector, with short pauses.
    pub fn endpoint(&self) -> Endpoint {
        Endpoint::new(self.url(), endpoint::patient())
    }

    /// Returns the requests so far.
    ///
    /// # Panics
    /// If the server has panicked.
    pub fn requests(&self) -> Vec<RecordedRequest> {
        self.seen.requests.lock().expect("no case panicked here").clone()
    }

    /// Returns the number of requests so far.
    pub fn count(&self) -> usize {
        self.requests().len()
    }

    /// Returns the number of bytes sent as floods.
    pub fn bytes_sent(&self) -> usize {
        self.seen.bytes_sent.load(Ordering::SeqCst)
    }

    /// Returns the largest number of concurrent requests.
    pub fn max_concurrent(&self) -> usize {
        self.seen.max.load(Ordering::SeqCst)
    }

    /// Waits until this many clients have disconnected before the end of their response.
    ///
    /// # Panics
    /// If that takes longer than 60 s.
    pub async fn wait_for_disconnects(&self, clients: usize) {
        let hung_up = || self.seen.hung_up.load(Ordering::SeqCst);
        wait_until("the clients disconnect", || hung_up() >= clients).await;
    }

    /// Aborts a call after its request, and checks that the request ends, with no other one.
    pub(crate) async fn assert_aborted(&self, call: impl Future<Output = ()> + Send + 'static) {
        let task = tokio::spawn(call);
        self.until_asked(1).await;
        assert!(!task.is_finished(), "half of an answer is taken for one");
        task.abort();
        self.assert_abandoned().await;
    }

    /// Checks that the only request has ended before its response, and stays the only one.
    pub(crate) async fn assert_abandoned(&self) {
        let hung_up = self.wait_for_disconnects(1);
        let hung_up = tokio::time::timeout(Duration::from_secs(5), hung_up).await;
        assert!(hung_up.is_ok(), "the connection stays open");
        tokio::time::sleep(Duration::from_millis(60)).await;
        assert_eq!(self.count(), 1, "it is tried again");
    }

    /// Waits until this many requests have arrived.
    ///
    /// # Panics
    /// If that takes longer than 60 s.
    pub async fn until_asked(&self, requests: usize) {
        wait_until("the requests arrive", || self.count() >= requests).await;
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Polls until `has_happened`. A paused clock doesn't shorten the limit.
///
/// # Panics
/// If that takes longer than 60 s.
pub(crate) async fn wait_until(event: &str, has_happened: impl Fn() -> bool) {
    let start = Instant::now();
    while !has_happened() {
        assert!(start.elapsed() < Duration::from_secs(60), "waited 60 s until {event}");
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
}

async fn listener() -> (TcpListener, Url) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("loopback has a free port");
    let url = url_of(listener.local_addr().expect("the listener has an address"));
    (listener, url)
}

fn url_of(address: SocketAddr) -> Url {
    Url::parse(&format!("http://{address}/")).expect("an address makes an URL")
}

async fn serve(listener: TcpListener, script: Arc<Script>, seen: Arc<Seen>) {
    // Ends all connections with the server.
    let mut connections = JoinSet::new();
    while let Ok((stream, _)) = listener.accept().await {
        connections.spawn(connection::serve_connection(
            stream,
            Arc::clone(&script),
            Arc::clone(&seen),
        ));
    }
}
