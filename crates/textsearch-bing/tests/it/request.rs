use textsearch_bing::{
    BingConfig, BingKeyHeader, BingNewsOrder, BingNewsSearch, BingTextFormat, BingTextSearch,
    SafeSearch, SearchOptions, TextSearchConnector, TimeRange,
};
use textsearch_conformance::Replay;

use crate::support::{NEWS, PAGES, config, day, news, refused, search};

#[tokio::test]
async fn settings_become_parameters_and_the_key_a_header() {
    let replay = Replay::of([(200, PAGES)]);
    let config = config()
        .with_country("CH", "de-CH, fr-CH")
        .with_safe_search(SafeSearch::Strict)
        .with_date_range(day("2025-07-01"), day("2025-07-31"))
        .with_response_filter("Webpages,RelatedSearches")
        .with_answer_count(2)
        .with_promote("Webpages")
        .with_text_decorations(true)
        .with_text_format(BingTextFormat::Html)
        .with_sort_by(BingNewsOrder::Date);
    let options = SearchOptions::top(3);
    search(config, &replay).records("a & b", &options).await.unwrap();
    let request = replay.requests().remove(0);
    let query = "q=a+%26+b&answerCount=2&cc=CH&freshness=2025-07-01..2025-07-31\
                 &promote=Webpages&responseFilter=Webpages%2CRelatedSearches&safeSearch=Strict\
                 &textDecorations=true&textFormat=HTML&count=3&offset=0";
    assert_eq!(request.url.as_str(), format!("https://bing.example/v7.0/search?{query}"));
    assert_eq!(request.headers["ocp-apim-subscription-key"], "open-sesame");
    assert_eq!(request.headers["accept-language"], "de-CH, fr-CH");
}

#[tokio::test]
async fn the_key_can_be_a_bearer_token() {
    let replay = Replay::of([(200, PAGES)]);
    let config = config().with_key_header(BingKeyHeader::Bearer);
    search(config, &replay).records("rust", &SearchOptions::top(1)).await.unwrap();
    let request = replay.requests().remove(0);
    assert_eq!(request.headers["authorization"], "Bearer open-sesame");
    assert!(!request.headers.contains_key("ocp-apim-subscription-key"));
}

#[tokio::test]
async fn news_have_a_separate_path() {
    let replay = Replay::of([(200, NEWS)]);
    let config = config()
        .with_sort_by(BingNewsOrder::Date)
        .with_since(day("2023-11-14T22:13:20.9Z"))
        .with_answer_count(2);
    news(config, &replay).records("rust", &SearchOptions::top(70)).await.unwrap();
    let url = replay.requests().remove(0).url;
    let query = "q=rust&since=1700000000&sortBy=Date&count=70&offset=0";
    assert_eq!(url.as_str(), format!("https://bing.example/v7.0/news/search?{query}"));
}

#[tokio::test]
async fn an_endpoint_may_be_the_full_search_url() {
    for (endpoint, expected) in [
        ("https://bing.example/v7.0/search", "https://bing.example/v7.0/search"),
        ("https://bing.example/v7.0/news/search", "https://bing.example/v7.0/search"),
        ("https://bing.example/", "https://bing.example/search"),
    ] {
        let replay = Replay::of([(200, PAGES)]);
        let search = search(BingConfig::new("key").with_endpoint(endpoint), &replay);
        search.records("rust", &SearchOptions::top(1)).await.unwrap();
        let url = replay.requests().remove(0).url;
        assert_eq!(url.as_str().split('?').next(), Some(expected));
    }
}

#[test]
fn an_invalid_setting_names_the_allowed_values() {
    let both = refused(config().with_market("en-US").with_country("US", "en"));
    assert_eq!(
        both,
        "bing: `cc` is set together with `mkt`; expected either a country or a market"
    );
    for (config, option) in [
        (config().with_market("english"), "`mkt`"),
        (config().with_language("e"), "`setLang`"),
        (config().with_date_range(day("2025-07-31"), day("2025-07-01")), "`freshness`"),
        (config().with_time_range(TimeRange::Year), "`freshness` is \"Year\""),
        (config().with_response_filter("News"), "`responseFilter`"),
        (config().with_answer_count(0), "`answerCount`"),
        (config().with_endpoint("ftp://bing.example"), "`endpoint`"),
        (config().with_endpoint("bing.example"), "`endpoint`"),
        (BingConfig::new(""), "`api_key`"),
    ] {
        let message = refused(config);
        assert!(message.contains(option), "{message}");
    }
}

#[test]
fn responses_always_include_web_pages() {
    for good in ["Webpages", "News, Webpages", "-Images,-Videos"] {
        BingTextSearch::new(config().with_response_filter(good)).unwrap();
    }
    for bad in ["", "News", "-Webpages", "Webpages,Nonsense", "Webpages,-Images"] {
        let message = refused(config().with_response_filter(bad));
        assert!(message.contains("`responseFilter`"), "{message}");
    }
}

#[test]
fn a_news_search_rejects_web_search_settings() {
    let config = config().with_date_range(day("2025-07-01"), day("2025-07-02"));
    let error = BingNewsSearch::new(config.for_news()).unwrap_err();
    assert!(error.to_string().contains("`freshness` is \"2025-07-01..2025-07-02\""), "{error}");
}

#[tokio::test]
async fn an_empty_query_is_rejected_unsent() {
    let replay = Replay::of([(200, PAGES)]);
    let search = search(config(), &replay);
    let error = search.records("  ", &SearchOptions::default()).await.unwrap_err();
    assert_eq!(error.to_string(), "bing: `query` is empty; expected at least one word");
    assert!(replay.requests().is_empty());
}
