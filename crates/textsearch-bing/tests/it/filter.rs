use proptest::prelude::*;
use textsearch_bing::{ErrorKind, Filter, SearchOptions, TextSearchConnector};
use textsearch_conformance::{Replay, assert_filter_table};
use textsearch_core::filter::FilterOperator;

use crate::support::{NEWS, PAGES, config, news, search};

async fn sent(query: &str, options: SearchOptions) -> String {
    let replay = Replay::of([(200, PAGES)]);
    search(config(), &replay).records(query, &options).await.unwrap();
    replay.parameter(0, "q").unwrap()
}

async fn words(filter: Filter) -> String {
    sent("rust", SearchOptions::top(1).with_filter(filter)).await
}

async fn refused(filter: Filter) -> ErrorKind {
    let replay = Replay::of([(200, PAGES)]);
    let options = SearchOptions::top(1).with_filter(filter);
    let error = search(config(), &replay).records("rust", &options).await.unwrap_err();
    assert!(replay.requests().is_empty(), "something was sent");
    error.kind().clone()
}

#[tokio::test]
async fn filters_become_operators_before_the_query() {
    let site = |site: &str| Filter::eq("site", site);
    let cases = [
        (site("Docs.RS"), "site:docs.rs rust"),
        (site("docs.rs/tokio/"), "site:docs.rs/tokio rust"),
        (Filter::ne("site", "a.com"), "-site:a.com rust"),
        (!site("a.com").or(site("b.com")), "-site:a.com -site:b.com rust"),
        (Filter::is_in("site", ["a.com", "b.com"]), "(site:a.com OR site:b.com) rust"),
        (Filter::is_in("site", ["a.com"]), "site:a.com rust"),
        (!Filter::is_in("site", ["a.com", "b.com"]), "-site:a.com -site:b.com rust"),
        (
            site("a.com").and(Filter::eq("filetype", "pdf")).or(site("b.com")),
            "((site:a.com filetype:pdf) OR site:b.com) rust",
        ),
        (Filter::contains("intitle", "two words"), "intitle:\"two words\" rust"),
        (Filter::eq("url", "example.com/a?b=c"), "url:example.com/a?b=c rust"),
        (Filter::eq("ip", "192.0.2.1"), "ip:192.0.2.1 rust"),
        (Filter::eq("prefer", "tutorial"), "prefer:\"tutorial\" rust"),
        (Filter::all([]), "rust"),
    ];
    for (filter, expected) in cases {
        assert_eq!(words(filter.clone()).await, expected, "{filter}");
    }
}

#[tokio::test]
async fn values_cannot_inject_operators() {
    let hostile = "a\" OR site:evil.example -b (c";
    let expected = "intitle:\"a OR site:evil.example -b (c\" rust";
    assert_eq!(words(Filter::contains("intitle", hostile)).await, expected);
    for field in ["site", "domain", "url", "ip", "language", "filetype", "ext", "freshness", "mkt"]
    {
        let ErrorKind::InvalidOptions { option, .. } = refused(Filter::eq(field, hostile)).await
        else {
            panic!("{field} is not refused")
        };
        assert_eq!(option, field);
    }
    let number = refused(Filter::eq("site", 1)).await;
    assert!(matches!(number, ErrorKind::InvalidOptions { .. }), "{number:?}");
}

#[tokio::test]
async fn unsupported_filters_name_field_and_operator() {
    let site = || Filter::eq("site", "a.com");
    let cases = [
        (Filter::ne("site", "b.com").or(site()), "site", FilterOperator::Or),
        (!Filter::all([site(), Filter::eq("ext", "pdf")]), "site", FilterOperator::Or),
        (Filter::eq("mkt", "en-US").or(site()), "mkt", FilterOperator::Or),
        (!Filter::eq("freshness", "Day"), "freshness", FilterOperator::Not),
        (Filter::eq("mkt", "en-US").and(Filter::eq("mkt", "de-DE")), "mkt", FilterOperator::And),
        (!Filter::eq("prefer", "x"), "prefer", FilterOperator::Not),
        (Filter::gt("site", "a"), "site", FilterOperator::Gt),
        (Filter::eq("sortBy", "Date"), "sortBy", FilterOperator::Eq),
    ];
    for (filter, expected_field, expected) in cases {
        let kind = refused(filter.clone()).await;
        let ErrorKind::UnsupportedFilter { field, operator, .. } = kind else {
            panic!("{filter}: {kind:?}")
        };
        assert_eq!((field.as_str(), operator), (expected_field, expected), "{filter}");
    }
    let many = Filter::is_in("site", (0..11).map(|number| format!("s{number}.com")));
    assert!(matches!(refused(many).await, ErrorKind::InvalidOptions { .. }));
}

#[tokio::test]
async fn impossible_filters_send_no_request() {
    let replay = Replay::of([(200, PAGES)]);
    let nothing = Filter::is_in("site", Vec::<String>::new()).and(Filter::eq("site", "a.com"));
    let options = SearchOptions::top(1).with_filter(nothing);
    let results = search(config(), &replay).records("rust", &options).await.unwrap();
    assert_eq!(results.into_vec().await.unwrap(), []);
    assert!(replay.requests().is_empty());
}

#[tokio::test]
async fn a_parameter_in_a_filter_overrides_the_setting() {
    let replay = Replay::of([(200, PAGES)]);
    let filter = Filter::eq("mkt", "de-DE").and(Filter::eq("freshness", "Week"));
    let options = SearchOptions::top(1).with_filter(filter);
    let search = search(config().with_country("CH", "fr"), &replay);
    search.records("rust", &options).await.unwrap();
    assert_eq!(replay.parameter(0, "mkt").as_deref(), Some("de-DE"));
    assert_eq!(replay.parameter(0, "freshness").as_deref(), Some("Week"));
    assert_eq!(replay.parameter(0, "cc"), None);
    assert!(!replay.requests()[0].headers.contains_key("accept-language"));
}

#[tokio::test]
async fn an_or_in_the_query_cannot_widen_a_filter() {
    let filtered = SearchOptions::top(1).with_filter(Filter::eq("site", "docs.rs"));
    for (query, expected) in [
        ("tokio OR async-std", "site:docs.rs (tokio OR async-std)"),
        ("rust -java", "site:docs.rs rust -java"),
        ("a) OR (b", "site:docs.rs (a  OR  b)"),
    ] {
        assert_eq!(sent(query, filtered.clone()).await, expected);
    }
    assert_eq!(sent(" rust OR go ", SearchOptions::top(1)).await, "rust OR go");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn values_cannot_escape_their_operator(value in "(\\PC|OR|site:| |\"|\\(|\\)|-|\\|){0,20}") {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let replay = Replay::of((0..40).map(|_| (200, PAGES)));
        let search = search(config(), &replay);
        for field in search.fields() {
            let filter = match field.operators.as_slice() {
                [FilterOperator::Contains] => Filter::contains(&*field.name, &*value),
                _ => Filter::eq(&*field.name, &*value),
            };
            let options = SearchOptions::top(1).with_filter(filter);
            if runtime.block_on(search.records("rust", &options)).is_err() {
                continue;
            }
            let sent = replay.parameter(replay.requests().len() - 1, "q").unwrap();
            let Some(operand) = sent.strip_prefix(&format!("{}:", field.name)) else { continue };
            let operand = operand.strip_suffix(" rust").unwrap();
            match operand.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
                Some(phrase) => prop_assert!(!phrase.contains('"'), "{operand}"),
                None => prop_assert!(!operand.contains([' ', '"', '(', ')', '|']), "{operand}"),
            }
        }
    }
}

#[tokio::test]
async fn a_fixed_filter_makes_the_query_plain_text() {
    let fixed = SearchOptions::top(1).with_fixed_filter(Filter::eq("site", "docs.rs"));
    let query = sent("x) OR site:evil.example \"", fixed).await;
    assert_eq!(query, "site:docs.rs \"x)\" \"OR\" \"site:evil.example\"");
}

#[tokio::test]
async fn results_outside_a_fixed_site_are_dropped() {
    let links = [
        "https://docs.rs/a",
        "https://www.docs.rs/b",
        "https://evildocs.rs/c",
        "https://docs.rs.evil.example/d",
        "https://evil.example/?docs.rs",
        "no address",
    ];
    let pages: Vec<String> = links.iter().map(|link| format!("{{\"url\":\"{link}\"}}")).collect();
    let body = format!("{{\"webPages\":{{\"value\":[{}]}}}}", pages.join(","));
    let replay = Replay::of([(200, body.as_str()), (200, "{}")]);
    let options = SearchOptions::top(10).with_fixed_filter(Filter::eq("site", "docs.rs"));
    let results = search(config(), &replay).records("x", &options).await.unwrap();
    let urls: Vec<_> = results.into_vec().await.unwrap().into_iter().map(|page| page.url).collect();
    assert_eq!(urls, ["https://docs.rs/a", "https://www.docs.rs/b"]);
}

#[tokio::test]
async fn paging_ends_when_a_service_ignores_a_fixed_filter() {
    let replay = Replay::of([(200, PAGES)]);
    let options = SearchOptions::top(10).with_fixed_filter(Filter::eq("site", "inside.example"));
    let results = search(config(), &replay).records("x", &options).await.unwrap();
    assert_eq!(results.into_vec().await.unwrap(), []);
    assert_eq!(replay.requests().len(), 1);
}

#[tokio::test]
async fn news_have_separate_filter_fields() {
    let replay = Replay::of([(200, NEWS)]);
    let filter = Filter::eq("sortBy", "Date").and(Filter::eq("site", "news.example"));
    let options = SearchOptions::top(1).with_filter(filter);
    news(config(), &replay).records("rust", &options).await.unwrap();
    assert_eq!(replay.parameter(0, "sortBy").as_deref(), Some("Date"));
    assert_eq!(replay.parameter(0, "q").as_deref(), Some("site:news.example rust"));
}

#[test]
fn the_readme_lists_the_fields_with_their_operators() {
    let replay = Replay::of([(200, PAGES)]);
    let fields = [search(config(), &replay).fields(), news(config(), &replay).fields()].concat();
    assert_filter_table(include_str!("../../README.md"), &fields);
}
