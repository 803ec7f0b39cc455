//! Tests of loading without indexing.

use qdrant_client::qdrant::{
    CollectionConfig, CollectionInfo, CollectionStatus, OptimizerStatus, OptimizersConfigDiff,
};
use textsearch_qdrant::{Error, ErrorKind, QdrantStore, Result};
use tonic::Status;

use crate::recorder::Listening;

/// Returns a server whose collection has this threshold.
async fn server(threshold: u64) -> Listening {
    let server = Listening::start().await;
    let indexing_threshold = Some(threshold);
    let optimizers = OptimizersConfigDiff { indexing_threshold, ..Default::default() };
    let config = CollectionConfig { optimizer_config: Some(optimizers), ..Default::default() };
    server.log.lock().unwrap().info =
        CollectionInfo { config: Some(config), ..CollectionInfo::default() };
    server
}

fn store(server: &Listening) -> QdrantStore {
    QdrantStore::new(server.config()).unwrap()
}

fn thresholds(server: &Listening) -> Vec<Option<u64>> {
    server.log.lock().unwrap().thresholds.clone()
}

fn broken() -> Error {
    Error::new(ErrorKind::Backend, "file", "it ends in the middle")
}

#[tokio::test]
async fn indexing_is_off_during_a_load() {
    let server = server(7_000).await;
    let load = async { Ok(thresholds(&server)) };
    let during = store(&server).load_without_indexing("docs", load).await.unwrap();
    assert_eq!(during, [Some(0)]);
    assert_eq!(thresholds(&server), [Some(0), Some(7_000)]);
}

#[tokio::test]
async fn indexing_is_on_after_a_failed_load() {
    let server = server(7_000).await;
    let load = async { Err::<(), _>(broken()) };
    let error = store(&server).load_without_indexing("docs", load).await.unwrap_err();
    assert_eq!(error.message(), "it ends in the middle");
    assert_eq!(thresholds(&server), [Some(0), Some(7_000)]);
}

#[tokio::test]
async fn a_threshold_left_at_zero_becomes_the_default() {
    let server = server(0).await;
    store(&server).load_without_indexing("docs", async { Ok(()) }).await.unwrap();
    assert_eq!(thresholds(&server), [Some(0), Some(20_000)]);
}

#[tokio::test]
async fn a_load_ends_once_the_graphs_are_complete() {
    let server = server(7_000).await;
    let statuses = [CollectionStatus::Green, CollectionStatus::Grey, CollectionStatus::Yellow];
    server.log.lock().unwrap().statuses.extend(statuses);
    store(&server).load_without_indexing("docs", async { Ok(()) }).await.unwrap();
    // Four descriptions and two changes.
    assert!(server.log.lock().unwrap().statuses.is_empty());
    assert_eq!(server.log.lock().unwrap().requests, 6);
}

#[tokio::test]
async fn a_graph_that_cannot_be_built_is_an_error() {
    let server = server(7_000).await;
    let status = OptimizerStatus { ok: false, error: "disk full".to_owned() };
    server.log.lock().unwrap().info.optimizer_status = Some(status);
    let statuses = [CollectionStatus::Green, CollectionStatus::Red];
    server.log.lock().unwrap().statuses.extend(statuses);
    let loaded: Result<()> = store(&server).load_without_indexing("docs", async { Ok(()) }).await;
    assert_eq!(
        loaded.unwrap_err().message(),
        "the server couldn't index the collection `docs`: disk full; its records are stored, see its log"
    );
}

#[tokio::test]
async fn nothing_is_loaded_if_indexing_cannot_be_turned_off() {
    let server = server(7_000).await;
    server.fail([None, Some(Status::permission_denied("read only"))]);
    let mut is_loaded = false;
    let load = async {
        is_loaded = true;
        Ok(())
    };
    store(&server).load_without_indexing("docs", load).await.unwrap_err();
    assert!(!is_loaded);
}
