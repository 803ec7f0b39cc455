//! Integration tests with real connections on loopback.
#![expect(
    clippy::unwrap_used,
    reason = "a panic in a test's helper is a failed test with a line number"
)]

mod addresses;
mod conformance;
mod content;
mod full_pages;
mod limits;
mod page_readers;
mod result_pages;
mod server;
mod spans;

use std::time::Duration;

use textsearch_core::http::HttpSettings;
use textsearch_web_page::{WebPageReader, WebPageSettings};

use server::Server;

fn settings(server: &Server) -> WebPageSettings {
    let http = HttpSettings::default()
        .with_backoff(Duration::from_millis(1), Duration::from_millis(2))
        .with_max_attempts(1);
    let settings = WebPageSettings::default().with_http_settings(http);
    settings.with_allowed_host(format!("127.0.0.1:{}", server.port())).unwrap()
}

fn reader(server: &Server) -> WebPageReader {
    WebPageReader::new(settings(server)).unwrap()
}
