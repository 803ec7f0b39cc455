use textsearch_brave::{BraveTextSearch, ErrorKind, Filter, SearchOptions, TextSearchConnector};
use textsearch_conformance::{RecordedRequest, Server, assert_filter_table};
use textsearch_core::filter::FilterOperator;

use crate::support::{answer, config};

async fn asked(query: &str, options: SearchOptions) -> Option<RecordedRequest> {
    let server = Server::of([answer(0..1, false)]).await;
    let search = BraveTextSearch::new(config(&server)).unwrap();
    let results = search.records(query, &options).await.unwrap();
    let asked = server.requests();
    let records = results.into_vec().await.unwrap();
    assert_eq!(asked.is_empty(), records.is_empty());
    asked.into_iter().next()
}

fn filtered(filter: &str) -> SearchOptions {
    SearchOptions::top(1).with_filter(filter.parse().unwrap())
}

fn fixed(filter: &str) -> SearchOptions {
    SearchOptions::top(1).with_fixed_filter(filter.parse().unwrap())
}

async fn words(query: &str, filter: &str) -> String {
    asked(query, filtered(filter)).await.unwrap().parameter("q").unwrap_or_default().to_owned()
}

async fn refusal(filter: &str) -> ErrorKind {
    let server = Server::of([answer(0..1, false)]).await;
    let search = BraveTextSearch::new(config(&server)).unwrap();
    let error = search.records("rust", &filtered(filter)).await.unwrap_err();
    assert_eq!(server.requests().len(), 0, "{filter}");
    error.kind().clone()
}

#[tokio::test]
async fn comparisons_become_query_operators() {
    let cases = [
        (r#"site = "docs.rs""#, "site:docs.rs rust"),
        (r#"site = "Docs.RS.""#, "site:docs.rs rust"),
        (r#"site != "docs.rs""#, "-site:docs.rs rust"),
        (r#"site in ["docs.rs", "crates.io"]"#, "(site:docs.rs OR site:crates.io) rust"),
        (r#"site = "docs.rs" or site = "crates.io""#, "(site:docs.rs OR site:crates.io) rust"),
        (r#"not (site in ["docs.rs", "crates.io"])"#, "-site:docs.rs -site:crates.io rust"),
        (r#"not (site != "docs.rs")"#, "site:docs.rs rust"),
        (r#"filetype = ".PDF""#, "filetype:pdf rust"),
        (r#"language in ["de", "FR"]"#, "(lang:de OR lang:fr) rust"),
        (r#"location != "US""#, "-loc:us rust"),
        (r#"intitle contains "async""#, "intitle:async rust"),
        (r#"inbody contains "object safe""#, r#"inbody:"object safe" rust"#),
        (r#"not (inpage contains "ads")"#, "-inpage:ads rust"),
        (r#"site = "docs.rs" and filetype = "pdf""#, "filetype:pdf site:docs.rs rust"),
        ("true", "rust"),
    ];
    for (filter, expected) in cases {
        assert_eq!(words("rust", filter).await, expected, "{filter}");
    }
}

#[tokio::test]
async fn comparisons_become_request_parameters() {
    let cases = [
        (r#"freshness = "pw""#, "freshness", "pw"),
        (r#"country = "de""#, "country", "DE"),
        (r#"search_lang = "pt-BR""#, "search_lang", "pt-br"),
        (r#"safesearch = "off""#, "safesearch", "off"),
        (
            r#"published >= date "2025-01-01" and published <= "2025-03-31""#,
            "freshness",
            "2025-01-01to2025-03-31",
        ),
        (r#"published <= "2025-03-31""#, "freshness", "1970-01-01to2025-03-31"),
    ];
    for (filter, name, value) in cases {
        let request = asked("rust", filtered(filter)).await.unwrap();
        assert_eq!(
            (request.parameter("q").unwrap_or_default(), request.all(name)),
            ("rust", vec![value])
        );
    }
}

#[tokio::test]
async fn site_conditions_intersect() {
    let both = r#"site in ["rs", "crates.io"] and site in ["docs.rs", "example.com"]"#;
    assert_eq!(words("rust", both).await, "site:docs.rs rust");
}

#[tokio::test]
async fn impossible_filters_send_no_request() {
    let never = [
        "false",
        "site in []",
        r#"site = "docs.rs" and site = "crates.io""#,
        r#"filetype = "pdf" and filetype = "doc""#,
        r#"safesearch = "off" and safesearch = "strict""#,
        r#"published >= "9999-01-01""#,
    ];
    for filter in never {
        assert!(asked("rust", filtered(filter)).await.is_none(), "{filter}");
    }
}

#[tokio::test]
async fn unsupported_filters_are_rejected_before_a_request() {
    use FilterOperator::{And, Eq, Not, Or, StartsWith};
    let cases = [
        (r#"site = "docs.rs" or filetype = "pdf""#, "filetype", Or),
        (r#"not (site = "docs.rs" and filetype = "pdf")"#, "filetype", And),
        (r#"site = "docs.rs" or site != "crates.io""#, "site", Or),
        (r#"not (country = "DE")"#, "country", Not),
        (r#"freshness = "pd" or freshness = "pw""#, "freshness", Or),
        (r#"site starts_with "docs""#, "site", StartsWith),
        (r#"author = "me""#, "author", Eq),
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
        (r#"site = "docs.rs OR site:evil.example""#, "site"),
        (r#"site = "-docs.rs""#, "site"),
        (r#"filetype = "pdf site:x""#, "filetype"),
        (r#"language = "English""#, "language"),
        (r#"intitle contains "\"""#, "intitle"),
        (r#"published >= "2025-01-01T12:00:00Z""#, "published"),
        (r#"freshness = "pd" and published >= "2025-01-01""#, "published"),
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
async fn values_cannot_inject_operators() {
    let filter = Filter::contains("intitle", r#"a" OR site:evil.example -b"#);
    let options = SearchOptions::top(1).with_filter(filter);
    let words = asked("rust", options).await.unwrap().parameter("q").unwrap_or_default().to_owned();
    assert_eq!(words, r#"intitle:"a OR site:evil.example -b" rust"#);
    for (value, expected) in
        [("OR", r#"intitle:"OR""#), ("-b", r#"intitle:"-b""#), ("a:b", r#"intitle:"a:b""#)]
    {
        let options = SearchOptions::top(1).with_filter(Filter::contains("intitle", value));
        assert_eq!(
            asked("", options).await.unwrap().parameter("q").unwrap_or_default().to_owned(),
            expected
        );
    }
}

#[tokio::test]
async fn alternatives_in_a_query_stay_inside_the_filter() {
    let words = words("rust OR go", r#"site = "docs.rs""#).await;
    assert_eq!(words, "site:docs.rs (rust OR go)");
}

#[tokio::test]
async fn a_fixed_filter_makes_the_query_plain_text() {
    let cases = [
        ("x OR site:evil.example", "site:docs.rs x or site evil.example"),
        (r#""a phrase" -not +must (a|b)"#, "site:docs.rs a phrase not must a b"),
        ("ＯＲ ｓｉｔｅ：evil.example", "site:docs.rs or site evil.example"),
        ("C++ in vector-search", "site:docs.rs C++ in vector-search"),
    ];
    for (query, expected) in cases {
        let request = asked(query, fixed(r#"site = "docs.rs""#)).await.unwrap();
        assert_eq!(request.parameter("q").unwrap_or_default().to_owned(), expected);
    }
    let request = asked("a OR b", fixed(r#"safesearch = "strict""#)).await.unwrap();
    assert_eq!(
        (
            request.parameter("q").unwrap_or_default().to_owned(),
            request.parameter("operators").unwrap_or_default().to_owned()
        ),
        ("a or b".into(), "false".into())
    );
}

#[tokio::test]
async fn filters_work_without_query_operators() {
    let server = Server::of([answer(0..1, false)]).await;
    let search = BraveTextSearch::new(config(&server).with_operators(false)).unwrap();
    let options = filtered(r#"site = "docs.rs""#);
    search.records("a -b", &options).await.unwrap();
    let request = server.requests().remove(0);
    assert_eq!(
        (
            request.parameter("q").unwrap_or_default().to_owned(),
            request.parameter("operators").unwrap_or_default().to_owned()
        ),
        ("site:docs.rs a b".into(), "".into())
    );
}

#[tokio::test]
async fn pages_outside_a_fixed_filter_are_dropped() {
    let urls = [
        "https://docs.rs/tokio",
        "https://evil.example/?docs.rs",
        "https://sub.docs.rs/",
        "https://notdocs.rs/",
        "https://old.docs.rs/",
        "not an address",
    ];
    let results: Vec<_> = urls.iter().map(|url| serde_json::json!({ "url": url })).collect();
    let body = serde_json::json!({ "web": { "results": results } }).to_string();
    let server = Server::of([(200, body)]).await;
    let search = BraveTextSearch::new(config(&server)).unwrap();
    assert!(search.supports_fixed_filter());
    let filter = r#"site = "docs.rs" and site != "old.docs.rs""#.parse().unwrap();
    let options = SearchOptions::top(6).with_fixed_filter(filter);
    let results = search.records("x", &options).await.unwrap().into_vec().await.unwrap();
    let links: Vec<_> = results.into_iter().map(|page| page.url).collect();
    assert_eq!(links, ["https://docs.rs/tokio", "https://sub.docs.rs/"]);
}

#[tokio::test]
async fn fields_have_descriptions_and_models_see_the_safe_ones() {
    let server = Server::of([answer(0..1, false)]).await;
    let search = std::sync::Arc::new(BraveTextSearch::new(config(&server)).unwrap());
    let fields = search.fields();
    assert!(fields.iter().all(|field| !field.description.is_empty()));
    let offered = fields.iter().filter(|field| field.offered_to_model);
    let names: Vec<_> = offered.map(|field| field.name.as_str()).collect();
    let expected = ["site", "filetype", "language", "intitle", "inpage", "freshness"];
    assert_eq!(names, expected);
}

#[tokio::test]
async fn the_readme_lists_the_fields_with_their_operators() {
    let server = Server::of([answer(0..1, false)]).await;
    let search = BraveTextSearch::new(config(&server)).unwrap();
    assert_filter_table(include_str!("../../README.md"), search.fields());
}
