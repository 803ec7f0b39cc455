//! The end of a server.

use std::{sync::Arc, time::Duration};

use serde_json::{Value, json};
use textsearch_server::{SearchSource, Server, ServerConfig, Services};
use tokio::{
    net::TcpListener,
    sync::{Notify, oneshot},
};

use crate::support::{Endless, Slow, client};

struct Running {
    stop: oneshot::Sender<()>,
    serving: tokio::task::JoinHandle<()>,
    url: String,
}

async fn serve(source: SearchSource, config: ServerConfig) -> Running {
    let server = Server::new(Services::new().with_source(source), config).unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/v1/search", listener.local_addr().unwrap());
    let (stop, stopped) = oneshot::channel::<()>();
    let shutdown = async { drop(stopped.await) };
    let serving = tokio::spawn(async move { server.serve(listener, shutdown).await });
    Running { stop, serving, url }
}

#[tokio::test]
async fn running_requests_finish() {
    let started = Arc::new(Notify::new());
    let slow = Slow(Duration::from_millis(200), Arc::clone(&started));
    let running = serve(SearchSource::new("docs", slow), ServerConfig::new()).await;
    let request = client().post(&running.url).json(&json!({ "query": "late" })).send();
    let request = tokio::spawn(request);
    started.notified().await;
    running.stop.send(()).unwrap();
    let response = request.await.unwrap().unwrap();
    let answer: Value = response.json().await.unwrap();
    assert_eq!(answer["results"][0]["Value"], "late");
    running.serving.await.unwrap();
}

#[tokio::test]
async fn the_shutdown_waits_only_so_long() {
    let endless = Endless::default();
    let mut config = ServerConfig::new();
    config.shutdown_timeout = Duration::from_millis(50);
    let running = serve(SearchSource::new("docs", endless.clone()), config).await;
    let request = client().post(&running.url).json(&json!({ "query": "x" })).send();
    let _request = tokio::spawn(request);
    endless.started.notified().await;
    running.stop.send(()).unwrap();
    running.serving.await.unwrap();
}
