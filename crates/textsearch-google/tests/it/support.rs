use textsearch_conformance::Replay;
use textsearch_google::{GoogleConfig, GoogleTextSearch};

pub(crate) const PAGES: &str = include_str!("../fixtures/web_pages.json");
pub(crate) const IMAGES: &str = include_str!("../fixtures/images.json");

pub(crate) fn config() -> GoogleConfig {
    GoogleConfig::new("open-sesame", "engine-1").with_endpoint("https://google.example/v1")
}

pub(crate) fn search(config: GoogleConfig, replay: &Replay) -> GoogleTextSearch {
    GoogleTextSearch::new(config).unwrap().with_http_client(replay.client("google"))
}

pub(crate) fn refused(config: GoogleConfig) -> String {
    GoogleTextSearch::new(config).unwrap_err().to_string()
}
