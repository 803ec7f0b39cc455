//! Semantic Kernel's four function calling samples, with a scripted model.

use serde_json::{Value, json};
use textsearch_kernel::{
    Kernel, KernelArguments, KernelPlugin, TextSearchPlugins,
    chat::{ChatOutcome, FunctionChoiceBehavior},
    citations::check_citations,
    prompt::PromptTemplateConfig,
    search::{OfferedFields, SearchPluginOptions},
    textsearch_core::{Filter, FilterableField, FixedSearch, TextSearchRecord, TextSearchResult},
};

use crate::support::{BracketsFactory, Scripted, calls, kernel_with, text};

const QUESTION: &str = "What is the Semantic Kernel?";
const BLOG: &str = "https://devblogs.microsoft.com/semantic-kernel/hello-world/";
const CODE: &str = "https://github.com/microsoft/semantic-kernel";

/// A page with its site, as web engines have them.
#[derive(Debug, Clone, serde::Serialize, schemars::JsonSchema)]
struct Page {
    site: String,
    name: String,
    link: String,
}

impl TextSearchRecord for Page {
    fn text(&self) -> std::borrow::Cow<'_, str> {
        "The Semantic Kernel is an open-source SDK.".into()
    }

    fn to_result(&self) -> TextSearchResult {
        TextSearchResult::new(self.text()).with_name(&self.name).with_link(&self.link)
    }
}

fn web() -> FixedSearch<Page> {
    let page = |site: &str, name: &str, link: &str| Page {
        site: site.to_owned(),
        name: name.to_owned(),
        link: link.to_owned(),
    };
    let site = FilterableField::string("site", "Only return results from this domain");
    FixedSearch::new([
        page("github.com", "The code", CODE),
        page("devblogs.microsoft.com", "Hello, Semantic Kernel!", BLOG),
    ])
    .with_fields([site])
}

async fn ask(
    plugin: KernelPlugin,
    question: &str,
    call: (&str, Value),
    answer: &str,
) -> (ChatOutcome, Value) {
    let model = Scripted::new([calls([call]), text(answer)]);
    let mut kernel = kernel_with(Kernel::new(), &model);
    kernel.add_template_factory(BracketsFactory);
    kernel.add_plugin(plugin).unwrap();
    let prompt = PromptTemplateConfig::new(question).with_template_format("brackets");
    let arguments = KernelArguments::new().with_default_settings(FunctionChoiceBehavior::auto());
    let outcome = kernel.chat_prompt(prompt, arguments).await.unwrap();
    (outcome, model.tool_results_json().remove(0))
}

#[tokio::test]
async fn function_calling_with_texts() {
    let plugin = web().create_with_search("SearchPlugin").unwrap();
    let call = ("SearchPlugin-Search", json!({ "query": QUESTION }));
    let (outcome, results) = ask(plugin, QUESTION, call, "An open-source SDK.").await;
    assert_eq!(results[0], "The Semantic Kernel is an open-source SDK.");
    assert_eq!(outcome.answer().unwrap(), "An open-source SDK.");
}

#[tokio::test]
async fn function_calling_with_results_and_citations() {
    let plugin = web().create_with_get_search_results("SearchPlugin").unwrap();
    let call = ("SearchPlugin-GetSearchResults", json!({ "query": QUESTION }));
    let answer =
        format!("An SDK ([GitHub]({CODE})) for AI ([Hello]({BLOG}), [Made up](https://made.up/)).");
    let question = "What is the Semantic Kernel? Include citations to the relevant information where it is \
                    referenced in the response.";
    let (outcome, results) = ask(plugin, question, call, &answer).await;
    assert_eq!(results[0]["Link"], CODE);
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
    let (_, results) = ask(plugin, QUESTION, call, "An SDK.").await;
    let links: Vec<&Value> =
        results.as_array().unwrap().iter().map(|result| &result["Link"]).collect();
    assert_eq!(links, [BLOG]);
}

#[tokio::test]
async fn function_calling_with_a_site_that_the_model_sets() {
    let options = SearchPluginOptions::new("SearchPlugin")
        .with_description(
            "Perform a search for content related to the specified query and optionally from the specified domain.",
        )
        .with_offered_fields(OfferedFields::list(["site"]));
    let options = options.with_function_name("Search");
    let plugin = web().create_with_get_search_results(options).unwrap();
    let call = ("SearchPlugin-Search", json!({ "query": QUESTION, "site": "github.com" }));
    let question = "What is the Semantic Kernel? Only include results from github.com.";
    let (outcome, results) = ask(plugin, question, call, "An SDK [1].").await;
    let links: Vec<&Value> =
        results.as_array().unwrap().iter().map(|result| &result["Link"]).collect();
    assert_eq!(links, [CODE]);
    assert_eq!(outcome.run.calls[0].arguments["site"], "github.com");
}
