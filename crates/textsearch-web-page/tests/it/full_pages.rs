use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use futures_util::stream;
use textsearch_core::{
    CheckedOptions, Error, ErrorKind, Filter, FilterableField, FixedSearch, Result, SearchOptions,
    SearchResults, TextSearch, TextSearchConnector, TextSearchResult, async_trait,
    connector::AnyTextSearch, results::TotalCount,
};
use textsearch_web_page::{
    FullPages, FullPagesSettings, TextBudget, WebPageReader, WebPageSettings,
};

use super::{
    reader,
    server::{Answer, Server},
    settings,
};

fn hit(name: impl Into<String>, link: impl Into<String>) -> TextSearchResult {
    TextSearchResult::new("The snippet. It goes on.").with_name(name).with_link(link)
}

fn links(server: &Server, count: usize) -> FixedSearch {
    let hits =
        (0..count).map(|number| hit(format!("n{number}"), server.url(&format!("/{number}"))));
    FixedSearch::new(hits.collect::<Vec<_>>())
}

async fn numbered(count: usize, delay: impl Fn(usize) -> u64) -> Server {
    let page = |number: usize| {
        let answer = Answer::html(format!("<title>t{number}</title><p>Page {number}."));
        (format!("/{number}"), answer.after(Duration::from_millis(delay(number))))
    };
    Server::start((0..count).map(page)).await
}

async fn results(search: &dyn TextSearch, top: usize) -> Vec<TextSearchResult> {
    let results = search.text_search_results("query", &SearchOptions::top(top)).await.unwrap();
    results.into_vec().await.unwrap()
}

fn default(server: &Server, inner: FixedSearch) -> FullPages<FixedSearch> {
    FullPages::new(inner, reader(server), FullPagesSettings::default()).unwrap()
}

fn values(results: &[TextSearchResult]) -> Vec<&str> {
    results.iter().map(|result| result.value.as_str()).collect()
}

#[tokio::test]
async fn a_result_gets_its_pages_text_and_keeps_the_rest() {
    let server = Server::with(Answer::html("<title>The page</title><p>All of it.")).await;
    let named = hit("The hit", server.url("/")).with_score(0.5).with_metadata("rank", 1);
    let unnamed = TextSearchResult::new("A snippet.").with_link(server.url("/#part"));
    let search = default(&server, FixedSearch::new([named.clone(), unnamed]));
    let results = results(&search, 5).await;
    let mut expected = named.with_source("fixed");
    expected.value = "All of it.".to_owned();
    assert_eq!(results[0], expected);
    assert_eq!(
        (results[1].name.as_deref(), results[1].value.as_str()),
        (Some("The page"), "All of it.")
    );
    // Both links lead to the same page.
    assert_eq!(server.count(), 1);
}

#[tokio::test]
async fn count_and_record_pass_through_and_json_is_the_result() {
    let server = numbered(1, |_| 0).await;
    let search = default(&server, links(&server, 1));
    let mut results = search.records("query", &SearchOptions::top(1)).await.unwrap();
    assert_eq!(results.total_count(), Some(TotalCount::Exact(1)));
    let page = results.next().await.unwrap().unwrap();
    assert_eq!(
        (page.result().value.as_str(), page.record().value.as_str()),
        ("Page 0.", "The snippet. It goes on.")
    );
    assert_eq!(serde_json::to_value(&page).unwrap()["Value"], "Page 0.");
    let schema = serde_json::to_value(search.schema()).unwrap();
    assert_eq!(schema["properties"]["Value"]["type"], "string");
}

#[tokio::test]
async fn any_text_search_can_be_wrapped() {
    let server = numbered(2, |_| 0).await;
    let inner: Arc<dyn TextSearch> = Arc::new(links(&server, 2));
    let search =
        FullPages::new(AnyTextSearch::new(inner), reader(&server), FullPagesSettings::default())
            .unwrap();
    assert_eq!(values(&results(&search, 2).await), ["Page 0.", "Page 1."]);
    let texts =
        search.search("query", &SearchOptions::top(1)).await.unwrap().into_vec().await.unwrap();
    assert_eq!(texts, ["Page 0."]);
}

#[tokio::test]
async fn results_keep_their_order_regardless_of_page_speed() {
    let server = numbered(12, |number| (number as u64 * 37 + 11) % 50).await;
    let search = default(&server, links(&server, 12));
    let expected: Vec<String> = (0..12).map(|number| format!("Page {number}.")).collect();
    assert_eq!(values(&results(&search, 12).await), expected);
    assert!((2..=4).contains(&server.max_concurrent()), "{}", server.max_concurrent());
}

#[tokio::test]
async fn concurrent_pages_limits_fetching_ahead() {
    let server = numbered(20, |_| 0).await;
    let search = default(&server, links(&server, 20));
    let mut results = search.records("query", &SearchOptions::top(20)).await.unwrap();
    tokio::time::sleep(Duration::from_millis(30)).await;
    assert_eq!(server.count(), 0);
    for read in 1..=3 {
        results.next().await.unwrap().unwrap();
        tokio::time::sleep(Duration::from_millis(30)).await;
        assert!((read..=read + 4).contains(&server.count()), "{read}: {}", server.count());
    }
}

#[tokio::test]
async fn dropping_the_stream_stops_the_fetches() {
    let server = numbered(20, |_| 60_000).await;
    let search = default(&server, links(&server, 20));
    let mut results = search.records("query", &SearchOptions::top(20)).await.unwrap();
    tokio::select! {
        _ = results.next() => panic!("no page comes"),
        () = server.until_asked(4) => drop(results),
    }
    server.wait_for_disconnects(4).await;
    assert_eq!(server.count(), 4);
}

#[tokio::test]
async fn a_failed_page_leaves_snippet_and_failure_class() {
    let pages = [
        ("/gone", Answer::status(404)),
        ("/film", Answer::typed("video/mp4", "film")),
        ("/empty", Answer::html("<script>app()</script>")),
        ("/slow", Answer::html("late").after(Duration::from_secs(60))),
        ("/good", Answer::html("<p>Good.")),
    ];
    let server = Server::start(pages).await;
    let mut hits: Vec<_> =
        ["/gone", "/film", "/empty", "/slow"].map(|path| hit(path, server.url(path))).to_vec();
    hits.push(hit("inside", "http://169.254.169.254/latest"));
    hits.push(hit("no url", "not a url"));
    hits.push(TextSearchResult::new("The snippet. It goes on."));
    hits.push(hit("good", server.url("/good")));
    let settings = settings(&server).with_timeout(Duration::from_secs(3));
    let reader = WebPageReader::new(settings).unwrap();
    let search =
        FullPages::new(FixedSearch::new(hits), reader, FullPagesSettings::default()).unwrap();
    let results = results(&search, 10).await;
    let classes =
        ["status", "unreadable", "empty", "timeout", "refused", "invalid_link", "no_link"];
    for (result, class) in results.iter().zip(classes) {
        assert_eq!(result.metadata["full_page_error"], class, "{result:?}");
        assert_eq!(result.value, "The snippet. It goes on.");
    }
    assert_eq!(results[7].value, "Good.");
    assert!(results[7].metadata.is_empty());
}

#[tokio::test]
async fn no_result_reveals_the_address_of_an_internal_name() {
    let reader = WebPageReader::with_resolver(WebPageSettings::default(), Loopback).unwrap();
    let inner = FixedSearch::new([hit("inside", "http://vm.example/admin")]);
    let search = FullPages::new(inner, reader, FullPagesSettings::default()).unwrap();
    let results = results(&search, 1).await;
    assert_eq!(results[0].metadata["full_page_error"], "refused");
    let written = serde_json::to_string(&results).unwrap();
    assert!(!written.contains("127.0.0.1") && !written.contains("loopback"), "{written}");
}

#[tokio::test]
async fn a_page_over_the_byte_limit_is_too_large() {
    let server = Server::with(Answer::html("a".repeat(2000))).await;
    let reader = WebPageReader::new(settings(&server).with_max_body_bytes(1000)).unwrap();
    let inner = FixedSearch::new([hit("long", server.url("/"))]);
    let search = FullPages::new(inner, reader, FullPagesSettings::default()).unwrap();
    assert_eq!(results(&search, 1).await[0].metadata["full_page_error"], "too_large");
}

#[tokio::test]
async fn a_long_page_is_truncated_at_a_sentence() {
    let sentence = "This is a sentence of forty characters. ";
    let server = Server::with(Answer::html(format!("<p>{}", sentence.repeat(100)))).await;
    let inner =
        FixedSearch::new([hit("long", server.url("/")), TextSearchResult::new(sentence.repeat(9))]);
    let mut settings = FullPagesSettings::default();
    settings.page_budget = TextBudget::Tokens(25);
    let search = FullPages::new(inner, reader(&server), settings).unwrap();
    let results = results(&search, 2).await;
    let expected =
        "This is a sentence of forty characters. This is a sentence of forty characters.";
    for result in &results {
        assert_eq!(result.value, expected);
        assert_eq!(result.metadata["truncated"], true);
    }
}

#[tokio::test]
async fn a_spent_total_budget_stops_further_fetches() {
    let page = |number: usize| (format!("/{number}"), Answer::html("<p>Twenty characters ok."));
    let server = Server::start((0..9).map(page)).await;
    let mut settings = FullPagesSettings::default();
    settings.total_budget = Some(TextBudget::Characters(50));
    settings.concurrent_pages = 1;
    let search = FullPages::new(links(&server, 9), reader(&server), settings).unwrap();
    let whole = results(&search, 9).await;
    assert_eq!(values(&whole)[..3], ["Twenty characters ok.", "Twenty characters ok.", "Twenty"]);
    assert!(values(&whole)[4..].iter().all(|value| value.is_empty()), "{whole:?}");
    assert!(whole.iter().map(|result| result.value.len()).sum::<usize>() <= 50);
    assert_eq!(whole[8].metadata["truncated"], true);
    assert_eq!(whole[8].metadata["full_page_error"], "budget_spent");
    assert!(server.count() < 9, "{}", server.count());
    // The budget applies per search.
    assert_eq!(results(&search, 1).await[0].value, "Twenty characters ok.");
}

#[tokio::test]
async fn a_setting_of_zero_is_rejected_by_name() {
    let server = numbered(1, |_| 0).await;
    type Change = fn(&mut FullPagesSettings);
    let cases: [(Change, &str); 3] = [
        (|settings| settings.page_budget = TextBudget::Tokens(0), "page_budget"),
        (|settings| settings.total_budget = Some(TextBudget::Tokens(0)), "total_budget"),
        (|settings| settings.concurrent_pages = 0, "concurrent_pages"),
    ];
    for (change, expected) in cases {
        let mut settings = FullPagesSettings::default();
        change(&mut settings);
        let error = FullPages::new(links(&server, 1), reader(&server), settings).unwrap_err();
        assert!(
            matches!(error.kind(), ErrorKind::InvalidOptions { option, .. } if option == expected)
        );
    }
}

/// Supports no fixed filter and fails after its first result.
struct Broken(String, AtomicUsize);

impl TextSearchConnector for Broken {
    type Record = TextSearchResult;

    fn name(&self) -> &str {
        "broken"
    }

    async fn search_records(
        &self,
        _: &str,
        _: &CheckedOptions<'_, Self>,
    ) -> Result<SearchResults<TextSearchResult>> {
        self.1.fetch_add(1, Ordering::SeqCst);
        let failure = Err(Error::new(ErrorKind::Unavailable, "broken", "no second page"));
        Ok(SearchResults::from_stream(stream::iter([Ok(hit("first", &self.0)), failure])))
    }
}

#[tokio::test]
async fn errors_of_the_inner_search_pass_through() {
    let server = numbered(1, |_| 20).await;
    let inner = Broken(server.url("/0"), AtomicUsize::new(0));
    let search = FullPages::new(inner, reader(&server), FullPagesSettings::default()).unwrap();
    let mut results = search.records("query", &SearchOptions::top(2)).await.unwrap();
    assert_eq!(results.next().await.unwrap().unwrap().result().value, "Page 0.");
    assert_eq!(results.next().await.unwrap().unwrap_err().message(), "no second page");
    assert!(results.next().await.is_none());
}

#[tokio::test]
async fn filters_go_to_the_inner_search() {
    let server = numbered(2, |_| 0).await;
    let inner = links(&server, 2).with_fields([FilterableField::string("Name", "The name")]);
    let search = default(&server, inner);
    assert_eq!(search.fields().len(), 1);
    assert!(search.supports_fixed_filter());
    let options = SearchOptions::top(2).with_filter(Filter::eq("Name", "n1"));
    let texts = search.search("query", &options).await.unwrap().into_vec().await.unwrap();
    assert_eq!(texts, ["Page 1."]);

    let inner = Broken(String::new(), AtomicUsize::new(0));
    let refuses = FullPages::new(inner, reader(&server), FullPagesSettings::default()).unwrap();
    let options = SearchOptions::top(2).with_fixed_filter(Filter::eq("Name", "n1"));
    let error = refuses.search("query", &options).await.unwrap_err();
    assert!(
        matches!(error.kind(), ErrorKind::InvalidOptions { option, .. } if option == "fixed_filter")
    );
}

#[tokio::test]
async fn under_a_fixed_filter_redirects_to_other_sites_keep_snippets() {
    let elsewhere = Server::with(Answer::html("<p>Elsewhere.")).await;
    let location = format!("http://other.example:{}/", elsewhere.port());
    let server = Server::start([
        ("/out", Answer::redirect(&location)),
        ("/in", Answer::redirect("/page")),
        ("/page", Answer::html("<p>Inside.")),
    ])
    .await;
    let allowed = settings(&server).with_allowed_host("other.example").unwrap();
    let reader = WebPageReader::with_resolver(allowed, Loopback).unwrap();
    let inner = FixedSearch::new(["/out", "/in"].map(|path| hit(path, server.url(path))))
        .with_fields([FilterableField::string("Name", "The name").with_all_operators()]);
    let search = FullPages::new(inner, reader, FullPagesSettings::default()).unwrap();
    assert_eq!(values(&results(&search, 2).await), ["Elsewhere.", "Inside."]);

    let options = SearchOptions::top(2).with_fixed_filter(Filter::exists("Name"));
    let results =
        search.text_search_results("query", &options).await.unwrap().into_vec().await.unwrap();
    assert_eq!(values(&results), ["The snippet. It goes on.", "Inside."]);
    assert_eq!(results[0].metadata["full_page_error"], "refused");
}

#[tokio::test]
async fn under_a_fixed_folder_redirects_elsewhere_keep_snippets() {
    let server = Server::start([
        ("/docs/out", Answer::redirect("/private/page")),
        ("/docs/in", Answer::redirect("/docs/page")),
        ("/private/page", Answer::html("<p>Outside.")),
        ("/docs/page", Answer::html("<p>Inside.")),
    ])
    .await;
    let hits = ["/docs/out", "/docs/in"].map(|path| hit(path, server.url(path)));
    let inner = OnASite(hits.to_vec());
    let search = FullPages::new(inner, reader(&server), FullPagesSettings::default()).unwrap();
    assert_eq!(values(&results(&search, 2).await), ["Outside.", "Inside."]);

    let options = SearchOptions::top(2).with_fixed_filter(Filter::eq("site", "127.0.0.1/docs"));
    let results =
        search.text_search_results("query", &options).await.unwrap().into_vec().await.unwrap();
    assert_eq!(values(&results), ["The snippet. It goes on.", "Inside."]);
    assert_eq!(results[0].metadata["full_page_error"], "refused");
}

struct OnASite(Vec<TextSearchResult>);

impl TextSearchConnector for OnASite {
    type Record = TextSearchResult;

    fn name(&self) -> &str {
        "on-a-site"
    }

    async fn search_records(
        &self,
        _: &str,
        _: &CheckedOptions<'_, Self>,
    ) -> Result<SearchResults<TextSearchResult>> {
        Ok(SearchResults::from_vec(self.0.clone()))
    }

    fn supports_fixed_filter(&self) -> bool {
        true
    }
}

#[derive(Debug)]
struct Loopback;

#[async_trait]
impl textsearch_core::http::HostResolver for Loopback {
    async fn resolve(&self, _host: &str) -> std::io::Result<Vec<std::net::IpAddr>> {
        Ok(vec!["127.0.0.1".parse().unwrap()])
    }
}
