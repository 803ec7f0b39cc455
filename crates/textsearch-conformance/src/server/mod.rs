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

use crate::{RecordedRequest, Response};

/// What the server does with one request.
pub(crate) enum Action {
    /// Answers and closes the connection.
    Answer(Response),
    /// Sends the bytes and resets the connection.
    Reset(Vec<u8>),
    /// Sends the bytes and then nothing, until the client goes away.
    Stall(Vec<u8>),
    /// Sends the head and then the piece so many times.
    Flood { head: Vec<u8>, piece: Vec<u8>, times: usize },
}

type Script = dyn Fn(&RecordedRequest, usize) -> Action + Send + Sync;

/// Stops when it is dropped.
pub(crate) struct Server {
    url: Url,
    seen: Arc<Seen>,
    task: JoinHandle<()>,
}

#[derive(Default)]
pub(super) struct Seen {
    requests: Mutex<Vec<RecordedRequest>>,
    bytes_sent: AtomicUsize,
    hung_up: AtomicUsize,
}

impl Server {
    /// Does what `script` says; it is told how many requests came before.
    pub(crate) async fn start(
        script: impl Fn(&RecordedRequest, usize) -> Action + Send + Sync + 'static,
    ) -> Self {
        let (listener, url) = listener().await;
        let seen = Arc::<Seen>::default();
        let task = tokio::spawn(serve(listener, Arc::new(script), Arc::clone(&seen)));
        Self { url, seen, task }
    }

    /// An address on which nothing listens.
    pub(crate) async fn nowhere() -> Url {
        listener().await.1
    }

    pub(crate) fn url(&self) -> Url {
        self.url.clone()
    }

    pub(crate) fn requests(&self) -> Vec<RecordedRequest> {
        self.seen.requests.lock().expect("no case panicked here").clone()
    }

    pub(crate) fn count(&self) -> usize {
        self.requests().len()
    }

    /// How much of floods has been sent.
    pub(crate) fn bytes_sent(&self) -> usize {
        self.seen.bytes_sent.load(Ordering::SeqCst)
    }

    /// Waits until so many clients have gone away before their answer was complete.
    pub(crate) async fn until_hung_up(&self, clients: usize) {
        while self.seen.hung_up.load(Ordering::SeqCst) < clients {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    }

    /// Waits until so many requests have come.
    pub(crate) async fn until_asked(&self, requests: usize) {
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
        connections.spawn(connection::converse(stream, Arc::clone(&script), Arc::clone(&seen)));
    }
}
