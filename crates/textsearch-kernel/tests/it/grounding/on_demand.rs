//! The context provider, when the model calls its function.

use serde_json::json;
use textsearch_kernel::{
    KernelError,
    chat::{ChatEnd, FunctionChoiceBehavior},
    citations::check_citations,
    grounding::{GroundingOptions, TextSearchBehavior, TextSearchProvider},
    prompt::ExecutionSettings,
};

use super::{Search, kernel, page, question, sent};
use crate::support::{Scripted, calls, echo, kernel_of, kernel_with, text};

fn provider(search: &Search, options: GroundingOptions) -> TextSearchProvider {
    let provider = TextSearchProvider::new(search.clone(), options).unwrap();
    provider.with_behavior(TextSearchBehavior::OnDemandFunctionCalling)
}

fn settings(provider: TextSearchProvider) -> ExecutionSettings {
    ExecutionSettings::new().with_context_provider(provider)
}

#[tokio::test]
async fn the_model_searches_with_its_own_query() {
    let search = Search::new([page("a"), page("a"), page("b").with_score(0.1)]);
    let model =
        Scripted::new([calls([("Search", json!({ "query": "tides" }))]), text("So [1], not [3].")]);
    let settings = settings(provider(&search, GroundingOptions::new()));
    let outcome = kernel(&model).chat(question("What?"), settings).await.unwrap();
    assert_eq!(model.offered(), [["Search"], ["Search"]]);
    assert_eq!(sent(&model, 0), ["What?"]);
    assert_eq!(search.queries(), ["tides"]);
    let expected = json!([
        { "Citation": "[1]", "Name": "a", "Value": "The text of a.", "Link": "https://example.com/a" },
        { "Citation": "[2]", "Name": "b", "Value": "The text of b.", "Link": "https://example.com/b" },
    ]);
    assert_eq!(model.tool_results_json(), [expected]);
    let citations = check_citations(&outcome.answer().unwrap(), &outcome.run.sources);
    let sources: Vec<Option<usize>> = citations.iter().map(|citation| citation.source).collect();
    assert_eq!(sources, [Some(1), None]);
}

#[tokio::test]
async fn the_function_joins_the_offered_ones() {
    let model = Scripted::new([text("Done.")]);
    let kernel = kernel_with(kernel_of([echo([])]), &model);
    let provider = provider(&Search::new([]), GroundingOptions::new())
        .with_function_name("FindPages")
        .with_function_description("Knows tides.");
    let settings =
        ExecutionSettings::from(FunctionChoiceBehavior::auto()).with_context_provider(provider);
    kernel.chat(question("What?"), settings).await.unwrap();
    assert_eq!(model.offered(), [["Test-Echo", "FindPages"]]);
    let tool = model.requests()[0].1.tools[1].clone();
    assert_eq!(tool.description, "Knows tides.");
    assert_eq!(tool.parameters["required"], json!(["query"]));
}

#[tokio::test]
async fn the_options_apply_to_the_functions_results() {
    let search = Search::new([page("a").with_score(0.9), page("b").with_score(0.2)]);
    let model = Scripted::new([calls([("Search", json!({ "query": "x" }))]), text("Done.")]);
    let settings = settings(provider(&search, GroundingOptions::new().with_min_score(0.5)));
    kernel(&model).chat(question("What?"), settings).await.unwrap();
    assert_eq!(model.tool_results_json()[0].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn a_failed_search_is_a_failed_call() {
    let model = Scripted::new([calls([("Search", json!({ "query": "x" }))]), text("Done.")]);
    let mut options = GroundingOptions::new();
    options.continue_on_error = true;
    kernel(&model)
        .chat(question("What?"), settings(provider(&Search::broken(), options)))
        .await
        .unwrap();
    assert_eq!(model.tool_results_json()[0]["error"], "failed");
}

#[tokio::test]
async fn a_choice_of_no_function_shows_it_only() {
    let model = Scripted::new([calls([("Search", json!({ "query": "x" }))])]);
    let search = Search::new([page("a")]);
    let settings = ExecutionSettings::from(FunctionChoiceBehavior::none())
        .with_context_provider(provider(&search, GroundingOptions::new()));
    let outcome = kernel(&model).chat(question("What?"), settings).await.unwrap();
    assert!(search.queries().is_empty());
    assert_eq!(outcome.end, ChatEnd::UnofferedCalls);
}

#[tokio::test]
async fn only_the_kernel_can_run_the_function() {
    let model = Scripted::new([text("Done.")]);
    let mut behavior = FunctionChoiceBehavior::auto();
    behavior.options.auto_invoke = false;
    let settings = ExecutionSettings::from(behavior)
        .with_context_provider(provider(&Search::new([]), GroundingOptions::new()));
    let error = kernel(&model).chat(question("What?"), settings).await.unwrap_err();
    assert!(matches!(error, KernelError::InvalidSetting { .. }), "{error:?}");
}

#[tokio::test]
async fn two_functions_need_two_names() {
    let model = Scripted::new([text("Done.")]);
    let settings = settings(provider(&Search::new([]), GroundingOptions::new()))
        .with_context_provider(provider(&Search::new([]), GroundingOptions::new()));
    let error = kernel(&model).chat(question("What?"), settings).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "`Search` is offered already: give the second function another name"
    );
}
