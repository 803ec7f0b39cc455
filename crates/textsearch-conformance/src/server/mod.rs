//! A server on loopback that does to each request what its script says, and records it.

mod connection;

pub(crate) use connection::has_panicked;

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use textsearch_core::http::Url;
use tokio::{
    net::TcpListener,
    task::{JoinHandle, JoinSet},
};

use crate::{Endpoint, RecordedRequest, Response, endpoint, response::in_order};

/// What a [`Server`] does with one request.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Action {
    /// Answers and closes the connection.
    Answer(Response),
    /// Answers when the time is over, unless the client has gone away.
    AnswerAfter(Duration, Response),
    /// Sends the bytes and resets the connection.
    Reset(Vec<u8>),
    /// Sends the bytes and then nothing, until the client goes away.
    Stall(Vec<u8>),
    /// Answers with the body so many times over, and does not say how long that is.
    Flood(Response, usize),
}

type Script = dyn Fn(&RecordedRequest, usize) -> Action + Send + Sync;

/// A provider on loopback that does to each request what its script says, and records it. It stops when it is dropped.
///
/// For tests of connections: redirects, pauses, bodies that break off or never end. Where requests and answers are all
/// that matters, a [`Replay`](crate::Replay) is simpler.
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
    most: AtomicUsize,
}

impl Server {
    /// Does what `script` says; it is told how many requests came before.
    ///
    /// # Panics
    /// Where loopback has no free port.
    pub async fn start(
        script: impl Fn(&RecordedRequest, usize) -> Action + Send + Sync + 'static,
    ) -> Self {
        let (listener, url) = listener().await;
        let seen = Arc::<Seen>::default();
        let task = tokio::spawn(serve(listener, Arc::new(script), Arc::clone(&seen)));
        Self { url, seen, task }
    }

    /// Gives the answers one after the other, and the last one again and again.
    ///
    /// # Panics
    /// Where loopback has no free port.
    pub async fn of<A: Into<Response>>(answers: impl IntoIterator<Item = A>) -> Self {
        let answer = in_order(answers);
        Self::start(move |_, number| Action::Answer(answer(number))).await
    }

    /// An address on which nothing listens.
    ///
    /// # Panics
    /// Where loopback has no free port.
    pub async fn nowhere() -> Url {
        listener().await.1
    }

    /// The root of the server, such as `http://127.0.0.1:4711/`; any path below it is served.
    pub fn url(&self) -> Url {
        self.url.clone()
    }

    /// The same for a connector, with settings whose pauses are short.
    pub fn endpoint(&self) -> Endpoint {
        Endpoint::new(self.url(), endpoint::patient())
    }

    /// The requests so far.
    ///
    /// # Panics
    /// Where the server has panicked.
    pub fn requests(&self) -> Vec<RecordedRequest> {
        self.seen.requests.lock().expect("no case panicked here").clone()
    }

    /// How many requests there were so far.
    pub fn count(&self) -> usize {
        self.requests().len()
    }

    /// How many bytes of floods have been sent.
    pub fn bytes_sent(&self) -> usize {
        self.seen.bytes_sent.load(Ordering::SeqCst)
    }

    /// How many requests were open at the same time at most.
    pub fn most_at_once(&self) -> usize {
        self.seen.most.load(Ordering::SeqCst)
    }

    /// Waits until so many clients have gone away before their answer was complete.
    pub async fn wait_for_disconnects(&self, clients: usize) {
        while self.seen.hung_up.load(Ordering::SeqCst) < clients {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    }

    /// Waits until so many requests have come.
    pub async fn until_asked(&self, requests: usize) {
        while self.count() < requests {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn listener() -> (TcpListener, Url) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("loopback has a free port");
    let address = listener.local_addr().expect("the listener has an address");
    let url = Url::parse(&format!("http://{address}/")).expect("an address makes an URL");
    (listener, url)
}

async fn serve(listener: TcpListener, script: Arc<Script>, seen: Arc<Seen>) {
    // Each connection has a task of its own, which ends with the set.
    let mut connections = JoinSet::new();
    while let Ok((stream, _)) = listener.accept().await {
        connections.spawn(connection::serve_connection(
            stream,
            Arc::clone(&script),
            Arc::clone(&seen),
        ));
    }
}
