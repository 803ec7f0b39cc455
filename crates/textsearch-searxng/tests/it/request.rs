use proptest::prelude::*;
use textsearch_conformance::RecordedRequest;
use textsearch_core::{ErrorKind, Filter, SearchOptions, TextSearchConnector, serde_json::json};
use textsearch_searxng::{SafeSearch, SearxngConfig, TimeRange};

use crate::support::{config, instance_with, search};

async fn sent(config: SearxngConfig, query: &str, options: &SearchOptions) -> RecordedRequest {
    let instance = instance_with(json!([]));
    search(config, &instance).records(query, options).await.unwrap();
    instance.requests().remove(0)
}

async fn sent_parameters(config: SearxngConfig, query: &str, filter: Option<Filter>) -> String {
    let options = SearchOptions::top(3);
    let options = match filter {
        Some(filter) => options.with_filter(filter),
        None => options,
    };
    sent(config, query, &options).await.url.query().unwrap().to_owned()
}

#[tokio::test]
async fn a_plain_search_sends_only_required_parameters() {
    let parameters = sent_parameters(config(), "to be & not !wp", None).await;
    assert_eq!(parameters, "q=to+be+%26+not+%21wp&format=json&pageno=1");
}

#[tokio::test]
async fn every_setting_is_a_parameter() {
    let config = config()
        .with_engines(["brave", "wikipedia"])
        .with_categories(["general", "it"])
        .with_language("de-CH")
        .with_time_range(TimeRange::Month)
        .with_safe_search(SafeSearch::Strict);
    let expected = "q=rust&format=json&engines=brave%2Cwikipedia&categories=general%2Cit\
                    &language=de-CH&time_range=month&safesearch=2&pageno=1";
    assert_eq!(sent_parameters(config, "rust", None).await, expected);
}

#[tokio::test]
async fn a_filter_overrides_a_setting() {
    let config = config().with_engines(["brave"]).with_categories(["it"]).with_language("en");
    let filter = Filter::eq("category", "news").and(Filter::eq("language", "de"));
    let filter = filter.and(Filter::eq("safesearch", 1)).and(Filter::eq("time_range", "day"));
    let expected =
        "q=rust&format=json&categories=news&language=de&time_range=day&safesearch=1&pageno=1";
    assert_eq!(sent_parameters(config, "rust", Some(filter)).await, expected);
}

#[tokio::test]
async fn under_a_filter_the_query_is_plain_text() {
    let filter = Filter::eq("site", "docs.rs");
    let parameters = sent_parameters(config(), "!images :fr <9 rust !!g", Some(filter)).await;
    assert_eq!(parameters, "q=images+fr+9+rust+g+site%3Adocs.rs&format=json&pageno=1");
}

async fn plain_text(query: &str) -> String {
    let options = SearchOptions::top(3).with_filter(Filter::eq("language", "en"));
    sent(config(), query, &options).await.parameter("q").unwrap_or_default().to_owned()
}

#[tokio::test]
async fn plain_text_has_no_searxng_syntax() {
    let cases = [
        ("!images cats", "images cats"),
        ("!!g cats :fr <3 cats", "g cats fr 3 cats"),
        ("cats\u{1c}!wp\u{2003}:de", "cats wp de"),
        ("c++ a:b x!y 1<2", "c++ a:b x!y 1<2"),
    ];
    for (query, expected) in cases {
        assert_eq!(plain_text(query).await, expected, "{query:?}");
    }
}

proptest! {
    #[test]
    fn no_word_of_a_plain_text_is_an_operator(query in "x[!:<a-z \\x1c-\\x1f\\t\u{85}\u{a0}\u{2028}]{0,40}") {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let plain = runtime.block_on(plain_text(&query));
        let is_space = |letter: char| letter.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&letter);
        for word in plain.split(is_space) {
            prop_assert!(!word.starts_with(['!', ':', '<']), "{plain:?}");
        }
    }
}

#[tokio::test]
async fn post_sends_parameters_in_the_body() {
    let config = config().with_post(true).with_language("en");
    let asked = sent(config, "naïve & co", &SearchOptions::top(1)).await;
    assert_eq!(asked.method, "POST");
    assert_eq!(asked.url.as_str(), "http://search.example/search");
    assert_eq!(asked.headers["content-type"], "application/x-www-form-urlencoded");
    assert_eq!(&asked.body[..], b"q=na%C3%AFve+%26+co&format=json&language=en&pageno=1");
}

#[tokio::test]
async fn the_endpoint_may_have_a_path() {
    for (endpoint, url) in [
        ("http://search.example", "http://search.example/search"),
        ("https://search.example/searxng/", "https://search.example/searxng/search"),
        ("http://search.example/search/", "http://search.example/search"),
    ] {
        let mut sent = sent(SearxngConfig::new(endpoint), "x", &SearchOptions::top(1)).await;
        sent.url.set_query(None);
        assert_eq!(sent.url.as_str(), url);
    }
}

#[tokio::test]
async fn authorization_is_sent_as_a_header() {
    let asked = sent(config().with_authorization("Bearer x"), "x", &SearchOptions::top(1)).await;
    assert_eq!(asked.headers["authorization"], "Bearer x");
}

#[tokio::test]
async fn a_query_without_words_is_rejected_unsent() {
    let filtered = SearchOptions::top(3).with_fixed_filter(Filter::eq("site", "docs.rs"));
    for (query, options) in [(" ", SearchOptions::top(3)), ("!! :", filtered)] {
        let instance = instance_with(json!([]));
        let error = search(config(), &instance).records(query, &options).await.unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::InvalidOptions { .. }), "{error}");
        assert_eq!(instance.requests().len(), 0);
    }
}
