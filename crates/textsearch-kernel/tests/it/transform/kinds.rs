//! What each transform asks the model, and what it searches for.

use serde_json::json;
use textsearch_kernel::{
    Kernel,
    prompt::PromptTemplateConfig,
    textsearch_core::{
        FixedSearch, SearchOptions, TextSearchResult,
        chat::{ChatHistory, ChatMessage},
    },
    transform::{HypotheticalAnswer, Standalone, SubQuestions, Transformed, Variants},
};

use super::{Notes, conversation, results, search};
use crate::support::{BracketsFactory, Scripted, text};

#[tokio::test]
async fn first_question_makes_no_request() {
    let notes = Notes::new().await;
    let model = Scripted::new([]);
    let transformed = Transformed::new(notes.clone(), Standalone::new(model.clone()));
    let (ids, report) = search(&transformed, "ferry  on Sunday?").await;
    assert_eq!(ids, ["ferry"]);
    assert_eq!(notes.queries(), ["ferry  on Sunday?"]);
    assert_eq!(report["fallback"], json!(null));
    assert_eq!(model.requests().len(), 0);
}

#[tokio::test]
async fn follow_up_is_searched_as_its_rewrite() {
    let notes = Notes::new().await;
    let model = Scripted::new([text("Here it is:\n\n\"How high are the tides in winter?\"\n")]);
    let transformed = Transformed::new(notes.clone(), Standalone::new(model.clone()))
        .with_history(conversation());
    let (ids, report) = search(&transformed, "And in\nwinter?").await;
    assert_eq!(ids[0], "winter");
    assert_eq!(notes.queries(), ["How high are the tides in winter?"]);
    let queries = json!([{ "text": "How high are the tides in winter?", "weight": 1.0 }]);
    assert_eq!(report, json!({ "transform": "standalone", "queries": queries }));

    let requests = model.requests();
    let [(request, options)] = requests.as_slice() else { panic!("{}", requests.len()) };
    let question = "Conversation:\nUser: How high are the tides?\nAssistant: Seven metres.\n\nQuestion: And in winter?";
    assert_eq!(request[1].text(), question);
    assert_eq!(options.max_tokens, Some(1_000));
}

#[tokio::test]
async fn variants_keep_the_question() {
    let notes = Notes::new().await;
    let model = Scripted::new([text("1. sea\n2. lunar pull\n3. tides\n4. one too many")]);
    let transformed = Transformed::new(notes.clone(), Variants::new(model.clone()));
    let (ids, report) = search(&transformed, "moon").await;
    assert_eq!(ids[0], "moon");
    assert_eq!(notes.queries(), ["moon", "sea", "lunar pull", "tides"]);
    let weights: Vec<_> = (0..4).map(|number| &report["queries"][number]["weight"]).collect();
    assert_eq!(weights, [&json!(1.0), &json!(0.5), &json!(0.5), &json!(0.5)]);
    assert_eq!(report["queries"][1]["results"], 1);
    assert!(model.requests()[0].0[0].text().starts_with("Write 3 other phrasings"));
}

#[tokio::test]
async fn made_up_answer_goes_to_the_vector_search_only() {
    let notes = Notes::new().await;
    let by_vector = FixedSearch::new([TextSearchResult::new("Near.").with_id("near")]);
    let model = Scripted::new([text("Seven metres,\nsays the harbour.")]);
    let transformed = Transformed::new(notes.clone(), HypotheticalAnswer::new(model))
        .with_vector_search(by_vector);
    let (ids, report) = search(&transformed, "ferry").await;
    assert_eq!(ids, ["ferry", "near"]);
    assert_eq!(notes.queries(), ["ferry"]);
    let answer = json!({ "text": "Seven metres, says the harbour.", "weight": 1.0, "leg": "vector", "results": 1 });
    assert_eq!(report["queries"][1], answer);
}

#[tokio::test]
async fn vector_query_without_vector_search_is_reported() {
    let notes = Notes::new().await;
    let model = Scripted::new([text("Seven metres.")]);
    let transformed = Transformed::new(notes.clone(), HypotheticalAnswer::new(model));
    let (_, report) = search(&transformed, "ferry").await;
    assert_eq!(notes.queries(), ["ferry"]);
    assert_eq!(report["dropped"], json!({ "no_vector_search": 1 }));
}

#[tokio::test]
async fn results_list_the_parts_they_answer() {
    let notes = Notes::new().await;
    let model = Scripted::new([text("- tides of winter\n- Sunday ferry winter")]);
    let transformed = Transformed::new(notes.clone(), SubQuestions::new(model));
    let question = "When are the tides of winter, and when does the ferry sail?";
    let (results, _) = results(&transformed, question, &SearchOptions::top(5)).await;
    let parts = |id: &str| {
        let result = results.iter().find(|result| result.id.as_deref() == Some(id)).unwrap();
        result.metadata["parts"].clone()
    };
    assert_eq!(parts("winter"), json!(["tides of winter", "Sunday ferry winter"]));
    assert_eq!(parts("ferry"), json!(["Sunday ferry winter"]));
    assert_eq!(parts("tides"), json!(["tides of winter"]));
}

#[tokio::test]
async fn prompt_replaces_the_built_in_messages() {
    let notes = Notes::new().await;
    let mut kernel = Kernel::new();
    kernel.add_template_factory(BracketsFactory);
    let config = PromptTemplateConfig::new("[count] for [question] after [history]")
        .with_template_format("brackets");
    let prompt = kernel.compile_prompt(&config).unwrap();
    let model = Scripted::new([text("ferry")]);
    let standalone = Standalone::new(model.clone()).with_prompt(prompt);
    let history = ChatHistory::from(vec![ChatMessage::user("Hello.")]);
    let transformed = Transformed::new(notes.clone(), standalone).with_history(history);
    search(&transformed, "when?").await;
    assert_eq!(model.requests()[0].0[0].text(), "1 for when? after User: Hello.");
    assert_eq!(notes.queries(), ["ferry"]);
}
