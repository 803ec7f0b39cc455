use textsearch_conformance::{Replay, assert_filter_table};
use textsearch_core::filter::FilterOperator;
use textsearch_google::{ErrorKind, Filter, SearchOptions, TextSearchConnector};

use crate::support::{IMAGES, PAGES, config, search};

async fn parameters(filter: Filter) -> Vec<(String, String)> {
    let replay = Replay::of([(200, PAGES)]);
    let options = SearchOptions::top(1).with_filter(filter);
    search(config(), &replay).records("rust", &options).await.unwrap();
    let url = replay.requests().remove(0).url;
    let own = ["cx", "q", "num", "start"];
    let pairs = url.query_pairs().filter(|(name, _)| !own.contains(&name.as_ref()));
    pairs.map(|(name, value)| (name.into_owned(), value.into_owned())).collect()
}

async fn refused(filter: Filter) -> ErrorKind {
    let replay = Replay::of([(200, PAGES)]);
    let options = SearchOptions::top(1).with_filter(filter);
    let error = search(config(), &replay).records("rust", &options).await.unwrap_err();
    assert!(replay.requests().is_empty(), "something was sent");
    error.kind().clone()
}

#[tokio::test]
async fn filters_become_request_parameters() {
    let site = |filter: &'static str| vec![("siteSearch", "docs.rs"), ("siteSearchFilter", filter)];
    let cases = [
        (Filter::eq("site", "Docs.rs/"), site("i")),
        (Filter::ne("site", "docs.rs"), site("e")),
        (!Filter::eq("site", "docs.rs"), site("e")),
        (!Filter::ne("site", "docs.rs"), site("i")),
        (Filter::any([Filter::eq("site", "docs.rs")]), site("i")),
        (Filter::contains("exactTerms", "a \"b\" OR c"), vec![("exactTerms", "a b OR c")]),
        (Filter::eq("excludeTerms", "java site:x"), vec![("excludeTerms", "java \"site:x\"")]),
        (
            Filter::is_in("orTerms", ["two words", "one", "-not"]),
            vec![("orTerms", "\"two words\" one \"-not\"")],
        ),
        (Filter::eq("orTerms", "a b"), vec![("orTerms", "a b")]),
        (
            Filter::eq("lr", "lang_de").or(Filter::eq("lr", "lang_fr")),
            vec![("lr", "lang_de|lang_fr")],
        ),
        (Filter::is_in("cr", ["countryDE", "countryAT"]), vec![("cr", "countryDE|countryAT")]),
        (
            Filter::eq("lowRange", "1").and(Filter::eq("highRange", "2")),
            vec![("highRange", "2"), ("lowRange", "1")],
        ),
        (
            Filter::eq("fileType", "pdf").and(Filter::eq("dateRestrict", "d7")),
            vec![("dateRestrict", "d7"), ("fileType", "pdf")],
        ),
        (Filter::all([]), vec![]),
    ];
    for (filter, expected) in cases {
        let actual = parameters(filter.clone()).await;
        let actual: Vec<_> =
            actual.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        assert_eq!(actual, expected, "{filter}");
    }
}

#[tokio::test]
async fn unsupported_filters_name_field_and_operator() {
    let site = |site: &str| Filter::eq("site", site);
    let cases = [
        (site("a.com").or(site("b.com")), "site", FilterOperator::Or),
        (site("a.com").and(site("b.com")), "site", FilterOperator::And),
        (Filter::ne("site", "a.com").and(site("b.com")), "site", FilterOperator::And),
        (Filter::is_in("site", ["a.com"]), "site", FilterOperator::In),
        (!Filter::eq("fileType", "pdf"), "fileType", FilterOperator::Not),
        (Filter::ne("fileType", "pdf"), "fileType", FilterOperator::Ne),
        (!Filter::all([site("a.com"), site("b.com")]), "site", FilterOperator::And),
        (Filter::eq("hq", "a").or(Filter::eq("hq", "b")), "hq", FilterOperator::Or),
        (Filter::eq("searchType", "image"), "searchType", FilterOperator::Eq),
    ];
    for (filter, expected_field, expected) in cases {
        let kind = refused(filter.clone()).await;
        let ErrorKind::UnsupportedFilter { field, operator, .. } = kind else {
            panic!("{filter}: {kind:?}")
        };
        assert_eq!((field.as_str(), operator), (expected_field, expected), "{filter}");
    }
}

#[tokio::test]
async fn an_invalid_value_names_its_field() {
    let hostile = "a\" OR site:evil.example&key=1";
    for field in
        ["site", "fileType", "dateRestrict", "gl", "lr", "cr", "rights", "linkSite", "sort"]
    {
        let ErrorKind::InvalidOptions { option, .. } = refused(Filter::eq(field, hostile)).await
        else {
            panic!("{field} is not refused")
        };
        assert_eq!(option, field);
    }
    for filter in [Filter::eq("site", 1), Filter::eq("lowRange", "1"), Filter::eq("hq", "\"\"")] {
        let kind = refused(filter.clone()).await;
        assert!(matches!(kind, ErrorKind::InvalidOptions { .. }), "{filter}: {kind:?}");
    }
}

#[tokio::test]
async fn impossible_filters_send_no_request() {
    let replay = Replay::of([(200, PAGES)]);
    let options = SearchOptions::top(1).with_filter(Filter::is_in("lr", Vec::<String>::new()));
    let results = search(config(), &replay).records("rust", &options).await.unwrap();
    assert_eq!(results.into_vec().await.unwrap(), []);
    assert!(replay.requests().is_empty());
}

#[tokio::test]
async fn a_fixed_filter_makes_the_query_plain_text() {
    let replay = Replay::of([(200, PAGES)]);
    let options = SearchOptions::top(1).with_fixed_filter(Filter::eq("site", "docs.example"));
    let query = "x) OR site:evil.example \"";
    search(config(), &replay).records(query, &options).await.unwrap();
    let sent = replay.parameter(0, "q").unwrap();
    assert_eq!(sent, "\"x)\" \"OR\" \"site:evil.example\"");
}

#[tokio::test]
async fn results_outside_a_fixed_site_are_dropped() {
    let options = SearchOptions::top(10).with_fixed_filter(Filter::eq("site", "docs.example"));
    let records = search(config(), &Replay::of([(200, PAGES)])).records("x", &options).await;
    let records = records.unwrap().into_vec().await.unwrap();
    assert_eq!(records.len(), 1);
    assert_eq!(records[0].link, "https://docs.example/async-traits");
}

#[tokio::test]
async fn a_site_filter_applies_to_an_images_page() {
    let search = search(config().with_images(true), &Replay::of([(200, IMAGES)]));
    for (site, expected) in [("pages.example", 1), ("images.example", 0)] {
        let options = SearchOptions::top(10).with_fixed_filter(Filter::eq("site", site));
        let records = search.records("crab", &options).await.unwrap().into_vec().await.unwrap();
        assert_eq!(records.len(), expected, "{site}");
    }
}

#[test]
fn the_readme_lists_the_fields_with_their_operators() {
    let search = search(config(), &Replay::of([(200, PAGES)]));
    assert_filter_table(include_str!("../../README.md"), search.fields());
}
