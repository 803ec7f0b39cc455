use serde_json::{Value, json};
use textsearch_conformance::{RecordedRequest, Server};
use textsearch_tavily::{
    ErrorKind, Filter, SafeSearch, SearchOptions, TAVILY_API_KEY, TavilyAnswer, TavilyConfig,
    TavilyRawContent, TavilySearchDepth, TavilyTextSearch, TavilyTopic, TextSearchConnector,
    TimeRange,
};

use crate::support::{KEY, answer, config, day};

async fn asked(
    change: impl FnOnce(TavilyConfig) -> TavilyConfig,
    query: &str,
    options: SearchOptions,
) -> RecordedRequest {
    let server = Server::of([answer(&[])]).await;
    let search = TavilyTextSearch::new(change(config(&server))).unwrap();
    search.records(query, &options).await.unwrap();
    server.requests().remove(0)
}

async fn body(change: impl FnOnce(TavilyConfig) -> TavilyConfig) -> Value {
    asked(change, "rust", SearchOptions::top(3)).await.json()
}

fn refusal(config: TavilyConfig) -> String {
    let error = TavilyTextSearch::new(config).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::InvalidOptions { .. }), "{error:?}");
    error.to_string()
}

#[tokio::test]
async fn a_plain_search_requests_skipped_results_too() {
    let options = SearchOptions::top(3).with_skip(4);
    let request = asked(|config| config, r#"rust & "traits""#, options).await;
    assert_eq!(request.url.path(), "/search");
    assert_eq!(request.method, "POST");
    assert_eq!(request.json(), json!({ "query": "rust & \"traits\"", "max_results": 7 }));
}

#[tokio::test]
async fn the_key_is_sent_only_as_a_bearer_token() {
    let request = asked(|config| config, "rust", SearchOptions::top(1)).await;
    assert_eq!(request.header("authorization"), Some(format!("Bearer {KEY}").as_str()));
    assert_eq!(format!("{:?} {}", request.headers, request.url).matches(KEY).count(), 1);
    assert!(!request.json().to_string().contains(KEY));
}

#[tokio::test]
async fn each_setting_becomes_a_parameter() {
    let change = |config: TavilyConfig| {
        config
            .with_topic(TavilyTopic::General)
            .with_search_depth(TavilySearchDepth::Advanced)
            .with_chunks_per_source(2)
            .with_start_date(day("2025-01-01"))
            .with_end_date(day("2025-03-31"))
            .with_answer(TavilyAnswer::Advanced)
            .with_raw_content(TavilyRawContent::Markdown)
            .with_images(true)
            .with_image_descriptions(true)
            .with_favicons(true)
            .with_usage(true)
            .with_include_domains(["docs.rs", "Crates.io"])
            .with_exclude_domains(["example.com"])
            .with_country("south korea")
            .with_auto_parameters(true)
            .with_exact_match(true)
            .with_safe_search(SafeSearch::Strict)
    };
    let expected = json!({
        "query": "rust",
        "max_results": 3,
        "topic": "general",
        "search_depth": "advanced",
        "chunks_per_source": 2,
        "start_date": "2025-01-01",
        "end_date": "2025-03-31",
        "include_answer": "advanced",
        "include_raw_content": "markdown",
        "include_images": true,
        "include_image_descriptions": true,
        "include_favicon": true,
        "include_usage": true,
        "include_domains": ["docs.rs", "crates.io"],
        "exclude_domains": ["example.com"],
        "country": "south korea",
        "auto_parameters": true,
        "exact_match": true,
        "safe_search": true
    });
    assert_eq!(body(change).await, expected);
    let news = |config: TavilyConfig| {
        config.with_topic(TavilyTopic::News).with_days(7).with_time_range(TimeRange::Month)
    };
    let expected = json!({
        "query": "rust", "max_results": 3, "topic": "news", "days": 7, "time_range": "month"
    });
    assert_eq!(body(news).await, expected);
}

#[tokio::test]
async fn a_filter_on_topic_drops_settings_of_other_topics() {
    let options = SearchOptions::top(1).with_filter(Filter::eq("topic", "finance"));
    let change = |config: TavilyConfig| config.with_topic(TavilyTopic::News).with_days(7);
    let body = asked(change, "rust", options).await.json();
    assert_eq!(body, json!({ "query": "rust", "max_results": 1, "topic": "finance" }));
}

#[test]
fn an_invalid_setting_names_the_allowed_values() {
    let new = || TavilyConfig::new("key");
    let many = |count: usize| (0..count).map(|number| format!("{number}.example.com"));
    let cases = [
        (
            new().with_chunks_per_source(2),
            "`chunks_per_source` is set with the search_depth `basic`",
        ),
        (
            new().with_search_depth(TavilySearchDepth::Advanced).with_chunks_per_source(4),
            "expected 1 to 3",
        ),
        (
            new().with_start_date(day("2025-03-31T12:00:00Z")),
            "`start_date` is `2025-03-31T12:00:00Z`; expected a day",
        ),
        (
            new().with_start_date(day("2025-04-01")).with_end_date(day("2025-03-31")),
            "no later than the end, `2025-03-31`",
        ),
        (
            new().with_time_range(TimeRange::Week).with_end_date(day("2025-03-31")),
            "`time_range` is set together with `end_date`; expected either an age",
        ),
        (
            new()
                .with_search_depth(TavilySearchDepth::UltraFast)
                .with_safe_search(SafeSearch::Strict),
            "`safe_search` is set with the search_depth `ultra-fast`; expected the search_depth",
        ),
        (new().with_days(3), "expected the topic news"),
        (new().with_topic(TavilyTopic::News).with_days(0), "`days` is 0; expected at least 1"),
        (new().with_image_descriptions(true), "a search with `include_images`"),
        (
            new().with_topic(TavilyTopic::News).with_country("france"),
            "`country` is set with the topic `news`",
        ),
        (new().with_country("FR"), "`country` is `FR`; expected the English name"),
        (new().with_include_domains(["a b"]), "`include_domains` is `a b`"),
        (
            new().with_include_domains(many(301)),
            "`include_domains` is 301 domains; expected at most 300",
        ),
        (
            new().with_exclude_domains(many(151)),
            "`exclude_domains` is 151 domains; expected at most 150",
        ),
        (new().with_endpoint("ftp://example.com"), "`endpoint` is neither http nor https"),
        (TavilyConfig::new(""), "`api_key` is empty"),
    ];
    for (config, expected) in cases {
        let refusal = refusal(config);
        assert!(refusal.contains(expected), "{refusal}");
    }
}

#[test]
fn debug_hides_key_and_password() {
    let endpoint = "https://me:rosebud@tavily.example/search?key=rosebud";
    let config = TavilyConfig::new(KEY).with_endpoint(endpoint);
    let search = TavilyTextSearch::new(config.clone()).unwrap();
    let printed = format!("{config:?} {search:#?}");
    assert!(printed.contains("https://tavily.example/search"), "{printed}");
    assert!(!printed.contains("rosebud") && !printed.contains(KEY), "{printed}");
}

#[test]
fn missing_key_names_its_variable() {
    // Relies on the variable being unset.
    if std::env::var_os(TAVILY_API_KEY).is_none() {
        let error = TavilyConfig::from_env().unwrap_err();
        assert_eq!(error.kind(), &ErrorKind::Authentication);
        assert!(error.to_string().contains("TAVILY_API_KEY"), "{error}");
    }
}

#[tokio::test]
async fn an_empty_or_long_query_is_rejected_unsent() {
    let server = Server::of([answer(&[])]).await;
    let search = TavilyTextSearch::new(config(&server)).unwrap();
    let options = SearchOptions::top(1).with_filter(Filter::eq("site", "docs.rs"));
    let error = search.records(" ", &options).await.unwrap_err();
    let expected = "tavily: `query` is empty; \
                    expected text to search for; a filter alone is not enough";
    assert_eq!(error.to_string(), expected);
    let error = search.records(&"x".repeat(401), &options).await.unwrap_err();
    let expected = "tavily: `query` is 401 characters long; expected at most 400 characters";
    assert_eq!(error.to_string(), expected);
    assert_eq!(server.requests().len(), 0);
}
