//! The tools `search` and `fetch`, called by the official SDK's client.

use rmcp::model::{CallToolRequestParams, CallToolResult};
use serde_json::{Value, json};
use textsearch_core::{
    Error, ErrorKind, Filter, FilterableField, FixedSearch, Result, SearchOptions, SearchResults,
    TextSearchResult, async_trait,
    document::{DocumentInfo, DocumentPage, DocumentReader, FilteredReader, ReadOptions},
};
use textsearch_mcp::{McpDocuments, McpServer};

use crate::support::{Client, arguments, client, client_of, config, kernel};

const TEXT: &str = "Filters narrow a search.\u{7} They are plain data.";

/// One public document, and one private.
struct Shelf;

#[async_trait]
impl DocumentReader for Shelf {
    fn check_filter(&self, filter: &Filter) -> Result<()> {
        filter.check("shelf", &[FilterableField::string("Name", "")])
    }

    async fn read(&self, id: &str, options: &ReadOptions) -> Result<Option<DocumentPage>> {
        if id == "broken" {
            return Err(Error::new(ErrorKind::Backend, "shelf", "cannot reach 10.0.0.7"));
        }
        let mut info = DocumentInfo::new("filters").with_name("Filters");
        info.link = Some("https://example.com/filters".to_owned());
        info.metadata.insert("year".to_owned(), 2026.into());
        let fields = json!({ "Name": id });
        let is_shown = options.filter().is_none_or(|filter| filter.matches(&fields));
        let is_it = ["filters", "plans"].contains(&id) && is_shown;
        Ok(is_it.then(|| DocumentPage::from_text(info, TEXT, options)).flatten())
    }

    async fn list(&self, _: &SearchOptions) -> Result<SearchResults<DocumentInfo>> {
        Ok(SearchResults::from_vec(Vec::new()))
    }
}

fn search() -> FixedSearch {
    FixedSearch::new([
        TextSearchResult::new("x").with_name("filters").with_id("filters"),
        TextSearchResult::new("x").with_id("plans").with_link("https://example.com/plans"),
        TextSearchResult::new("A result without id."),
    ])
}

async fn with(documents: McpDocuments, max_result_characters: usize) -> Client {
    let mut config = config().with_documents(documents);
    config.max_result_characters = max_result_characters;
    client_of(McpServer::new(kernel(), config).unwrap()).await
}

async fn open() -> Client {
    with(McpDocuments::new(search(), Shelf), 16_000).await
}

async fn call(client: &Client, tool: &'static str, written: Value) -> CallToolResult {
    let request = CallToolRequestParams::new(tool).with_arguments(arguments(written));
    client.call_tool(request).await.unwrap()
}

fn text(result: &CallToolResult) -> &str {
    assert_eq!(result.content.len(), 1);
    &result.content[0].as_text().unwrap().text
}

/// The structured content, which is also the text.
fn value(result: &CallToolResult) -> Value {
    let value = result.structured_content.clone().unwrap();
    assert_eq!(serde_json::from_str::<Value>(text(result)).unwrap(), value);
    value
}

#[tokio::test]
async fn search_returns_ids_titles_and_links() {
    let result = call(&open().await, "search", json!({ "query": "x" })).await;
    let expected = json!({ "results": [
        { "id": "filters", "title": "filters", "url": "" },
        { "id": "plans", "title": "plans", "url": "https://example.com/plans" },
    ] });
    assert_eq!(value(&result), expected);
}

#[tokio::test]
async fn fetch_returns_the_whole_document() {
    let result = call(&open().await, "fetch", json!({ "id": "filters" })).await;
    let expected = json!({
        "id": "filters",
        "title": "Filters",
        "text": "Filters narrow a search. They are plain data.",
        "url": "https://example.com/filters",
        "metadata": { "year": 2026 },
    });
    assert_eq!(value(&result), expected);
}

#[tokio::test]
async fn a_long_document_is_fetched_page_by_page() {
    let client = with(McpDocuments::new(search(), Shelf), 20).await;
    let mut text = String::new();
    let mut offset = Value::from(0);
    while offset.is_u64() {
        let page =
            value(&call(&client, "fetch", json!({ "id": "filters", "offset": offset })).await);
        let part = page["text"].as_str().unwrap().to_owned();
        assert!(part.len() <= 20, "{part}");
        text.push_str(&part);
        offset = page["metadata"]["next_offset"].clone();
    }
    assert_eq!(text, "Filters narrow a search. They are plain data.");
}

#[tokio::test]
async fn hidden_and_unknown_documents_are_the_same_error() {
    let reader = FilteredReader::new(Shelf, Filter::eq("Name", "filters")).unwrap();
    let client = with(McpDocuments::new(search(), reader), 16_000).await;
    let unknown = call(&client, "fetch", json!({ "id": "nothing" })).await;
    let hidden = call(&client, "fetch", json!({ "id": "plans" })).await;
    assert_eq!((unknown.is_error, text(&unknown)), (Some(true), text(&hidden)));
    assert!(text(&hidden).starts_with("there is no such document"), "{}", text(&hidden));
}

#[tokio::test]
async fn errors_explain_arguments_and_hide_internals() {
    let client = open().await;
    let missing = call(&client, "search", json!({ "text": "x" })).await;
    assert_eq!(text(&missing), "the argument `query` is missing: expected a text");
    let broken = call(&client, "fetch", json!({ "id": "broken" })).await;
    assert_eq!((broken.is_error, text(&broken)), (Some(true), "`fetch` failed"));
}

#[tokio::test]
async fn both_tools_are_listed_with_their_schemas() {
    let tools = open().await.list_all_tools().await.unwrap();
    let [search, fetch] = tools.last_chunk().unwrap();
    assert_eq!((search.name.as_ref(), fetch.name.as_ref()), ("search", "fetch"));
    assert_eq!(search.input_schema["required"], json!(["query"]));
    assert_eq!(fetch.input_schema["required"], json!(["id"]));
    let output = fetch.output_schema.as_ref().unwrap();
    assert_eq!(output["required"], json!(["id", "title", "text", "url"]));
    assert_eq!(fetch.annotations.as_ref().unwrap().read_only_hint, Some(true));
    let others = client().await.list_all_tools().await.unwrap();
    assert!(others.iter().all(|tool| tool.name != "fetch"));
}
