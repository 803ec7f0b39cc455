use textsearch_conformance::Replay;
use textsearch_core::{
    TextSearchRecord,
    results::TotalCount,
    serde_json::{Value, json},
};
use textsearch_google::{Filter, SearchOptions, TextSearch, TextSearchConnector};

use crate::support::{IMAGES, PAGES, config, search};

#[tokio::test]
async fn a_record_has_all_documented_fields() {
    let search = search(config(), &Replay::of([(200, PAGES)]));
    let pages = search.records("x", &SearchOptions::top(2)).await.unwrap();
    let page = pages.into_vec().await.unwrap().remove(0);
    assert_eq!(page.title, "Asynchronous traits");
    assert_eq!(
        page.snippet,
        "Mar 2, 2025 ... What a trait with async functions is, and when to use one."
    );
    assert_eq!(page.html_snippet.as_deref(), Some("What a trait with <b>async</b> functions is"));
    assert_eq!(page.link, "https://docs.example/async-traits");
    assert_eq!(page.display_link, "docs.example");
    assert_eq!(page.cache_id.as_deref(), Some("c1"));
    assert_eq!(page.mime.as_deref(), Some("application/pdf"));
    assert_eq!(page.labels[0].label_with_op.as_deref(), Some("more:guides"));
    let result = page.to_result();
    assert_eq!(result.published.unwrap().to_string(), "2025-03-02T10:00:00Z");
    assert_eq!(result.name.as_deref(), Some("Asynchronous traits"));
    assert_eq!(result.value, page.snippet);
    assert_eq!(result.link.as_deref(), Some("https://docs.example/async-traits"));
}

#[tokio::test]
async fn records_serialize_under_template_names() {
    let search = search(config(), &Replay::of([(200, PAGES)]));
    let values = search.search_values("x", &SearchOptions::top(2)).await.unwrap();
    let value = values.into_vec().await.unwrap().remove(1);
    let expected = json!({
        "Title": "A page with little to say",
        "Snippet": "",
        "Link": "https://example.org/",
        "DisplayLink": "example.org",
    });
    assert_eq!(value, expected);
}

#[tokio::test]
async fn an_image_has_page_and_sizes() {
    let search = search(config().with_images(true), &Replay::of([(200, IMAGES)]));
    let pages = search.records("x", &SearchOptions::top(1)).await.unwrap();
    let page = pages.into_vec().await.unwrap().remove(0);
    let image = page.image.clone().unwrap();
    assert_eq!((image.width, image.height, image.byte_size), (Some(1200), Some(800), Some(93_211)));
    assert_eq!(image.thumbnail_width, Some(150));
    let result = page.to_result();
    assert_eq!(result.link.as_deref(), Some("https://images.example/crab.png"));
    assert_eq!(result.metadata["page"], "https://pages.example/crab");
}

#[tokio::test]
async fn data_about_the_search_becomes_metadata() {
    let search = search(config(), &Replay::of([(200, PAGES)]));
    let results = search.records("asinc traits", &SearchOptions::top(2)).await.unwrap();
    assert_eq!(results.total_count(), Some(TotalCount::Estimated(1_240_000)));
    let metadata = results.metadata();
    assert_eq!(metadata["corrected_query"], "async traits");
    assert_eq!(metadata["search_time"], 0.31);
    assert_eq!(metadata["context"]["title"], "Documentation");
    assert_eq!(metadata["promotions"][0]["title"], "The guide");
}

#[tokio::test]
async fn no_results_is_an_empty_stream() {
    let body = r#"{"searchInformation":{"totalResults":"0","searchTime":0.1}}"#;
    let search = search(config(), &Replay::of([(200, body)]));
    let results = search.records("x", &SearchOptions::top(2)).await.unwrap();
    assert_eq!(results.total_count(), Some(TotalCount::Estimated(0)));
    assert_eq!(results.into_vec().await.unwrap(), []);
}

#[tokio::test]
async fn mistyped_fields_count_as_missing() {
    let page = json!({
        "title": "A", "link": "https://a.example/", "mime": 7, "labels": [1, { "name": "L", "displayName": [] }],
        "image": { "contextLink": "https://a.example/page", "width": "wide", "height": 8 }, "cacheId": {},
    });
    let answer = json!({
        "items": [page, { "link": "https://b.example/" }], "spelling": "A",
        "searchInformation": { "searchTime": "short", "totalResults": "2" },
    });
    let search = search(config(), &Replay::of([(200, answer.to_string())]));
    let results = search.records("x", &SearchOptions::top(2)).await.unwrap();
    assert_eq!(results.total_count(), Some(TotalCount::Estimated(2)));
    let pages = results.into_vec().await.unwrap();
    assert_eq!((pages.len(), pages[0].title.as_str()), (2, "A"));
    assert_eq!((&pages[0].mime, &pages[0].cache_id), (&None, &None));
    assert_eq!((pages[0].labels.len(), pages[0].labels[0].name.as_deref()), (1, Some("L")));
    let image = pages[0].image.clone().unwrap();
    assert_eq!((image.width, image.height), (None, Some(8)));
}

const LINK: &str = "https://a.example/1.png";

/// Links found by an image search whose response has `items`.
async fn links(items: &Value, options: SearchOptions) -> Vec<String> {
    let answer = json!({ "items": items }).to_string();
    let search = search(config().with_images(true), &Replay::of([(200, answer)]));
    let pages = search.records("x", &options).await.unwrap().into_vec().await.unwrap();
    pages.into_iter().map(|page| page.link).collect()
}

#[tokio::test]
async fn a_result_with_a_mistyped_url_is_dropped() {
    let items = json!([{ "link": 7 }, { "link": LINK }]);
    assert_eq!(links(&items, SearchOptions::top(2)).await, [LINK]);
}

#[tokio::test]
async fn a_mistyped_image_keeps_its_result() {
    for image in [json!("1.png"), json!(7), json!([LINK]), json!({ "contextLink": { "a": 7 } })] {
        let items = json!([{ "link": LINK, "image": image }]);
        assert_eq!(links(&items, SearchOptions::top(1)).await, [LINK], "{items}");
    }
}

#[tokio::test]
async fn an_image_without_a_page_passes_no_fixed_site() {
    let options = SearchOptions::top(1).with_fixed_filter(Filter::eq("site", "a.example"));
    for image in [json!("1.png"), json!(null), json!({ "contextLink": 7 })] {
        let items = json!([{ "link": LINK, "image": image }]);
        assert!(links(&items, options.clone()).await.is_empty(), "{items}");
    }
}
