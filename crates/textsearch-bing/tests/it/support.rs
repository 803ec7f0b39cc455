use textsearch_bing::{BingConfig, BingNewsSearch, BingTextSearch, DateTime};
use textsearch_conformance::Replay;

pub(crate) const PAGES: &str = include_str!("../fixtures/web_pages.json");
pub(crate) const NEWS: &str = include_str!("../fixtures/news.json");

pub(crate) fn config() -> BingConfig {
    BingConfig::new("open-sesame").with_endpoint("https://bing.example/v7.0")
}

pub(crate) fn search(config: BingConfig, replay: &Replay) -> BingTextSearch {
    BingTextSearch::new(config).unwrap().with_http_client(replay.client("bing"))
}

pub(crate) fn news(config: BingConfig, replay: &Replay) -> BingNewsSearch {
    BingNewsSearch::new(config.for_news()).unwrap().with_http_client(replay.client("bing"))
}

pub(crate) fn refused(config: BingConfig) -> String {
    BingTextSearch::new(config).unwrap_err().to_string()
}

pub(crate) fn day(text: &str) -> DateTime {
    text.parse().unwrap()
}
