//! The four templates of the seed, byte for byte; Handlebars.js produced the expected texts.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use textsearch_core::{
    FixedSearch, SearchOptions, TextSearch, TextSearchRecord, TextSearchResult,
    schemars::{self, JsonSchema},
};
use textsearch_kernel::{
    Kernel, KernelArguments, KernelError, KernelFunction, KernelPlugin, Result, TextSearchPlugins,
    function::{FunctionMetadata, ParameterMetadata},
};

use crate::support::{handlebars, kernel, render, semantic_kernel};

/// A record with the fields of a page that Bing finds.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "PascalCase")]
struct BingWebPage {
    name: String,
    snippet: String,
    url: String,
    display_url: String,
    date_last_crawled: String,
}

impl TextSearchRecord for BingWebPage {
    fn text(&self) -> Cow<'_, str> {
        Cow::Borrowed(&self.snippet)
    }

    fn to_result(&self) -> TextSearchResult {
        TextSearchResult::new(&self.snippet).with_name(&self.name).with_link(&self.url)
    }
}

fn search() -> FixedSearch<BingWebPage> {
    let pages: Vec<BingWebPage> =
        serde_json::from_str(include_str!("../fixtures/bing_web_pages.json")).unwrap();
    FixedSearch::new(pages)
}

/// The seed's `CreateGetFullWebPages`, with pages that need no network access.
fn get_full_web_pages(search: FixedSearch<BingWebPage>) -> KernelFunction {
    let schema = serde_json::json!({ "type": "string" });
    let metadata = FunctionMetadata::new("GetFullWebPages", "Searches, and reads the pages found.")
        .with_parameter(ParameterMetadata::required("query", "What to search for", schema));
    KernelFunction::new(metadata, move |invocation| {
        let search = search.clone();
        async move {
            let failed = |error| KernelError::failed("GetFullWebPages", error);
            let query = invocation.arguments.get("query").and_then(|query| query.as_str());
            let query = query.unwrap_or_default();
            let options = SearchOptions::top(2);
            let results = search.text_search_results(query, &options).await.map_err(failed)?;
            Ok(results.into_vec().await.map_err(failed)?.into_iter().map(full_page).collect())
        }
    })
    .unwrap()
}

fn full_page(mut result: TextSearchResult) -> serde_json::Value {
    result.value = format!("Full text of {}", result.link.as_deref().unwrap_or_default());
    serde_json::to_value(result).unwrap()
}

fn kernel_with(plugin: Result<KernelPlugin>) -> Kernel {
    let mut kernel = kernel();
    kernel.add_plugin(plugin.unwrap()).unwrap();
    kernel
}

fn query() -> KernelArguments {
    KernelArguments::new().with("query", "What is the Semantic Kernel?")
}

#[tokio::test]
async fn search_and_query_render_in_the_semantic_kernel_format() {
    let kernel = kernel_with(search().create_with_search("SearchPlugin"));
    let template = semantic_kernel(include_str!("../fixtures/templates/search.txt"));
    let text = render(&kernel, &template, &query()).await.unwrap();
    assert_eq!(
        text,
        "A kit that \"integrates\" models & code: it's <b>open source</b>.\n\
         Two lines\nof text, with a tab\tand braces {{ }}.. What is the Semantic Kernel?"
    );
}

#[tokio::test]
async fn get_search_results_renders_as_in_handlebars_js() {
    let kernel = kernel_with(search().create_with_get_search_results("SearchPlugin"));
    let template = handlebars(include_str!("../fixtures/templates/get_search_results.hbs"));
    let text = render(&kernel, &template, &query()).await.unwrap();
    assert_eq!(text, include_str!("../fixtures/expected/get_search_results.txt"));
}

#[tokio::test]
async fn get_bing_web_pages_renders_as_in_handlebars_js() {
    let kernel = kernel_with(search().create_with_records("SearchPlugin", "GetBingWebPages"));
    let template = handlebars(include_str!("../fixtures/templates/get_bing_web_pages.hbs"));
    let text = render(&kernel, &template, &query()).await.unwrap();
    assert_eq!(text, include_str!("../fixtures/expected/get_bing_web_pages.txt"));
}

#[tokio::test]
async fn get_full_web_pages_renders_as_in_handlebars_js() {
    let plugin = KernelPlugin::new("SearchPlugin", "", [get_full_web_pages(search())]);
    let template = handlebars(include_str!("../fixtures/templates/get_full_web_pages.hbs"));
    let text = render(&kernel_with(plugin), &template, &query()).await.unwrap();
    assert_eq!(text, include_str!("../fixtures/expected/get_full_web_pages.txt"));
}

#[tokio::test]
async fn an_empty_search_keeps_the_rest_of_the_prompt() {
    let empty = FixedSearch::<BingWebPage>::new([]);
    let kernel = kernel_with(empty.create_with_get_search_results("SearchPlugin"));
    let template = handlebars(include_str!("../fixtures/templates/get_search_results.hbs"));
    let text = render(&kernel, &template, &query()).await.unwrap();
    let rest =
        "Include citations to the relevant information where it is referenced in the response.";
    assert_eq!(text, format!("\n\nWhat is the Semantic Kernel?\n\n{rest}\n"));
}

#[tokio::test]
async fn a_call_without_a_query_uses_the_variable() {
    let kernel = kernel_with(search().create_with_search("SearchPlugin"));
    let explicit = semantic_kernel("{{SearchPlugin.Search $query}}");
    let expected = render(&kernel, &explicit, &query()).await.unwrap();
    assert!(expected.starts_with("A kit that"), "{expected}");
    for template in
        [semantic_kernel("{{SearchPlugin.Search}}"), handlebars("{{SearchPlugin-Search}}")]
    {
        assert_eq!(render(&kernel, &template, &query()).await.unwrap(), expected);
    }
}
