//! The HTTP policy over real connections on loopback.

mod faults;
mod redirects;
mod retries;
mod secrecy;
mod server;
mod success_errors;
mod untrusted;

use std::time::Duration;

use textsearch_core::http::{HttpClient, HttpRequest, HttpSettings};

use server::Server;

fn settings() -> HttpSettings {
    HttpSettings::default().with_backoff(Duration::from_millis(1), Duration::from_millis(2))
}

fn client(settings: HttpSettings) -> HttpClient {
    HttpClient::new("probe", settings.with_proxy(false)).unwrap()
}

fn get(server: &Server) -> HttpRequest {
    HttpRequest::get(server.url("/search?q=rust"))
}

fn post(server: &Server) -> HttpRequest {
    HttpRequest::post(server.url("/search?q=rust")).with_json(&["rust"])
}

#[tokio::test]
async fn the_transport_is_created_by_the_first_request() {
    let server = Server::start([server::Answer::json("{}")]).await;
    let client = client(settings());
    assert!(!format!("{client:?}").contains("ReqwestTransport"));
    client.send(get(&server)).await.unwrap();
    assert!(format!("{client:?}").contains("ReqwestTransport"));
}

#[tokio::test]
async fn an_application_installs_its_own_tls_provider_after_a_request() {
    let server = Server::start([server::Answer::json("{}")]).await;
    client(settings()).send(get(&server)).await.unwrap();
    rustls::crypto::ring::default_provider().install_default().unwrap();
}
