//! Qdrant's own engine behind its own gRPC interface, on loopback, for the integration tests.
//!
//! `qdrant-engine FOLDER [PORT]` keeps its collections in the folder and prints its address on the
//! first line. As on a server, a write is acknowledged once it is on disk. The engine itself
//! searches, filters, fuses and orders. Server features are missing: shards, replicas, keys, and
//! background optimizers. Without optimizers no graph is built, so every search is exact.

mod collections;
mod convert;
mod engine;
mod points;
mod query;
mod unsupported;

use std::{path::PathBuf, sync::Arc};

use qdrant_client::qdrant::{
    HealthCheckReply, HealthCheckRequest,
    collections_server::CollectionsServer,
    points_server::PointsServer,
    qdrant_server::{Qdrant, QdrantServer},
};
use tokio_stream::wrappers::TcpListenerStream;
use tonic::{Request, Response, Status, transport::Server};

use engine::Engine;

/// As on a server.
const LARGEST_MESSAGE: usize = 32 * 1024 * 1024;

struct Health;

#[tonic::async_trait]
impl Qdrant for Health {
    async fn health_check(
        &self,
        _: Request<HealthCheckRequest>,
    ) -> Result<Response<HealthCheckReply>, Status> {
        let title = "qdrant-edge behind the gRPC interface".to_owned();
        Ok(Response::new(HealthCheckReply { title, version: "0.7.2".to_owned(), commit: None }))
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let folder = arguments.next().ok_or("usage: qdrant-engine FOLDER [PORT]")?;
    let port: u16 = arguments.next().map_or(Ok(0), |port| port.parse())?;
    let engine = Arc::new(Engine::open(PathBuf::from(folder))?);
    let listener = tokio::net::TcpListener::bind(("127.0.0.1", port)).await?;
    println!("url=http://{}", listener.local_addr()?);
    let points = PointsServer::new(points::Service(Arc::clone(&engine)));
    Server::builder()
        .add_service(QdrantServer::new(Health))
        .add_service(CollectionsServer::new(collections::Service(engine)))
        .add_service(points.max_decoding_message_size(LARGEST_MESSAGE))
        .serve_with_incoming(TcpListenerStream::new(listener))
        .await?;
    Ok(())
}
