//! The connections of a server.

use std::{pin::pin, time::Duration};

use axum::{Router, serve::Listener};
use hyper::server::conn::http1;
use hyper_util::{
    rt::{TokioIo, TokioTimer},
    server::graceful::GracefulShutdown,
    service::TowerToHyperService,
};
use tokio::{net::TcpListener, time};

use super::patient::Patient;

/// For the head of a request, from the connection or the previous response on. So it also ends idle
/// connections.
const HEAD_TIMEOUT: Duration = Duration::from_secs(30);

/// For a client that takes no more bytes of a response.
const WRITE_TIMEOUT: Duration = Duration::from_secs(30);

/// The memory for the head of a request: 64 KiB.
const MAX_HEAD_BYTES: usize = 64 << 10;

/// Serves `listener` until `shutdown` ends. Then finishes running requests, for at most `patience`.
///
/// A connection ends if its client sends no complete head of a request for 30 s, or takes no byte
/// of a response for 30 s.
pub async fn serve(
    mut listener: TcpListener,
    router: Router,
    shutdown: impl Future<Output = ()>,
    patience: Duration,
) {
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(HEAD_TIMEOUT).max_buf_size(MAX_HEAD_BYTES);
    let connections = GracefulShutdown::new();
    let mut shutdown = pin!(shutdown);
    loop {
        // Waits out errors, such as too many open files.
        let accepted = Listener::accept(&mut listener);
        let (stream, _) = tokio::select! {
            accepted = accepted => accepted,
            () = &mut shutdown => break,
        };
        // Or events would wait for the client's acknowledgement of the event before.
        let _best_effort = stream.set_nodelay(true);
        let stream = TokioIo::new(Patient::new(stream, WRITE_TIMEOUT));
        let service = TowerToHyperService::new(router.clone());
        let connection = connections.watch(http.serve_connection(stream, service));
        tokio::spawn(async move {
            if let Err(error) = connection.await {
                tracing::debug!(error = &error as &dyn std::error::Error, "a connection ended");
            }
        });
    }
    drop(listener);
    if time::timeout(patience, connections.shutdown()).await.is_err() {
        tracing::warn!("requests were still running at the end of the shutdown");
    }
}
