use serde_json::{Value, json};
use textsearch_conformance::{Server, assert_filter_table};
use textsearch_core::filter::FilterOperator;
use textsearch_tavily::{
    ErrorKind, Filter, SearchOptions, TavilyConfig, TavilyTextSearch, TavilyTopic,
    TextSearchConnector, TimeRange,
};

use crate::support::{answer, config, day};

const PAGE: &str = "https://docs.rs/tokio";

/// Returns the parameters except query and number. `None`: no request.
async fn sent(
    change: impl FnOnce(TavilyConfig) -> TavilyConfig,
    options: SearchOptions,
) -> Option<Value> {
    let server = Server::of([answer(&[PAGE])]).await;
    let search = TavilyTextSearch::new(change(config(&server))).unwrap();
    let results = search.records("rust", &options).await.unwrap();
    let asked = server.requests();
    let records = results.into_vec().await.unwrap();
    assert_eq!(asked.is_empty(), records.is_empty());
    let mut body = asked.first()?.json();
    let parameters = body.as_object_mut().unwrap();
    assert_eq!(parameters.remove("query"), Some(json!("rust")));
    parameters.remove("max_results");
    Some(body)
}

fn filtered(filter: &str) -> SearchOptions {
    SearchOptions::top(1).with_filter(filter.parse().unwrap())
}

async fn refusal(filter: &str) -> ErrorKind {
    let server = Server::of([answer(&[PAGE])]).await;
    let search = TavilyTextSearch::new(config(&server)).unwrap();
    let error = search.records("rust", &filtered(filter)).await.unwrap_err();
    assert_eq!(server.requests().len(), 0, "{filter}");
    error.kind().clone()
}

#[tokio::test]
async fn comparisons_become_request_parameters() {
    let cases = [
        (r#"site = "Docs.rs""#, json!({ "include_domains": ["docs.rs"] })),
        (
            r#"site != "a.com" and not (site in ["b.com", "c.com"])"#,
            json!({ "exclude_domains": ["a.com", "b.com", "c.com"] }),
        ),
        (
            r#"site in ["docs.rs", "crates.io"]"#,
            json!({ "include_domains": ["docs.rs", "crates.io"] }),
        ),
        (
            r#"site = "docs.rs" or site = "crates.io""#,
            json!({ "include_domains": ["docs.rs", "crates.io"] }),
        ),
        (r#"published >= "2025-01-01""#, json!({ "start_date": "2025-01-01" })),
        (
            r#"published >= date "2025-01-01" and published <= date "2025-03-31""#,
            json!({ "start_date": "2025-01-01", "end_date": "2025-03-31" }),
        ),
        (
            r#"published >= "2025-01-01" and published >= "2025-02-01""#,
            json!({ "start_date": "2025-02-01" }),
        ),
        (
            r#"time_range = "week" and topic = "news""#,
            json!({ "time_range": "week", "topic": "news" }),
        ),
        ("true", json!({})),
    ];
    for (filter, expected) in cases {
        assert_eq!(sent(|config| config, filtered(filter)).await, Some(expected), "{filter}");
    }
}

#[tokio::test]
async fn a_site_filter_narrows_the_configured_domains() {
    let change = |config: TavilyConfig| {
        config.with_include_domains(["docs.rs", "example.com"]).with_exclude_domains(["ads.com"])
    };
    let filter = filtered(r#"site in ["sub.example.com", "crates.io"]"#);
    let expected =
        json!({ "include_domains": ["sub.example.com"], "exclude_domains": ["ads.com"] });
    assert_eq!(sent(change, filter).await, Some(expected));
}

#[tokio::test]
async fn impossible_filters_send_no_request() {
    let never = [
        "false",
        "site in []",
        r#"site = "docs.rs" and site = "crates.io""#,
        r#"topic = "news" and topic = "finance""#,
    ];
    for filter in never {
        assert_eq!(sent(|config| config, filtered(filter)).await, None, "{filter}");
    }
}

async fn refused_period(
    config_of: impl FnOnce(TavilyConfig) -> TavilyConfig,
    filter: &str,
) -> String {
    let server = Server::of([answer(&[PAGE])]).await;
    let search = TavilyTextSearch::new(config_of(config(&server))).unwrap();
    let error = search.records("rust", &filtered(filter)).await.unwrap_err();
    assert_eq!(server.requests().len(), 0, "{filter}");
    assert!(matches!(error.kind(), ErrorKind::InvalidOptions { .. }), "{error:?}");
    error.message().to_owned()
}

#[tokio::test]
async fn age_and_dates_together_are_rejected() {
    let allowed = "expected either an age (`time_range`, `days`) or days \
                   (`published`, `start_date`, `end_date`)";
    let filter = r#"time_range = "week" and published >= "2025-01-01""#;
    let refusal = refused_period(|config| config, filter).await;
    assert_eq!(refusal, format!("`time_range` is set together with `start_date`; {allowed}"));
    let range = |config: TavilyConfig| config.with_time_range(TimeRange::Week);
    let refusal = refused_period(range, r#"published <= "2025-01-01""#).await;
    assert_eq!(refusal, format!("`time_range` is set together with `end_date`; {allowed}"));
    let days = |config: TavilyConfig| config.with_topic(TavilyTopic::News).with_days(3);
    let refusal = refused_period(days, r#"published >= "2025-01-01""#).await;
    assert_eq!(refusal, format!("`days` is set together with `start_date`; {allowed}"));
}

#[tokio::test]
async fn inapplicable_days_allow_dates() {
    let change = |config: TavilyConfig| config.with_topic(TavilyTopic::News).with_days(3);
    let filter = filtered(r#"topic = "general" and published >= "2025-01-01""#);
    let expected = json!({ "topic": "general", "start_date": "2025-01-01" });
    assert_eq!(sent(change, filter).await, Some(expected));
}

#[tokio::test]
async fn a_period_that_ends_before_it_begins_is_rejected() {
    let expected = "`start_date` is `2025-03-31`; expected no later than the end, `2025-01-01`";
    let filter = r#"published >= "2025-03-31" and published <= "2025-01-01""#;
    assert_eq!(refused_period(|config| config, filter).await, expected);
    let start = |config: TavilyConfig| config.with_start_date(day("2025-03-31"));
    assert_eq!(refused_period(start, r#"published <= "2025-01-01""#).await, expected);
}

#[tokio::test]
async fn unsupported_filters_are_rejected_before_a_request() {
    use FilterOperator::{Contains, Eq, Not, Or};
    let cases = [
        (r#"site = "docs.rs" or topic = "news""#, "topic", Or),
        (r#"not (topic = "news")"#, "topic", Not),
        (r#"topic = "news" or topic = "finance""#, "topic", Or),
        (r#"not (published >= "2025-01-01")"#, "published", Not),
        (r#"site contains "docs""#, "site", Contains),
        (r#"language = "en""#, "language", Eq),
    ];
    for (filter, name, expected) in cases {
        let ErrorKind::UnsupportedFilter { field, operator, .. } = refusal(filter).await else {
            panic!("{filter} is not refused as such")
        };
        assert_eq!((field.as_str(), operator), (name, expected), "{filter}");
    }
}

#[tokio::test]
async fn invalid_values_are_rejected_before_a_request() {
    let cases = [
        (r#"site = "docs.rs, evil.example""#, "site"),
        (r#"topic = "sports""#, "topic"),
        (r#"time_range = "decade""#, "time_range"),
        (r#"published >= "2025-01-01T12:00:00Z""#, "published"),
        (r#"published >= "yesterday""#, "published"),
        ("site = 7", "site"),
    ];
    for (filter, name) in cases {
        let ErrorKind::InvalidOptions { option, .. } = refusal(filter).await else {
            panic!("{filter} is not refused as such")
        };
        assert_eq!(option, name, "{filter}");
    }
}

#[tokio::test]
async fn query_and_filter_cannot_widen_a_fixed_filter() {
    let server = Server::of([answer(&[
        PAGE,
        "https://evil.example/docs.rs",
        "https://sub.docs.rs/",
        "https://notdocs.rs/",
        "no address",
    ])])
    .await;
    let search = TavilyTextSearch::new(config(&server)).unwrap();
    assert!(search.supports_fixed_filter());
    let options = SearchOptions::top(5)
        .with_fixed_filter(Filter::eq("site", "docs.rs"))
        .with_filter(Filter::ne("site", "other.docs.rs"));
    let query = "x OR site:evil.example ｓｉｔｅ：evil.example";
    let results = search.records(query, &options).await.unwrap().into_vec().await.unwrap();
    let body = server.requests()[0].json();
    assert_eq!(body["include_domains"], json!(["docs.rs"]));
    assert_eq!(body["query"], "x or site evil.example site evil.example");
    let links: Vec<_> = results.into_iter().map(|page| page.url).collect();
    assert_eq!(links, [PAGE, "https://sub.docs.rs/"]);
}

#[tokio::test]
async fn models_see_one_field_for_periods() {
    let server = Server::of([answer(&[])]).await;
    let search = TavilyTextSearch::new(config(&server)).unwrap();
    let fields = search.fields();
    let names: Vec<_> = fields.iter().map(|field| field.name.as_str()).collect();
    assert_eq!(names, ["site", "published", "time_range", "topic"]);
    assert!(fields.iter().all(|field| !field.description.is_empty()));
    let kept: Vec<_> = fields.iter().filter(|field| !field.offered_to_model).collect();
    assert_eq!(kept.iter().map(|field| field.name.as_str()).collect::<Vec<_>>(), ["published"]);
    assert_eq!(fields[3].schema["enum"], json!(["general", "news", "finance"]));
}

#[tokio::test]
async fn the_readme_lists_the_fields_with_their_operators() {
    let server = Server::of([answer(&[PAGE])]).await;
    let search = TavilyTextSearch::new(config(&server)).unwrap();
    assert_filter_table(include_str!("../../README.md"), search.fields());
}
