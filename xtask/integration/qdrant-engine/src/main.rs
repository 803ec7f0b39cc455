//! Qdrant's own engine behind its own gRPC interface, on loopback, for the integration tests.
//!
//! `qdrant-engine FOLDER [PORT]` keeps its collections in the folder, and says on its first line where it listens. A write
//! is acknowledged when it is on disk, as a server's is. Searching, filtering, fusing and ordering are the engine's; what
//! is not here is what a server has around it: shards, replicas, background optimisers (so no graph is built, and every
//! search is exact), keys.

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

/// The largest message that a server takes.
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
