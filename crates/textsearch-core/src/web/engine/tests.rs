//! Paging, keys and filters of an engine.

use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use serde::Deserialize;
use serde_json::{Value, json};

use super::*;
use crate::{
    ErrorKind, Filter, SearchOptions, SearchResults, TextSearchConnector, TextSearchResult,
    filter::FilterOperator,
    http::{
        HeaderMap, HttpClient, HttpSettings, HttpTransport, StatusCode, TransportError,
        TransportRequest, TransportResponse,
    },
    results::TotalCount,
};

#[derive(Debug, Clone)]
struct Wiki<const CHECKS_SITES: bool = false> {
    connection: Connection,
    paging: Paging,
    reads_filter: bool,
    drops: Option<fn(&TextSearchResult) -> bool>,
}

#[derive(Deserialize)]
struct Found {
    links: Vec<String>,
    more: Option<bool>,
}

impl<const CHECKS_SITES: bool> WebEngine for Wiki<CHECKS_SITES> {
    const NAME: &'static str = "wiki";
    const ENDPOINT: &'static str = "https://wiki.example/api/search";
    const ENDPOINT_VARIABLE: &'static str = "TEXTSEARCH_TEST_WIKI_ENDPOINT";
    const KEY_VARIABLE: Option<&'static str> = Some("TEXTSEARCH_TEST_WIKI_KEY");
    const SITE_FIELDS: &'static [&'static str] = &["site"];
    const CHECKS_SITES: bool = CHECKS_SITES;
    const ERRORS: ErrorFormat =
        ErrorFormat { roots: &["/error"], messages: &[""], ..ErrorFormat::NONE };
    const MAX_QUERY_CHARS: Option<usize> = Some(20);
    const HAS_TOTAL_COUNT: bool = true;

    type Record = TextSearchResult;
    type Answer = Found;

    fn connection(&self) -> &Connection {
        &self.connection
    }

    fn paging(&self) -> Paging {
        self.paging
    }

    fn fields(&self) -> Vec<FilterableField> {
        vec![FilterableField::string("site", "The site")]
    }

    fn request(&self, query: &WebQuery<'_>) -> Result<Option<WebRequest<TextSearchResult>>> {
        let mut request = query.get().with_query("q", query.text());
        if self.reads_filter {
            let Some(conditions) = query.conditions()? else { return Ok(None) };
            for condition in &conditions {
                request = request.with_query("site", condition.single()?);
            }
        }
        let request: WebRequest<TextSearchResult> = request.into();
        Ok(Some(match self.drops {
            Some(drops) => {
                request.with_record_filter(move |record| !drops(record)).without_total_count()
            }
            None => request,
        }))
    }

    fn results(
        &self,
        answer: HttpResponse<Found>,
        _: &PageAddress,
    ) -> ResultPage<TextSearchResult> {
        let records = answer.body.links.into_iter();
        let records = records.map(|link| TextSearchResult::new(&link).with_link(link));
        let mut page = ResultPage::new(records.collect());
        page.has_more = answer.body.more;
        page.total_count = Some(TotalCount::Exact(99));
        page
    }

    fn link(record: &TextSearchResult) -> &str {
        record.link.as_deref().unwrap_or_default()
    }
}

/// Sends pairs of numbered links, or the same response to every request.
#[derive(Debug, Default)]
struct Served {
    always: Option<Value>,
    queries: Mutex<Vec<String>>,
}

#[derive(Debug, Clone)]
struct Transport(Arc<Served>);

#[async_trait]
impl HttpTransport for Transport {
    async fn send(&self, request: TransportRequest) -> Result<TransportResponse, TransportError> {
        let mut queries = self.0.queries.lock().unwrap();
        let number = queries.len();
        queries.push(request.url.query().unwrap_or_default().to_owned());
        let link = |index: usize| format!("https://a.example/{}", number * 2 + index);
        let next = json!({ "links": [link(0), link(1)] });
        let body = self.0.always.clone().unwrap_or(next).to_string();
        Ok(TransportResponse::complete(StatusCode::OK, HeaderMap::new(), body))
    }
}

fn wiki(paging: Paging) -> Wiki {
    let connection = Connection::new::<Wiki>("sesame");
    Wiki { connection, paging, reads_filter: true, drops: None }
}

fn at(endpoint: &str) -> Wiki {
    let mut config = wiki(pairs());
    config.connection.endpoint = endpoint.into();
    config
}

fn pairs() -> Paging {
    let scheme = PageScheme::Offset("start", 1);
    Paging { scheme, size: Some(("count", 2)), ..Paging::SINGLE_PAGE }
}

fn by_offset() -> Paging {
    Paging { scheme: PageScheme::Offset("o", 0), ..Paging::SINGLE_PAGE }
}

fn by_page() -> Paging {
    Paging { scheme: PageScheme::Number("p", 0), ..Paging::SINGLE_PAGE }
}

fn served<const CHECKS_SITES: bool>(
    config: Wiki<CHECKS_SITES>,
    always: Option<Value>,
) -> (WebSearch<Wiki<CHECKS_SITES>>, Arc<Served>) {
    let served = Arc::new(Served { always, ..Served::default() });
    let settings = HttpSettings::default().with_max_attempts(1);
    let client = HttpClient::from_transport("wiki", settings, Transport(Arc::clone(&served)));
    (WebSearch::new(config).unwrap().with_http_client(client.unwrap()), served)
}

async fn read(results: Result<SearchResults<TextSearchResult>>) -> Vec<String> {
    results.unwrap().into_vec().await.unwrap().into_iter().map(|record| record.value).collect()
}

async fn requests(paging: Paging, options: SearchOptions) -> Vec<String> {
    let (search, served) = served(wiki(paging), None);
    read(search.records("rust", &options).await).await;
    std::mem::take(&mut *served.queries.lock().unwrap())
}

#[tokio::test]
async fn each_paging_has_its_parameters() {
    let five = SearchOptions::top(5);
    let cases = [
        (pairs(), ["count=2&start=1", "count=2&start=3", "count=2&start=5"].as_slice()),
        (
            Paging { max_results: Some(5), ..pairs() },
            &["count=2&start=1", "count=2&start=3", "count=1&start=5"],
        ),
        (Paging { max_pages: Some(2), ..pairs() }, &["count=2&start=1", "count=2&start=3"]),
        (by_page(), &["p=0", "p=1", "p=2"]),
        (by_offset(), &["o=0", "o=2", "o=4"]),
        (Paging::SINGLE_PAGE, &[""]),
    ];
    for (paging, expected) in cases {
        let expected: Vec<String> = expected
            .iter()
            .map(|page| format!("q=rust&{page}").trim_end_matches('&').to_owned())
            .collect();
        assert_eq!(requests(paging, five.clone()).await, expected, "{paging:?}");
    }
}

#[tokio::test]
async fn the_page_after_a_short_one_skips_no_result() {
    let always = json!({ "links": ["x:1", "x:2"], "more": true });
    let paging = Paging { size: Some(("n", 5)), ..by_offset() };
    let whole = Paging { whole_steps: true, ..paging };
    for (paging, second) in [(paging, "n=5&o=2"), (whole, "n=5&o=5")] {
        let (search, served) = served(wiki(paging), Some(always.clone()));
        read(search.records("rust", &SearchOptions::top(9)).await).await;
        assert_eq!(
            served.queries.lock().unwrap()[..],
            ["q=rust&n=5&o=0", &format!("q=rust&{second}")]
        );
    }
}

/// Returns the number of requests for `top` results, if each request gets the same response.
async fn storm(config: Wiki, always: Value, top: usize) -> usize {
    let (search, served) = served(config, Some(always));
    read(search.records("rust", &SearchOptions::top(top)).await).await;
    served.queries.lock().unwrap().len()
}

#[tokio::test]
async fn an_unchanged_address_ends_the_search() {
    let linkless = json!({ "links": ["", ""], "more": true });
    assert_eq!(storm(wiki(pairs()), linkless, 1_000).await, 1);
    let more = json!({ "links": [], "more": true });
    assert_eq!(storm(wiki(by_offset()), more, 1).await, 1);
}

#[tokio::test]
async fn ten_pages_without_a_result_end_the_search() {
    let more = json!({ "links": [], "more": true });
    for paging in [by_page(), pairs(), Paging { whole_steps: true, ..pairs() }] {
        assert_eq!(storm(wiki(paging), more.clone(), 1).await, 10, "{paging:?}");
    }
    let config = Wiki { drops: Some(|_| true), ..wiki(pairs()) };
    let (search, served) = served(config, None);
    assert!(read(search.records("rust", &SearchOptions::top(1)).await).await.is_empty());
    assert_eq!(served.queries.lock().unwrap().len(), 10);
}

#[tokio::test]
async fn nine_pages_without_a_result_do_not_end_the_search() {
    let drops = |record: &TextSearchResult| !record.value.ends_with("/18");
    let (search, _) = served(Wiki { drops: Some(drops), ..wiki(pairs()) }, None);
    let links = read(search.records("rust", &SearchOptions::top(1)).await).await;
    assert_eq!(links, ["https://a.example/18"]);
}

#[tokio::test]
async fn skip_unread_starts_at_the_page_of_skip() {
    let options = SearchOptions::top(1).with_skip(5);
    let offset = requests(Paging { skip_unread: true, ..pairs() }, options.clone()).await;
    assert_eq!(offset, ["q=rust&count=1&start=6"]);
    let page = Paging { size: Some(("count", 2)), skip_unread: true, ..by_page() };
    assert_eq!(requests(page, options.clone()).await, ["q=rust&count=2&p=2"]);
    assert_eq!(requests(pairs(), options).await.len(), 3);
}

#[tokio::test]
async fn more_than_the_maximum_is_refused() {
    let (search, served) = served(wiki(Paging { max_results: Some(5), ..pairs() }), None);
    let error = search.records("rust", &SearchOptions::top(4).with_skip(2)).await.unwrap_err();
    assert_eq!(error.to_string(), "wiki: `skip + top` is 2 + 4; expected at most 5");
    assert!(served.queries.lock().unwrap().is_empty());
}

#[tokio::test]
async fn a_search_for_nothing_sends_a_request_only_for_the_count() {
    let (search, served) = served(wiki(pairs()), None);
    let none = SearchOptions::top(0);
    assert!(read(search.records("rust", &none).await).await.is_empty());
    assert!(served.queries.lock().unwrap().is_empty());
    let results = search.records("rust", &none.with_total_count(true)).await.unwrap();
    assert_eq!(results.total_count(), Some(TotalCount::Exact(99)));
}

#[tokio::test]
async fn an_unread_filter_is_refused() {
    let config = Wiki { reads_filter: false, ..wiki(pairs()) };
    let (search, served) = served(config, None);
    let options = SearchOptions::top(1).with_filter(Filter::eq("site", "a.example"));
    let error = search.records("rust", &options).await.unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::UnsupportedFilter { .. }), "{error:?}");
    assert!(error.message().contains("did not read the filter"), "{error}");
    assert!(served.queries.lock().unwrap().is_empty());
}

#[tokio::test]
async fn a_filter_that_nothing_meets_sends_no_request() {
    let (search, served) = served(wiki(pairs()), None);
    let options = SearchOptions::top(1).with_filter(Filter::any([]));
    assert!(read(search.records("rust", &options).await).await.is_empty());
    assert!(served.queries.lock().unwrap().is_empty());
}

#[tokio::test]
async fn a_fixed_filter_removes_operators_and_is_on_every_page() {
    let (search, served) = served(wiki(pairs()), None);
    let site = Filter::eq("site", "a.example");
    let options = SearchOptions::top(3).with_fixed_filter(site.clone());
    read(search.records("site:b", &options).await).await;
    read(search.records("site:b", &SearchOptions::top(1).with_filter(site)).await).await;
    let queries = served.queries.lock().unwrap();
    let fixed = "q=site+b&site=a.example&count=2&start=";
    assert_eq!(queries[..2], [format!("{fixed}1"), format!("{fixed}3")]);
    assert!(queries[2].starts_with("q=site%3Ab&site=a.example"), "{queries:?}");
}

#[tokio::test]
async fn a_caller_narrows_a_fixed_filter_but_never_widens_it() {
    let (search, served) = served(wiki(pairs()), None);
    let fixed = SearchOptions::top(1).with_fixed_filter(Filter::eq("site", "a.example"));
    for (site, expected) in [("b.example", None), ("docs.a.example", Some("docs.a.example"))] {
        let options = fixed.clone().with_filter(Filter::eq("site", site));
        read(search.records("rust", &options).await).await;
        let query = served.queries.lock().unwrap().pop();
        assert_eq!(query, expected.map(|site| format!("q=rust&site={site}&count=1&start=1")));
    }
}

#[tokio::test]
async fn a_page_outside_of_the_fixed_site_ends_the_search() {
    let (search, served) = served(wiki(pairs()), None);
    let options = SearchOptions::top(5).with_fixed_filter(Filter::eq("site", "b.example"));
    assert!(read(search.records("rust", &options).await).await.is_empty());
    assert_eq!(served.queries.lock().unwrap().len(), 1);
}

#[tokio::test]
async fn under_a_fixed_site_the_count_is_an_estimate() {
    let (search, _) = served(wiki(pairs()), None);
    let options = SearchOptions::top(1).with_filter(Filter::eq("site", "a.example"));
    let exact = search.records("rust", &options).await.unwrap().total_count();
    assert_eq!(exact, Some(TotalCount::Exact(99)));
    let options = SearchOptions::top(1).with_fixed_filter(Filter::eq("site", "a.example"));
    let fixed = search.records("rust", &options).await.unwrap().total_count();
    assert_eq!(fixed, Some(TotalCount::Estimated(99)));
}

#[tokio::test]
async fn checked_sites_hold_under_any_filter() {
    let sent = json!({ "links": [
        "https://a.example/1", "https://b.a.example/2", "https://b.example/3",
        "https://a.example\\@evil.example/4", "no address"
    ] });
    let config = Wiki::<true> {
        connection: Connection::new::<Wiki>("sesame"),
        paging: Paging::SINGLE_PAGE,
        reads_filter: true,
        drops: None,
    };
    let (checked, _) = served(config, Some(sent.clone()));
    let (unchecked, _) = served(wiki(Paging::SINGLE_PAGE), Some(sent));
    let options = SearchOptions::top(5).with_filter(Filter::eq("site", "a.example"));
    let links = read(checked.records("rust", &options).await).await;
    assert_eq!(links, ["https://a.example/1", "https://b.a.example/2"]);
    assert_eq!(read(unchecked.records("rust", &options).await).await.len(), 5);
}

#[tokio::test]
async fn a_record_filter_applies_to_every_page() {
    let drops = |record: &TextSearchResult| record.value.ends_with(['1', '3', '5', '7', '9']);
    let (search, _) = served(Wiki { drops: Some(drops), ..wiki(pairs()) }, None);
    let results = search.records("rust", &SearchOptions::top(2)).await;
    assert_eq!(results.as_ref().unwrap().total_count(), None);
    assert_eq!(read(results).await, ["https://a.example/0", "https://a.example/2"]);
}

#[tokio::test]
async fn a_repeated_page_ends_the_search() {
    let (search, served) = served(wiki(pairs()), Some(json!({ "links": ["x:1", "x:2"] })));
    assert_eq!(read(search.records("rust", &SearchOptions::top(9)).await).await, ["x:1", "x:2"]);
    assert_eq!(served.queries.lock().unwrap().len(), 2);
}

#[tokio::test]
async fn an_error_with_status_200_is_an_error() {
    let (search, _) = served(wiki(pairs()), Some(json!({ "error": "sesame is wrong" })));
    let error = search.records("rust", &SearchOptions::top(1)).await.unwrap_err();
    assert!(error.message().ends_with("answered 200 OK: *** is wrong"), "{error}");
}

#[test]
fn a_query_is_neither_empty_nor_too_long() {
    let refused = |text: &str| wiki(pairs()).check_query(text).unwrap_err().to_string();
    assert!(refused(" ").starts_with("wiki: `query` is empty"));
    let long = refused(&"é".repeat(21));
    assert_eq!(long, "wiki: `query` is 21 characters long; expected at most 20 characters");
    assert!(wiki(pairs()).check_query(&"é".repeat(20)).is_ok());
}

#[test]
fn an_endpoint_without_a_path_gets_the_public_one() {
    let url = |endpoint: &str| at(endpoint).url().unwrap().to_string();
    assert_eq!(url("http://127.0.0.1:1"), "http://127.0.0.1:1/api/search");
    assert_eq!(url("http://127.0.0.1:1/find"), "http://127.0.0.1:1/find");
}

#[test]
fn a_needed_key_is_not_empty_and_never_printed() {
    let config = at("https://me:sesame@wiki.example/?key=sesame");
    let search = WebSearch::new(config.clone()).unwrap();
    assert!(!format!("{search:?} {config:?}").contains("sesame"));
    let connection = Connection::new::<Wiki>("");
    let error = WebSearch::new(Wiki { connection, ..wiki(pairs()) }).unwrap_err();
    assert_eq!(error.to_string(), "wiki: `api_key` is empty; expected an API key");
}

#[test]
fn a_missing_key_names_its_variable() {
    // Relies on the variable being unset.
    let error = Connection::from_env::<Wiki>().unwrap_err();
    assert_eq!(error.kind(), &ErrorKind::Authentication);
    assert!(error.to_string().contains("TEXTSEARCH_TEST_WIKI_KEY"), "{error}");
}

#[test]
fn a_key_has_one_place_and_an_empty_one_none() {
    let url = || Url::parse("https://wiki.example/").unwrap();
    let sent = |place: KeyPlace, key: &str| {
        let request = place.apply(HttpRequest::get(url()), &key.into());
        let header = |name: &str| request.headers().get(name).map(|value| value.to_str().unwrap());
        let header = header("authorization").or_else(|| header("x-key")).map(str::to_owned);
        (header, request.url().query().map(str::to_owned))
    };
    let x_key = || KeyPlace::Header(crate::http::HeaderName::from_static("x-key"));
    assert_eq!(sent(KeyPlace::Bearer, "k"), (Some("Bearer k".to_owned()), None));
    assert_eq!(sent(x_key(), "k"), (Some("k".to_owned()), None));
    assert_eq!(sent(KeyPlace::Query("key"), "k"), (None, Some("key=k".to_owned())));
    for place in [KeyPlace::Bearer, x_key(), KeyPlace::Query("key")] {
        assert_eq!(sent(place, ""), (None, None));
    }
}

#[test]
fn operators_lose_their_effect_as_the_engine_says() {
    let query = "a OR site:b";
    assert_eq!(QueryOperators::None.without_effect(query), query);
    assert_eq!(QueryOperators::Quotable(&[]).without_effect(query), "a \"OR\" \"site:b\"");
    assert_eq!(QueryOperators::Removable.without_effect(query), "a or site b");
}

#[test]
fn fields_are_checked_by_the_core() {
    let search = WebSearch::new(wiki(pairs())).unwrap();
    assert_eq!(search.fields()[0].operators, [FilterOperator::Eq]);
    assert!(search.supports_fixed_filter());
}
