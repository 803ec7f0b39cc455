use textsearch_bing::{
    BingDeepLink, BingPageImage, BingTextFormat, BingWebPage, SearchOptions, TextSearch,
    TextSearchConnector,
};
use textsearch_conformance::{Replay, Response};
use textsearch_core::{TextSearchRecord, results::TotalCount, serde_json::json};

use crate::support::{NEWS, PAGES, config, news, search};

async fn pages(config: textsearch_bing::BingConfig) -> Vec<BingWebPage> {
    let search = search(config, &Replay::of([(200, PAGES)]));
    search.records("rust", &SearchOptions::top(2)).await.unwrap().into_vec().await.unwrap()
}

#[tokio::test]
async fn a_record_has_all_documented_fields() {
    let page = pages(config()).await.remove(0);
    assert_eq!(page.name, "Semantic Kernel in practice");
    assert_eq!(page.url, "https://devblogs.example/semantic-kernel/");
    assert_eq!(page.display_url, "https://devblogs.example/semantic-kernel");
    assert_eq!(page.date_last_crawled.as_deref(), Some("2024-08-14T02:25:00.0000000Z"));
    assert_eq!(page.is_navigational, Some(true));
    assert_eq!(page.deep_links[0].name.as_deref(), Some("Plugins"));
    assert_eq!(page.search_tags[0].content.as_deref(), Some("kernel, plugin"));
    assert_eq!(page.primary_image_of_page.clone().unwrap().width, Some(80));
    assert_eq!(page.about[0].name.as_deref(), Some("Semantic Kernel"));
    assert_eq!(page.contractual_rules.len(), 1);
    let result = page.to_result();
    assert_eq!(result.published.unwrap().to_string(), "2024-08-01T00:00:00Z");
    assert_eq!(result.link.as_deref(), Some("https://devblogs.example/semantic-kernel/"));
}

#[tokio::test]
async fn records_serialize_under_template_names() {
    let search = search(config(), &Replay::of([(200, PAGES)]));
    let values = search.search_values("rust", &SearchOptions::top(2)).await.unwrap();
    let value = values.into_vec().await.unwrap().remove(1);
    let expected = json!({
        "Name": "A page with little to say",
        "Snippet": "a < b & c",
        "Url": "https://example.org/",
        "DisplayUrl": "https://example.org",
        "DateLastCrawled": null,
    });
    assert_eq!(value, expected);
}

#[tokio::test]
async fn kept_markup_stays_in_the_record_only() {
    let plain = pages(config()).await.remove(0);
    assert_eq!(plain.snippet, "An SDK that brings models into your programs.");
    let kept = pages(config().with_text_decorations(true).with_markup_kept(true)).await.remove(0);
    assert_eq!(kept.snippet, "An \u{e000}SDK\u{e001} that brings models into your programs.");
    assert_eq!(kept.text(), "An SDK that brings models into your programs.");
    assert_eq!(kept.to_result().name.as_deref(), Some("Semantic Kernel in practice"));
}

#[tokio::test]
async fn entities_are_decoded_only_in_html_format() {
    let body = r#"{"webPages":{"value":[{"name":"<b>T</b> &amp;lt;","snippet":"a &lt;b&gt;","url":"https://a.example"}]}}"#;
    let options = SearchOptions::top(1);
    let html = search(config().with_text_format(BingTextFormat::Html), &Replay::of([(200, body)]));
    let page = html.records("x", &options).await.unwrap().into_vec().await.unwrap();
    assert_eq!((page[0].name.as_str(), page[0].snippet.as_str()), ("T &lt;", "a <b>"));
    let raw = search(config(), &Replay::of([(200, body)]));
    let page = raw.records("x", &options).await.unwrap().into_vec().await.unwrap();
    assert_eq!(page[0].snippet, "a &lt;b&gt;");
}

#[tokio::test]
async fn data_about_the_search_becomes_metadata() {
    let answer = Response::from((200, PAGES)).with_header("BingAPIs-TraceId", "trace-1");
    let search = search(config(), &Replay::of([answer]));
    let results = search.records("semantic kernal", &SearchOptions::top(2)).await.unwrap();
    assert_eq!(results.total_count(), Some(TotalCount::Estimated(262_000)));
    let metadata = results.metadata();
    assert_eq!(metadata["original_query"], "semantic kernal");
    assert_eq!(metadata["altered_query"], "semantic kernel");
    assert_eq!(metadata["request_id"], "trace-1");
    assert!(metadata["ranking"]["mainline"].is_object());
    assert!(metadata["related_searches"].is_object());
}

#[tokio::test]
async fn no_results_is_an_empty_stream() {
    let body = r#"{"_type":"SearchResponse","queryContext":{"originalQuery":"x"}}"#;
    let search = search(config(), &Replay::of([(200, body)]));
    let results = search.records("x", &SearchOptions::top(2)).await.unwrap();
    assert_eq!(results.total_count(), Some(TotalCount::Estimated(0)));
    assert_eq!(results.into_vec().await.unwrap(), []);
}

#[tokio::test]
async fn an_article_has_all_documented_fields() {
    let search = news(config(), &Replay::of([(200, NEWS)]));
    let results = search.records("rust", &SearchOptions::top(1)).await.unwrap();
    assert_eq!(results.total_count(), Some(TotalCount::Estimated(1)));
    let article = results.into_vec().await.unwrap().remove(0);
    assert_eq!(article.name, "A language turns ten");
    assert_eq!(article.provider[0].name.as_deref(), Some("Example Times"));
    assert_eq!(article.category.as_deref(), Some("ScienceAndTechnology"));
    let image = article.image.clone().unwrap();
    assert_eq!(image.content_url.as_deref(), Some("https://news.example/image.jpg"));
    assert_eq!(image.thumbnail.unwrap().height, Some(466));
    assert_eq!(article.mentions[0].name.as_deref(), Some("Rust"));
    assert_eq!(article.clustered_articles[0].name, "Ten years on");
    assert_eq!(article.headline, Some(true));
    let result = article.to_result();
    assert_eq!(result.value, "What a decade has changed.");
    assert_eq!(result.metadata["provider"], json!(["Example Times"]));
    assert_eq!(result.published.unwrap().to_string(), "2025-05-15T14:30:00Z");
}

#[tokio::test]
async fn mistyped_fields_count_as_missing() {
    let page = json!({
        "name": "A", "url": "https://a.example/", "snippet": "B", "datePublished": 3, "language": ["en"],
        "isNavigational": "yes", "primaryImageOfPage": { "width": "wide", "imageId": "7" },
        "deepLinks": [{ "name": {}, "url": "https://a.example/1" }, "x"], "about": { "name": "A" },
    });
    let pages = json!({ "totalEstimatedMatches": "many", "value": [page, { "url": "https://b.example/" }] });
    let answer =
        json!({ "webPages": pages, "queryContext": { "adultIntent": "no", "alteredQuery": "a" } });
    let search = search(config(), &Replay::of([Response::json(&answer)]));
    let results = search.records("rust", &SearchOptions::top(2)).await.unwrap();
    assert_eq!(results.total_count(), None);
    assert_eq!(results.metadata()["altered_query"], "a");
    let pages = results.into_vec().await.unwrap();
    let mut expected = BingWebPage::default();
    (expected.name, expected.snippet) = ("A".to_owned(), "B".to_owned());
    expected.url = "https://a.example/".to_owned();
    let mut image = BingPageImage::default();
    image.image_id = Some("7".to_owned());
    expected.primary_image_of_page = Some(image);
    let mut link = BingDeepLink::default();
    link.url = Some("https://a.example/1".to_owned());
    expected.deep_links = vec![link];
    assert_eq!(pages[0], expected);
    assert_eq!(pages[1].url, "https://b.example/");
}

#[tokio::test]
async fn mistyped_fields_of_news_count_as_missing() {
    let article = json!({
        "name": "A", "url": "https://a.example/", "headline": "yes", "image": "a.png", "provider": { "name": "B" },
    });
    let answer = json!({ "totalEstimatedMatches": {}, "queryContext": [], "value": [article] });
    let search = news(config(), &Replay::of([Response::json(&answer)]));
    let articles =
        search.records("rust", &SearchOptions::top(1)).await.unwrap().into_vec().await.unwrap();
    assert_eq!((articles[0].name.as_str(), articles[0].headline), ("A", None));
    assert!(articles[0].provider.is_empty());
}

#[tokio::test]
async fn a_result_with_a_mistyped_url_is_dropped() {
    let pages = json!([{ "url": 7, "name": "A" }, { "url": "https://b.example/" }]);
    let answer = json!({ "webPages": { "value": pages } });
    let search = search(config(), &Replay::of([Response::json(&answer)]));
    let records = search.records("rust", &SearchOptions::top(2)).await.unwrap();
    let records = records.into_vec().await.unwrap();
    assert_eq!(
        records.iter().map(|page| page.url.as_str()).collect::<Vec<_>>(),
        ["https://b.example/"]
    );
}
