//! The four function-calling samples of Semantic Kernel's text-search design, run over HTTP.

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};
use textsearch_conformance::chat::Turn;
use textsearch_core::{Filter, FilterableField, FixedSearch, TextSearchRecord, TextSearchResult};
use textsearch_kernel::{
    KernelArguments, KernelPlugin, TextSearchPlugins as _,
    chat::ChatOutcome,
    citations::check_citations,
    search::{OfferedFields, SearchPluginOptions},
};

use crate::support::{Talk, auto};

const QUESTION: &str = "What is the Semantic Kernel?";
const BLOG: &str = "https://devblogs.microsoft.com/semantic-kernel/hello-world/";
const CODE: &str = "https://github.com/microsoft/semantic-kernel";
const TEXT: &str = "The Semantic Kernel is an open-source SDK.";

#[derive(Debug, Clone, Serialize, JsonSchema)]
struct Page {
    site: &'static str,
    link: &'static str,
}

impl TextSearchRecord for Page {
    fn text(&self) -> Cow<'_, str> {
        TEXT.into()
    }

    fn to_result(&self) -> TextSearchResult {
        TextSearchResult::new(TEXT).with_name(self.site).with_link(self.link)
    }
}

fn web() -> FixedSearch<Page> {
    FixedSearch::new([
        Page { site: "github.com", link: CODE },
        Page { site: "devblogs.microsoft.com", link: BLOG },
    ])
    .with_fields([FilterableField::string("site", "Only return results from this domain")
        .with_all_operators()])
}

/// The model makes one call and then answers.
async fn ask(
    plugin: KernelPlugin,
    question: &str,
    call: (&str, Value),
    answer: &str,
) -> (ChatOutcome, Talk) {
    let talk = Talk::with([Turn::tool_call(call.0, &call.1), Turn::text(answer)], [plugin]).await;
    let arguments = KernelArguments::new().with_default_settings(auto());
    let outcome = talk.kernel.chat_prompt(question, arguments).await.unwrap();
    talk.model.assert_valid();
    assert_eq!(talk.model.requests()[0].last_user_text(), question);
    (outcome, talk)
}

fn links(talk: &Talk) -> Vec<Value> {
    talk.told()[0].as_array().unwrap().iter().map(|result| result["Link"].clone()).collect()
}

#[tokio::test]
async fn function_calling_with_texts() {
    let plugin = web().create_with_search("SearchPlugin").unwrap();
    let call = ("SearchPlugin-Search", json!({ "query": QUESTION }));
    let (outcome, talk) = ask(plugin, QUESTION, call, "An open-source SDK.").await;
    assert_eq!(talk.model.requests()[0].tool_names(), ["SearchPlugin-Search"]);
    assert_eq!(talk.told(), [json!([TEXT, TEXT])]);
    assert_eq!(outcome.answer().unwrap(), "An open-source SDK.");
    assert!(outcome.run.usage.total_tokens() > 0);
}

#[tokio::test]
async fn function_calling_with_results_and_citations() {
    let plugin = web().create_with_get_search_results("SearchPlugin").unwrap();
    let call = ("SearchPlugin-GetSearchResults", json!({ "query": QUESTION }));
    let answer =
        format!("An SDK ([GitHub]({CODE})) for AI ([Hello]({BLOG}), [Made up](https://made.up/)).");
    let question = "What is the Semantic Kernel? Include citations to the relevant information where it is \
                    referenced in the response.";
    let (outcome, talk) = ask(plugin, question, call, &answer).await;
    assert_eq!(links(&talk), [CODE, BLOG]);
    let citations = check_citations(&outcome.answer().unwrap(), &outcome.run.sources);
    let supported: Vec<bool> = citations.iter().map(|citation| citation.is_supported()).collect();
    assert_eq!(supported, [true, true, false]);
}

#[tokio::test]
async fn function_calling_with_a_fixed_site() {
    let options = SearchPluginOptions::new("SearchPlugin")
        .with_fixed_filter(Filter::eq("site", "devblogs.microsoft.com"));
    let plugin = web().create_with_get_search_results(options).unwrap();
    let query = "Semantic Kernel OR site:github.com";
    let call = ("SearchPlugin-GetSearchResults", json!({ "query": query, "count": 10 }));
    let (_, talk) = ask(plugin, QUESTION, call, "An SDK.").await;
    assert_eq!(links(&talk), [BLOG]);
}

#[tokio::test]
async fn function_calling_with_a_site_that_the_model_sets() {
    let options = SearchPluginOptions::new("SearchPlugin")
        .with_function_name("Search")
        .with_description(
            "Perform a search for content related to the specified query and optionally from the specified domain.",
        )
        .with_offered_fields(OfferedFields::list(["site"]));
    let plugin = web().create_with_get_search_results(options).unwrap();
    let call = ("SearchPlugin-Search", json!({ "query": QUESTION, "site": "github.com" }));
    let question = "What is the Semantic Kernel? Only include results from github.com.";
    let (outcome, talk) = ask(plugin, question, call, "An SDK [1].").await;
    let requests = talk.model.requests();
    let offered = requests[0].tools().next().unwrap();
    assert_eq!(offered["parameters"]["properties"]["site"]["anyOf"][0]["type"], "string");
    assert_eq!(links(&talk), [CODE]);
    let citations = check_citations(&outcome.answer().unwrap(), &outcome.run.sources);
    assert!(citations[0].is_supported());
}
