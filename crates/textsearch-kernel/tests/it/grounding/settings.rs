//! A memory in the execution settings.

use serde_json::{Value, json};
use textsearch_kernel::{
    KernelArguments, KernelError,
    grounding::{GroundingOptions, MemoryConfig, TextSearchProvider},
    prompt::{ExecutionSettings, PromptTemplateConfig},
};

use super::{BEFORE, Search, kernel, page, question, sent};
use crate::support::{Scripted, set, text};

fn prompt(settings: &Value) -> PromptTemplateConfig {
    let config = json!({
        "template": "Budget for [year]?",
        "template_format": "brackets",
        "execution_settings": { "default": settings },
    });
    PromptTemplateConfig::from_json(&config.to_string()).unwrap()
}

async fn ask(search: &Search, config: PromptTemplateConfig) -> Result<Vec<String>, KernelError> {
    let model = Scripted::new([text("Done.")]);
    let mut kernel = kernel(&model);
    kernel.add_memory("budgets", search.clone()).unwrap();
    kernel.invoke_prompt(config, KernelArguments::new().with("year", 2024)).await?;
    Ok(sent(&model, 0))
}

fn scored() -> Search {
    Search::new([page("a").with_score(0.9), page("b").with_score(0.85), page("c").with_score(0.5)])
}

#[tokio::test]
async fn a_prompt_file_names_a_memory_of_the_kernel() {
    let search = scored();
    let settings =
        json!({ "memory_config": { "memory": "budgets", "min_relevance_score": 0.8, "limit": 1 } });
    let sent = ask(&search, prompt(&settings)).await.unwrap();
    assert!(
        sent[0].starts_with(BEFORE) && sent[0].ends_with("\n\nBudget for 2024?"),
        "{}",
        sent[0]
    );
    assert!(
        sent[0].contains("The text of a.") && !sent[0].contains("The text of b."),
        "{}",
        sent[0]
    );
    assert_eq!(search.queries(), ["Budget for 2024?"]);
    assert_eq!(search.asked.lock().unwrap()[0].1.top, 1);
}

#[tokio::test]
async fn results_below_the_minimum_relevance_are_left_out() {
    let settings = json!({ "memory_config": { "memory": "budgets", "min_relevance_score": 0.8 } });
    let sent = ask(&scored(), prompt(&settings)).await.unwrap();
    assert!(
        sent[0].contains("The text of b.") && !sent[0].contains("The text of c."),
        "{}",
        sent[0]
    );
}

#[tokio::test]
async fn code_passes_a_memory_without_a_name() {
    let search = scored();
    let model = Scripted::new([text("Done.")]);
    let mut config = MemoryConfig::new(search);
    config.limit = 2;
    config.min_relevance_score = Some(0.87);
    let settings = ExecutionSettings::new().with_memory(config);
    let outcome = kernel(&model).chat(question("Budget?"), settings).await.unwrap();
    assert_eq!(outcome.run.sources.len(), 1);
    assert!(sent(&model, 0)[0].ends_with("\n\nBudget?"));
}

#[tokio::test]
async fn arguments_override_the_memory_of_a_prompt() {
    let search = scored();
    let model = Scripted::new([text("Done."), text("Done.")]);
    let kernel = kernel(&model);
    let mut config = prompt(&json!({}));
    let own = ExecutionSettings::new().with_memory(MemoryConfig::new(Search::broken()));
    config.execution_settings.insert("default".to_owned(), own);
    let arguments =
        |settings| KernelArguments::new().with("year", 1).with_default_settings(settings);

    let other = ExecutionSettings::new().with_memory(MemoryConfig::new(search.clone()));
    kernel.invoke_prompt(&config, arguments(other)).await.unwrap();
    assert_eq!(search.queries().len(), 1);
    let none = ExecutionSettings::new().with("memory_config", Value::Null);
    kernel.invoke_prompt(&config, arguments(none)).await.unwrap();
    assert_eq!(sent(&model, 1), ["Budget for 1?"]);
}

#[tokio::test]
async fn a_name_replaces_a_memory_passed_by_code() {
    let model = Scripted::new([text("Done.")]);
    let settings = ExecutionSettings::new()
        .with_memory(MemoryConfig::new(Search::broken()))
        .with("memory_config", json!({ "memory": "budgets" }));
    let mut kernel = kernel(&model);
    kernel.add_memory("budgets", Search::new([page("a")])).unwrap();
    kernel.chat(question("Budget?"), settings).await.unwrap();
    assert!(sent(&model, 0)[0].contains("The text of a."));
}

#[tokio::test]
async fn a_memory_comes_before_other_providers() {
    let model = Scripted::new([text("Done.")]);
    let provider =
        TextSearchProvider::new(Search::new([page("b")]), GroundingOptions::new()).unwrap();
    let settings = ExecutionSettings::new()
        .with_context_provider(provider)
        .with_memory(MemoryConfig::new(Search::new([page("a")])));
    let outcome = kernel(&model).chat(question("Budget?"), settings).await.unwrap();
    let names: Vec<_> =
        outcome.run.sources.iter().map(|source| source.name.clone().unwrap()).collect();
    assert_eq!(names, ["a", "b"]);
}

#[tokio::test]
async fn unusable_memories_are_errors_before_any_request() {
    for (settings, expected) in [
        (
            json!({ "memory": "budgtes" }),
            "the execution setting `memory_config` names the memory `budgtes`, which the kernel lacks: the registered \
             ones are budgets",
        ),
        (
            json!({ "limit": 3 }),
            "the execution setting `memory_config` has no `memory`: name one of the kernel",
        ),
        (
            json!({ "memory": "budgets", "limit": 0 }),
            "the execution setting `memory_config` cannot be used: shelf: `top` is 0; expected 1 or more",
        ),
        (json!({ "memory": "budgets", "min_score": 1 }), "unknown field `min_score`"),
        (json!("budgets"), "the execution setting `memory_config` invalid type"),
    ] {
        let search = Search::new([page("a")]);
        let error = ask(&search, prompt(&json!({ "memory_config": settings }))).await.unwrap_err();
        assert!(error.to_string().contains(expected), "{error}");
        assert!(search.queries().is_empty());
    }
}

#[tokio::test]
async fn a_threshold_that_json_cannot_hold_is_an_error() {
    let model = Scripted::new([text("Done.")]);
    let mut config = MemoryConfig::new(scored());
    config.min_relevance_score = Some(f64::NAN);
    let settings = ExecutionSettings::new().with_memory(config);
    let error = kernel(&model).chat(question("Budget?"), settings).await.unwrap_err();
    assert!(error.to_string().contains("not a finite number"), "{error}");
}

#[test]
fn a_named_memory_is_serialised_and_one_in_code_is_an_error() {
    let named = ExecutionSettings::new()
        .with_memory(set(MemoryConfig::named("budgets"), |settings| settings.limit = 5));
    let json = serde_json::to_value(&named).unwrap();
    assert_eq!(json, json!({ "memory_config": { "memory": "budgets", "limit": 5 } }));
    assert_eq!(serde_json::from_value::<ExecutionSettings>(json).unwrap(), named);

    let in_code = ExecutionSettings::new().with_memory(MemoryConfig::new(Search::new([])));
    let error = serde_json::to_value(&in_code).unwrap_err().to_string();
    assert!(error.contains("name a memory of the kernel with `MemoryConfig::named`"), "{error}");
    assert_eq!(in_code, in_code.clone());
    assert_ne!(in_code, named);
}

#[test]
fn two_memories_need_two_names() {
    let mut kernel = kernel(&Scripted::new([]));
    kernel.add_memory("budgets", Search::new([])).unwrap();
    let error = kernel.add_memory("budgets", Search::new([])).unwrap_err();
    assert_eq!(
        error.to_string(),
        "`budgets` is a memory already: give the second one another name"
    );
}
