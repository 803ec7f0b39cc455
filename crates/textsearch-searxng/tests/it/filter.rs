use textsearch_conformance::assert_filter_table;
use textsearch_core::{
    ErrorKind, Filter, SearchOptions, TextSearchConnector,
    filter::FilterOperator,
    serde_json::{Value, json},
};

use crate::support::{config, instance_with, page, results, search, urls};

fn filtered(filter: &str) -> SearchOptions {
    SearchOptions::top(9).with_filter(filter.parse().unwrap())
}

async fn sent(filter: &str, name: &str) -> Option<String> {
    let instance = instance_with(json!([]));
    results(&instance, "rust", &filtered(filter)).await;
    instance.requests().first().and_then(|asked| asked.parameter(name).map(str::to_owned))
}

#[tokio::test]
async fn engine_conditions_intersect() {
    let engines = |filter| sent(filter, "engines");
    assert_eq!(engines(r#"engine in ["a", "b"]"#).await.as_deref(), Some("a,b"));
    assert_eq!(engines(r#"engine = "a" or engine in ["b"]"#).await.as_deref(), Some("a,b"));
    let both = r#"engine in ["a", "b"] and engine in ["b", "c"]"#;
    assert_eq!(engines(both).await.as_deref(), Some("b"));
}

#[tokio::test]
async fn narrower_range_and_level_win() {
    let ranges = r#"time_range = "week" and time_range = "day" and time_range = "year""#;
    assert_eq!(sent(ranges, "time_range").await.as_deref(), Some("day"));
    assert_eq!(sent("safesearch = 2 and safesearch = 0", "safesearch").await.as_deref(), Some("2"));
}

#[tokio::test]
async fn impossible_filters_send_no_request() {
    for filter in [
        "engine in []",
        "false",
        r#"engine = "a" and engine = "b""#,
        r#"language = "de" and language = "en""#,
        r#"site = "a.com" and site = "b.com""#,
    ] {
        assert_eq!(sent(filter, "q").await, None, "{filter}");
    }
    assert_eq!(sent("true", "q").await.as_deref(), Some("rust"));
}

async fn refused(filter: &str) -> ErrorKind {
    let instance = instance_with(json!([]));
    let result = search(config(), &instance).records("rust", &filtered(filter)).await;
    assert_eq!(instance.requests().len(), 0);
    result.unwrap_err().kind().clone()
}

#[tokio::test]
async fn unsupported_filters_are_rejected() {
    use FilterOperator::{And, Contains, Ne, Not, Or};
    let cases = [
        (r#"site != "docs.rs""#, "site", Ne),
        (r#"site contains "docs""#, "site", Contains),
        (r#"not site = "docs.rs""#, "site", Not),
        (r#"site = "a.com" or site = "b.com""#, "site", Or),
        (r#"engine = "a" or category = "news""#, "category", Or),
        (r#"engine = "a" and category = "news""#, "category and engine", And),
    ];
    for (filter, name, expected) in cases {
        let ErrorKind::UnsupportedFilter { field, operator, .. } = refused(filter).await else {
            panic!("{filter}");
        };
        assert_eq!((field.as_str(), operator), (name, expected), "{filter}");
    }
}

#[tokio::test]
async fn values_that_searxng_ignores_are_rejected() {
    let cases = [
        (r#"category = "recipes""#, "category"),
        (r#"engine = "a,b""#, "engine"),
        (r#"time_range = "hour""#, "time_range"),
        (r#"language = "en !images""#, "language"),
        ("safesearch = 3", "safesearch"),
        ("site = 7", "site"),
        (r#"site = "a.com OR site:b.com""#, "site"),
        (r#"site = "a.com\" !images \"""#, "site"),
        (r#"site = "-a.com""#, "site"),
        (r#"site = "a.com/path""#, "site"),
        (r#"site = ".""#, "site"),
    ];
    for (filter, name) in cases {
        let ErrorKind::InvalidOptions { option, .. } = refused(filter).await else {
            panic!("{filter}");
        };
        assert_eq!(option, name, "{filter}");
    }
}

fn mixed() -> Value {
    json!([
        page("https://docs.rs/a", "a"),
        page("https://evil.example/docs.rs", "a"),
        page("https://notdocs.rs/b", "b"),
        page("https://blog.docs.rs./c", "b"),
        page("https://docs.rs.evil.example/", "a"),
        page("https://DOCS.rs:8443/d", "c"),
    ])
}

#[tokio::test]
async fn results_from_other_sites_are_dropped() {
    let expected = ["https://docs.rs/a", "https://blog.docs.rs./c", "https://DOCS.rs:8443/d"];
    let filter = Filter::eq("site", "Docs.rs");
    let fixed = SearchOptions::top(9).with_fixed_filter(filter.clone());
    let sent = ["x or site evil.example site:docs.rs", "x OR site:evil.example site:docs.rs"];
    for (options, sent) in [fixed, SearchOptions::top(9).with_filter(filter)].into_iter().zip(sent)
    {
        let instance = instance_with(mixed());
        let results = results(&instance, "x OR site:evil.example", &options).await;
        assert_eq!(urls(&results), expected);
        let query = instance.requests()[0].parameter("q").unwrap().to_owned();
        assert_eq!(query, sent);
    }
}

#[tokio::test]
async fn skip_and_top_count_filtered_results() {
    let options = filtered(r#"site = "docs.rs""#).with_skip(1);
    let results = results(&instance_with(mixed()), "x", &options).await;
    assert_eq!(urls(&results), ["https://blog.docs.rs./c", "https://DOCS.rs:8443/d"]);
}

#[tokio::test]
async fn results_from_other_engines_are_dropped() {
    let options = filtered(r#"engine = "b""#);
    let results = results(&instance_with(mixed()), "x", &options).await;
    assert_eq!(urls(&results), ["https://notdocs.rs/b", "https://blog.docs.rs./c"]);
}

#[tokio::test]
async fn no_count_is_reported_when_results_are_dropped() {
    let count = async |options| {
        let search = search(config(), &instance_with(mixed()));
        search.records("x", &options).await.unwrap().total_count()
    };
    assert_eq!(count(filtered(r#"site = "docs.rs""#)).await, None);
    assert_eq!(count(filtered(r#"language = "de""#)).await.unwrap().value(), 7);
}

#[tokio::test]
async fn fixed_filter_and_filter_both_apply() {
    let options =
        filtered(r#"engine in ["a", "b"]"#).with_fixed_filter(Filter::is_in("engine", ["b", "c"]));
    let instance = instance_with(mixed());
    let results = results(&instance, "!a x", &options).await;
    assert_eq!(urls(&results), ["https://notdocs.rs/b", "https://blog.docs.rs./c"]);
    assert_eq!(instance.requests()[0].parameter("engines"), Some("b"));
    assert_eq!(instance.requests()[0].parameter("q"), Some("a x"));
}

#[test]
fn the_readme_lists_the_fields_with_their_operators() {
    let search = search(config(), &instance_with(json!([])));
    assert_filter_table(include_str!("../../README.md"), search.fields());
}
