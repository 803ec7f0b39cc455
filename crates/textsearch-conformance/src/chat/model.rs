//! The server of the scripted model.

use std::{
    convert::Infallible,
    future::poll_fn,
    net::SocketAddr,
    sync::{Arc, atomic::Ordering},
};

use hyper::{Request, body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::TokioIo;
use tokio::{
    net::{TcpListener, TcpStream},
    task::{JoinHandle, JoinSet},
};

use super::{
    ModelRequest, ModelScript, Violation, service,
    shared::{Shared, locked},
};
use crate::server::wait_until;

/// A model on loopback that follows its script. It stops when dropped. See the [module](super) for
/// an example.
#[derive(Debug)]
pub struct ScriptedModel {
    address: SocketAddr,
    shared: Arc<Shared>,
    task: JoinHandle<()>,
}

impl ScriptedModel {
    /// Starts a model on a free port. It needs a `tokio` runtime with I/O and time.
    ///
    /// # Panics
    /// If loopback has no free port.
    pub async fn start(script: impl Into<ModelScript>) -> Self {
        Self::start_on(0, script).await.expect("loopback has a free port")
    }

    /// Starts a model on the given port.
    ///
    /// # Errors
    /// If the port is taken.
    pub async fn start_on(port: u16, script: impl Into<ModelScript>) -> std::io::Result<Self> {
        let script = script.into();
        let listener = TcpListener::bind(("127.0.0.1", port)).await?;
        let address = listener.local_addr()?;
        let shared = Arc::new(Shared::new(script));
        let task = tokio::spawn(serve(listener, Arc::clone(&shared)));
        Ok(Self { address, shared, task })
    }

    /// Returns the base URL for a client of OpenAI, such as `http://127.0.0.1:40123/v1`.
    pub fn base_url(&self) -> String {
        format!("{}/v1", self.endpoint())
    }

    /// Returns the endpoint for a client of Azure, such as `http://127.0.0.1:40123`.
    pub fn endpoint(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Returns the requests so far, oldest first.
    pub fn requests(&self) -> Vec<ModelRequest> {
        locked(&self.shared.requests).clone()
    }

    /// Returns the violations so far, which OpenAI would reject.
    pub fn violations(&self) -> Vec<Violation> {
        locked(&self.shared.violations).clone()
    }

    /// Checks that all requests so far were valid.
    ///
    /// # Panics
    /// If a request was invalid. The message lists all violations.
    pub fn assert_valid(&self) {
        let violations: Vec<String> = self.violations().iter().map(ToString::to_string).collect();
        assert!(violations.is_empty(), "the API would refuse:\n{}", violations.join("\n"));
    }

    /// Returns the number of clients that disconnected before their response was complete.
    pub fn hung_up(&self) -> usize {
        self.shared.hung_up.load(Ordering::SeqCst)
    }

    /// Waits until this many clients have disconnected before their response was complete.
    ///
    /// # Panics
    /// If that takes longer than 60 s.
    pub async fn wait_for_disconnects(&self, clients: usize) {
        wait_until("the clients disconnect", || self.hung_up() >= clients).await;
    }
}

impl Drop for ScriptedModel {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn serve(listener: TcpListener, shared: Arc<Shared>) {
    // Ends all connections with the server.
    let mut connections = JoinSet::new();
    let mut number = 0;
    while let Ok((stream, _)) = listener.accept().await {
        connections.spawn(serve_connection(stream, number, Arc::clone(&shared)));
        number += 1;
        while connections.try_join_next().is_some() {}
    }
}

async fn serve_connection(stream: TcpStream, number: usize, shared: Arc<Shared>) {
    let _ = stream.set_nodelay(true);
    let service = service_fn(move |request: Request<Incoming>| {
        let shared = Arc::clone(&shared);
        Box::pin(
            async move { Ok::<_, Infallible>(service::answer(request, number, &shared).await) },
        )
    });
    let mut connection = http1::Builder::new().serve_connection(TokioIo::new(stream), service);
    let ended = poll_fn(|context| connection.poll_without_shutdown(context)).await;
    let stream = connection.into_parts().io.into_inner();
    if ended.is_err() {
        // The body failed on purpose: reset the connection instead of ending it in order.
        let _ = stream.set_zero_linger();
    }
}
