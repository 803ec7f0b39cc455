//! The tools `search` and `fetch`, under the names and with the results that ChatGPT's apps and deep
//! research need: <https://developers.openai.com/api/docs/mcp>.

use std::sync::Arc;

use rmcp::model::{CallToolResult, ContentBlock, JsonObject, Tool, ToolAnnotations};
use serde_json::{Value, json};
use textsearch_core::{
    Result, SearchOptions, TextSearch,
    document::{DocumentReader, ReadOptions},
};

use crate::text::clean;

const SEARCH: &str = "search";
const FETCH: &str = "fetch";

const RESULTS: usize = 10;

/// A search and the documents behind its results, for the tools `search` and `fetch`.
///
/// ChatGPT's apps and deep research call these two tools. `search(query)` returns `results` with `id`,
/// `title` and `url`, and `fetch(id)` a document with `id`, `title`, `text`, `url` and `metadata`. They don't
/// run through the kernel's function filters. A [`FilteredReader`](textsearch_core::document::FilteredReader)
/// restricts what can be read.
///
/// ```no_run
/// use textsearch_core::{TextSearch, document::DocumentReader};
/// use textsearch_mcp::{McpDocuments, McpServerConfig};
///
/// fn config(search: impl TextSearch + 'static, documents: impl DocumentReader + 'static) -> McpServerConfig {
///     McpServerConfig::new("handbook").with_documents(McpDocuments::new(search, documents))
/// }
/// ```
#[derive(Clone)]
pub struct McpDocuments {
    search: Arc<dyn TextSearch>,
    reader: Arc<dyn DocumentReader>,
}

impl McpDocuments {
    /// Offers `search`, whose results `documents` reads.
    pub fn new(
        search: impl TextSearch + 'static,
        documents: impl DocumentReader + 'static,
    ) -> Self {
        Self { search: Arc::new(search), reader: Arc::new(documents) }
    }

    pub(super) fn offers(&self, tool: &str) -> bool {
        tool == SEARCH || tool == FETCH
    }

    /// Calls one of the tools. An error of a backend is logged, and hidden from the client.
    pub(super) async fn call(
        &self,
        tool: &str,
        arguments: &JsonObject,
        max_characters: usize,
    ) -> CallToolResult {
        let parameter = if tool == SEARCH { "query" } else { "id" };
        let Some(text) = arguments.get(parameter).and_then(Value::as_str) else {
            return failed(&format!("the argument `{parameter}` is missing: expected a text"));
        };
        let result = match tool {
            SEARCH => self.results(text).await.map(Some),
            _ => {
                let offset = arguments.get("offset").and_then(Value::as_u64).unwrap_or(0);
                self.document(text, offset, max_characters).await
            }
        };
        match result {
            Ok(Some(value)) => succeeded(value),
            Ok(None) => {
                failed("there is no such document: expected the `id` of a result of `search`")
            }
            Err(error) => {
                let cause: &dyn std::error::Error = &error;
                tracing::warn!(tool, error = cause, "a tool call failed");
                failed(&format!("`{tool}` failed"))
            }
        }
    }

    async fn results(&self, query: &str) -> Result<Value> {
        let options = SearchOptions::top(RESULTS);
        let results = self.search.text_search_results(query, &options).await?;
        let results = results.window(0, RESULTS).into_vec().await?;
        let entries = results.into_iter().filter_map(|result| {
            let id = result.id.or_else(|| result.link.clone())?;
            let title = clean(result.name.as_deref().unwrap_or(&id));
            let url = clean(result.link.as_deref().unwrap_or_default());
            Some(json!({ "id": id, "title": title, "url": url }))
        });
        Ok(json!({ "results": entries.collect::<Vec<_>>() }))
    }

    async fn document(
        &self,
        id: &str,
        offset: u64,
        max_characters: usize,
    ) -> Result<Option<Value>> {
        // No text has more characters than bytes.
        let options = ReadOptions::default().with_offset(offset).with_max_bytes(max_characters);
        let Some(page) = self.reader.read(id, &options).await? else { return Ok(None) };
        let mut metadata = page.document.metadata;
        metadata.retain(|name, _| !name.to_ascii_lowercase().contains("error"));
        if let Some(next) = page.next_offset {
            metadata.insert("next_offset".to_owned(), next.into());
        }
        let id = page.document.id;
        let title = clean(page.document.name.as_deref().unwrap_or(&id));
        let url = clean(page.document.link.as_deref().unwrap_or_default());
        let text = clean(&page.text);
        Ok(Some(json!({
            "id": id, "title": title, "text": text, "url": url, "metadata": metadata,
        })))
    }
}

/// The tools, as OpenAI's guide describes them. `fetch` has one more parameter, which ChatGPT leaves out.
pub(super) fn tools() -> [Tool; 2] {
    let text = |description: &str| json!({ "type": "string", "description": description });
    let entry = object(
        &[
            ("id", text("The id for `fetch`")),
            ("title", text("The title")),
            ("url", text("The link")),
        ],
        &["id", "title", "url"],
    );
    let results = object(&[("results", json!({ "type": "array", "items": entry }))], &["results"]);
    let offset = json!({
        "type": "integer", "minimum": 0,
        "description": "The `next_offset` in the metadata of the page before, to read on",
    });
    let document = object(
        &[
            ("id", text("The id")),
            ("title", text("The title")),
            ("text", text("The text, or a page of a long one")),
            ("url", text("The link")),
            ("metadata", json!({ "type": "object", "description": "Other facts" })),
        ],
        &["id", "title", "text", "url"],
    );
    [
        tool(
            SEARCH,
            "Search the documents and return the id, title and link of each result, best first.",
            object(&[("query", text("What to search for"))], &["query"]),
            results,
        ),
        tool(
            FETCH,
            "Read a whole document by the id of a result of `search`.",
            object(&[("id", text("The id of a result")), ("offset", offset)], &["id"]),
            document,
        ),
    ]
}

fn tool(name: &'static str, description: &'static str, input: Value, output: Value) -> Tool {
    let schema = |value| match value {
        Value::Object(entries) => entries,
        _ => JsonObject::new(),
    };
    let mut tool = Tool::new_with_raw(name, Some(description.into()), schema(input));
    tool.output_schema = Some(Arc::new(schema(output)));
    let mut annotations = ToolAnnotations::new();
    annotations.read_only_hint = Some(true);
    annotations.destructive_hint = Some(false);
    annotations.idempotent_hint = Some(true);
    tool.annotations = Some(annotations);
    tool
}

fn object(properties: &[(&str, Value)], required: &[&str]) -> Value {
    let properties = properties.iter().map(|(name, schema)| ((*name).to_owned(), schema.clone()));
    let properties: JsonObject = properties.collect();
    json!({ "type": "object", "properties": properties, "required": required })
}

/// The guide wants one text, with the same JSON as the structured content.
fn succeeded(value: Value) -> CallToolResult {
    let mut result = CallToolResult::success(vec![ContentBlock::text(value.to_string())]);
    result.structured_content = Some(value);
    result
}

fn failed(message: &str) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(message)])
}

impl std::fmt::Debug for McpDocuments {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("McpDocuments")
            .field("search", &self.search.name())
            .finish_non_exhaustive()
    }
}
