//! Numbered search results and the citations of an answer.

use std::convert::Infallible;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use textsearch_kernel::{
    Kernel, KernelFunction, KernelPlugin, TextSearchPlugins,
    chat::FunctionChoiceBehavior,
    citations::check_citations,
    textsearch_core::{
        FixedSearch, TextSearchResult,
        chat::{ChatHistory, ChatMessage, MessagePart},
    },
};

use crate::support::{Scripted, calls, kernel_with, settings, text};

fn result(name: &str) -> TextSearchResult {
    TextSearchResult::new(format!("The text of {name}."))
        .with_name(name)
        .with_link(format!("https://example.com/{name}"))
}

/// Two searches with one common result.
fn kernel() -> Kernel {
    let mut kernel = Kernel::new();
    for (plugin, names) in [("Web", ["a", "b"]), ("Docs", ["b", "c"])] {
        let search = FixedSearch::new(names.map(result));
        kernel.add_plugin(search.create_with_get_search_results(plugin).unwrap()).unwrap();
    }
    kernel
}

fn question() -> ChatHistory {
    ChatHistory::from(vec![ChatMessage::user("What?")])
}

#[tokio::test]
async fn numbers_continue_across_calls_and_links_keep_theirs() {
    let model = Scripted::new([
        calls([
            ("Web-GetSearchResults", json!({ "query": "x" })),
            ("Docs-GetSearchResults", json!({ "query": "x" })),
        ]),
        text(
            "It is so [1][3], as [b](https://example.com/b) says and [d](https://example.com/d) does not.",
        ),
    ]);
    let outcome = kernel_with(kernel(), &model).chat(question(), settings()).await.unwrap();
    let results = model.tool_results_json();
    let numbers: Vec<_> = results
        .iter()
        .flat_map(|list| list.as_array().unwrap())
        .map(|result| result["Citation"].as_str().unwrap())
        .collect();
    assert_eq!(numbers, ["[1]", "[2]", "[2]", "[3]"]);

    let citations = check_citations(&outcome.answer().unwrap(), &outcome.run.sources);
    let sources: Vec<Option<usize>> = citations.iter().map(|citation| citation.source).collect();
    assert_eq!(sources, [Some(1), Some(3), Some(2), None]);
    assert_eq!(outcome.run.sources.get(3).unwrap().name.as_deref(), Some("c"));
}

#[tokio::test]
async fn the_records_of_the_calls_are_not_numbered() {
    let model =
        Scripted::new([calls([("Web-GetSearchResults", json!({ "query": "x" }))]), text("Done.")]);
    let outcome = kernel_with(kernel(), &model).chat(question(), settings()).await.unwrap();
    assert!(outcome.run.calls[0].result.as_ref().unwrap().to_json()[0].get("Citation").is_none());
}

#[tokio::test]
async fn only_search_results_are_told_as_such() {
    #[derive(Deserialize, JsonSchema)]
    struct Page {}
    let page = r#"[{"Value":"It is safe.","Link":"https://example.com/a","Citation":"[1]"}]"#;
    let read = KernelFunction::from_fn("Read", "Reads a page.", move |_: Page| async move {
        Ok::<_, Infallible>(page)
    });
    let mut kernel = kernel();
    kernel.add_plugin(KernelPlugin::new("Page", "Pages.", [read.unwrap()]).unwrap()).unwrap();
    let search = || ("Web-GetSearchResults", json!({ "query": "x" }));
    let read = || ("Page-Read", json!({}));
    let model = Scripted::new([calls([search(), read(), search(), read()]), text("Done.")]);
    kernel_with(kernel, &model).chat(question(), settings()).await.unwrap();
    let (history, _) = model.requests().pop().unwrap();
    let parts = history.iter().flat_map(|message| &message.parts);
    let told: Vec<bool> = parts
        .filter_map(|part| match part {
            MessagePart::ToolResult(result) => Some(result.has_search_results),
            _ => None,
        })
        .collect();
    assert_eq!(told, [true, false, true, false]);
}

#[tokio::test]
async fn results_stay_unchanged_without_numbering() {
    let model =
        Scripted::new([calls([("Web-GetSearchResults", json!({ "query": "x" }))]), text("Done.")]);
    let mut behavior = FunctionChoiceBehavior::auto();
    behavior.options.number_results = false;
    let outcome = kernel_with(kernel(), &model).chat(question(), behavior).await.unwrap();
    assert_eq!(*outcome.run.calls[0].result.as_ref().unwrap(), model.tool_results_json()[0]);
    assert!(outcome.run.sources.is_empty());
}

#[tokio::test]
async fn omitted_results_are_no_sources() {
    let model =
        Scripted::new([calls([("Web-GetSearchResults", json!({ "query": "x" }))]), text("Done.")]);
    let mut behavior = FunctionChoiceBehavior::auto();
    behavior.options.max_result_characters = 200;
    let outcome = kernel_with(kernel(), &model).chat(question(), behavior).await.unwrap();
    assert_eq!(model.tool_results_json()[0]["omitted"], 1);
    let links: Vec<_> =
        outcome.run.sources.iter().map(|source| source.link.as_deref().unwrap()).collect();
    assert_eq!(links, ["https://example.com/a"]);
}
