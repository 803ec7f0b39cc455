use serde_json::json;
use textsearch_brave::{
    BraveConfig, BraveTextSearch, BraveWebPage, SearchOptions, SearchResults, TextSearchConnector,
};
use textsearch_conformance::Server;
use textsearch_core::{TextSearchRecord, filter::DateTime};

use crate::support::{config, reply};

const HEADERS: &str = "X-RateLimit-Limit: 1, 15000\r\nX-RateLimit-Policy: 1;w=1, 15000;w=2592000\r\n\
                       X-RateLimit-Remaining: 0, 14321\r\nX-RateLimit-Reset: 1, 1419704\r\n";

async fn results(change: impl FnOnce(BraveConfig) -> BraveConfig) -> SearchResults<BraveWebPage> {
    let body = include_str!("../fixtures/web_search.json").to_owned();
    let server = Server::of([reply(200, HEADERS, body)]).await;
    let search = BraveTextSearch::new(change(config(&server))).unwrap();
    search.records("rust asnyc traits", &SearchOptions::top(5)).await.unwrap()
}

async fn pages(change: impl FnOnce(BraveConfig) -> BraveConfig) -> Vec<BraveWebPage> {
    results(change).await.into_vec().await.unwrap()
}

#[tokio::test]
async fn a_record_has_all_documented_fields() {
    let page = pages(|config| config).await.remove(0);
    let expected = json!({
        "Title": "Async functions in traits & what they cost",
        "Url": "https://blog.example.org/async-traits",
        "Description": "An async function in a trait returns <code>impl Future</code>; it's written as <b> is.",
        "ExtraSnippets": ["The trait is then not object safe.", "Boxing helps."],
        "PageAge": "2025-03-31T08:15:00",
        "Age": "March 31, 2025",
        "Language": "en",
        "FamilyFriendly": true,
        "IsSourceLocal": false,
        "IsSourceBoth": true,
        "IsLive": false,
        "Subtype": "article",
        "ContentType": "html",
        "FetchedContentTimestamp": 1_762_077_600,
        "Profile": {
            "Name": "Example Blog",
            "LongName": "blog.example.org",
            "Url": "https://blog.example.org/async-traits",
            "Img": "https://imgs.search.brave.com/icon/blog"
        },
        "MetaUrl": {
            "Scheme": "https",
            "Netloc": "blog.example.org",
            "Hostname": "blog.example.org",
            "Favicon": "https://imgs.search.brave.com/favicon/blog",
            "Path": "› async-traits"
        },
        "Thumbnail": {
            "Src": "https://imgs.search.brave.com/thumb/blog",
            "Original": "https://blog.example.org/cover.png",
            "Alt": "A gear",
            "Height": 200,
            "Width": 320,
            "BgColor": "#ffffff",
            "Logo": false,
            "Duplicated": false
        },
        "DeepResults": { "buttons": [{ "type": "button_result", "title": "Archive", "url": "https://blog.example.org/archive" }] },
        "Schemas": [[{ "@type": "BlogPosting" }]],
        "Article": { "author": [{ "type": "person", "name": "Ada Example" }], "isAccessibleForFree": true },
        "PageFetched": "2025-11-02T10:00:00Z",
        "Type": "search_result"
    });
    assert_eq!(serde_json::to_value(&page).unwrap(), expected);
}

#[tokio::test]
async fn missing_and_unknown_fields_are_harmless() {
    let page = pages(|config| config).await.remove(1);
    assert_eq!(
        (page.title.as_str(), page.description.as_str()),
        ("A page with hardly anything", "")
    );
    assert_eq!((page.page_age, page.thumbnail), (None, None));
    assert_eq!(page.details["AFieldOfTomorrow"]["deep"], json!([1, 2]));
}

#[tokio::test]
async fn a_result_has_name_text_link_and_date() {
    let result = pages(|config| config).await[0].to_result();
    assert_eq!(result.name.as_deref(), Some("Async functions in traits & what they cost"));
    let text =
        "An async function in a trait returns <code>impl Future</code>; it's written as <b> is.";
    assert_eq!(result.value, text);
    assert_eq!(result.link.as_deref(), Some("https://blog.example.org/async-traits"));
    assert_eq!(result.published, Some(DateTime::parse("2025-03-31T08:15:00Z").unwrap()));
}

#[tokio::test]
async fn kept_markup_stays_in_the_record_only() {
    let page = pages(|config| config.with_markup_kept(true)).await.remove(0);
    assert!(page.title.starts_with("<strong>Async</strong>"), "{}", page.title);
    assert!(page.text().starts_with("An async function"), "{}", page.text());
    let name = page.to_result().name.unwrap();
    assert_eq!(name, "Async functions in traits & what they cost");
}

#[tokio::test]
async fn data_about_the_search_becomes_metadata() {
    let results = results(|config| config).await;
    let metadata = results.metadata();
    assert_eq!(metadata["altered_query"], "rust async traits");
    assert_eq!(metadata["query"]["country"], "us");
    assert_eq!(metadata["family_friendly"], true);
    assert_eq!(metadata["rate_limit_limit"], "1, 15000");
    assert_eq!(metadata["rate_limit_remaining"], "0, 14321");
    assert_eq!(metadata["rate_limit_reset"], "1, 1419704");
    assert_eq!(metadata["rate_limit_policy"], "1;w=1, 15000;w=2592000");
    assert_eq!(metadata["news"]["results"][0]["title"], "A new release is out");
    assert_eq!(metadata["mixed"]["main"][0]["type"], "web");
    assert!(metadata.contains_key("summarizer") && !metadata.contains_key("type"));
    assert_eq!(results.total_count(), None);
}

async fn answered(web: serde_json::Value) -> textsearch_brave::Result<Vec<BraveWebPage>> {
    let server = Server::of([reply(200, "", json!({ "web": web }).to_string())]).await;
    let search = BraveTextSearch::new(config(&server)).unwrap();
    search.records("rust", &SearchOptions::top(5)).await?.into_vec().await
}

#[tokio::test]
async fn mistyped_fields_count_as_missing() {
    let page = json!({
        "title": "A", "url": "https://a.example/", "description": "B", "age": 3, "is_live": "yes",
        "extra_snippets": ["C", 4], "thumbnail": { "src": "s", "width": "wide" }, "profile": "P",
    });
    let web =
        json!({ "family_friendly": "yes", "results": [page, { "url": "https://b.example/" }] });
    let pages = answered(web).await.unwrap();
    let expected = json!({
        "Title": "A", "Url": "https://a.example/", "Description": "B", "ExtraSnippets": ["C"],
        "Thumbnail": { "Src": "s" },
    });
    assert_eq!(serde_json::to_value(&pages[0]).unwrap(), expected);
    assert_eq!(pages[1].url, "https://b.example/");
}

#[tokio::test]
async fn a_result_with_a_mistyped_url_is_dropped() {
    let results =
        json!([{ "url": 7, "title": "A" }, { "url": "https://b.example/", "title": "B" }]);
    let pages = answered(json!({ "results": results })).await.unwrap();
    assert_eq!(pages.iter().map(|page| page.title.as_str()).collect::<Vec<_>>(), ["B"]);
}
