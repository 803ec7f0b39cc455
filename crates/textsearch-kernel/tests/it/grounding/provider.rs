//! The context provider that searches in each turn.

use serde_json::json;
use textsearch_kernel::{
    KernelArguments, KernelError, TextSearchPlugins as _,
    chat::{ChatEvent, FunctionChoiceBehavior},
    citations::check_citations,
    grounding::{GroundingOptions, TextSearchProvider},
    prompt::{ExecutionSettings, PromptTemplateConfig},
    textsearch_core::{
        FixedSearch,
        chat::{ChatHistory, ChatMessage, ChatRole, MessagePart},
    },
};

use super::{AFTER, BEFORE, Search, kernel, page, question, sent};
use crate::support::{Scripted, calls, text};

fn provider(search: &Search) -> TextSearchProvider {
    TextSearchProvider::new(search.clone(), GroundingOptions::new()).unwrap()
}

fn settings(provider: TextSearchProvider) -> ExecutionSettings {
    ExecutionSettings::new().with_context_provider(provider)
}

#[tokio::test]
async fn results_come_at_the_beginning_of_the_question() {
    let search = Search::new([page("a")]);
    let model = Scripted::new([text("So [1].")]);
    let settings = settings(provider(&search));
    kernel(&model).chat(question("What?"), settings).await.unwrap();
    let expected = format!(
        "{BEFORE}\n\
         {{\"Citation\":\"[1]\",\"Name\":\"a\",\"Value\":\"The text of a.\",\"Link\":\"https://example.com/a\"}}\n\
         {AFTER}\n\nWhat?"
    );
    assert_eq!(sent(&model, 0), [expected]);
    assert_eq!(search.queries(), ["What?"]);
}

#[tokio::test]
async fn the_history_holds_no_results() {
    let search = Search::new([page("a")]);
    let model = Scripted::new([text("One."), text("Two.")]);
    let kernel = kernel(&model);
    let settings = settings(provider(&search));
    let outcome = kernel.chat(question("First?"), settings.clone()).await.unwrap();
    let mut history = outcome.run.history;
    assert_eq!(history.messages()[0], ChatMessage::user("First?"));
    history.push(ChatMessage::user("Second?"));
    let outcome = kernel.chat(history, settings).await.unwrap();

    let second = sent(&model, 1);
    assert_eq!((second[0].as_str(), second[1].as_str()), ("First?", "One."));
    assert!(second[2].starts_with(BEFORE) && second[2].ends_with("\n\nSecond?"), "{}", second[2]);
    assert_eq!(search.queries(), ["First?", "Second?"]);
    let texts: Vec<String> =
        outcome.run.history.messages().iter().map(|message| message.text()).collect();
    assert_eq!(texts, ["First?", "One.", "Second?", "Two."]);
}

#[tokio::test]
async fn several_messages_can_form_the_query() {
    let search = Search::new([]);
    let model = Scripted::new([text("Done.")]);
    let history = ChatHistory::from(vec![
        ChatMessage::user("one"),
        ChatMessage::assistant("ignored"),
        ChatMessage::user("two"),
        ChatMessage::user("three"),
    ]);
    let provider = provider(&search).with_recent_messages(2);
    kernel(&model).chat(history, settings(provider)).await.unwrap();
    assert_eq!(search.queries(), ["two\nthree"]);
    assert_eq!(sent(&model, 0), ["one", "ignored", "two", "three"]);
}

#[tokio::test]
async fn every_round_sees_the_results_and_searches_once() {
    let search = Search::new([page("a")]);
    let model = Scripted::new([
        calls([("Docs-GetSearchResults", json!({ "query": "x" }))]),
        text("So [1][2], not [3]."),
    ]);
    let mut kernel = kernel(&model);
    let docs = FixedSearch::new([page("b")]);
    kernel.add_plugin(docs.create_with_get_search_results("Docs").unwrap()).unwrap();
    let settings = ExecutionSettings::from(FunctionChoiceBehavior::auto())
        .with_context_provider(provider(&search));
    let outcome = kernel.chat(question("What?"), settings).await.unwrap();
    assert!(sent(&model, 0)[0].starts_with(BEFORE));
    assert_eq!(sent(&model, 0)[0], sent(&model, 1)[0]);
    assert_eq!(search.queries().len(), 1);
    assert_eq!(model.tool_results_json()[0][0]["Citation"], "[2]");

    let names: Vec<_> =
        outcome.run.sources.iter().map(|source| source.name.clone().unwrap()).collect();
    assert_eq!(names, ["a", "b"]);
    let citations = check_citations(&outcome.answer().unwrap(), &outcome.run.sources);
    let sources: Vec<Option<usize>> = citations.iter().map(|citation| citation.source).collect();
    assert_eq!(sources, [Some(1), Some(2), None]);
}

#[tokio::test]
async fn streams_are_grounded_too() {
    let search = Search::new([page("a")]);
    let model = Scripted::new([text("It is so.")]);
    let settings = settings(provider(&search));
    let mut events = kernel(&model).chat_streaming(question("What?"), settings).await.unwrap();
    // Nothing happens before the stream is read.
    assert!(search.queries().is_empty());
    let mut streamed = String::new();
    let mut sources = 0;
    while let Some(event) = events.next().await {
        match event.unwrap() {
            ChatEvent::Text(piece) => streamed.push_str(&piece),
            ChatEvent::Finished(outcome) => sources = outcome.run.sources.len(),
            _ => {}
        }
    }
    assert_eq!((streamed.as_str(), sources), ("It is so.", 1));
    assert!(sent(&model, 0)[0].starts_with(BEFORE));
}

#[tokio::test]
async fn an_empty_search_adds_nothing() {
    let model = Scripted::new([text("Done.")]);
    let outcome =
        kernel(&model).chat(question("What?"), settings(provider(&Search::new([])))).await;
    assert_eq!(sent(&model, 0), ["What?"]);
    assert!(outcome.unwrap().run.sources.is_empty());
}

#[tokio::test]
async fn a_chat_without_a_user_message_is_not_searched_for() {
    let search = Search::new([page("a")]);
    let model = Scripted::new([text("Done.")]);
    let history = ChatHistory::from(vec![ChatMessage::system("Greet.")]);
    kernel(&model).chat(history, settings(provider(&search))).await.unwrap();
    assert!(search.queries().is_empty());
    assert_eq!(sent(&model, 0), ["Greet."]);
}

#[tokio::test]
async fn a_question_may_begin_with_an_image() {
    let search = Search::new([page("a")]);
    let model = Scripted::new([text("Done.")]);
    let image = MessagePart::Image { url: "https://example.com/a.png".to_owned() };
    let words = MessagePart::Text { text: "What is it?".to_owned() };
    let asked = ChatMessage::new(ChatRole::User, vec![image.clone(), words.clone()]);
    kernel(&model).chat(vec![asked].into(), settings(provider(&search))).await.unwrap();
    let parts = model.requests()[0].0.messages()[0].parts.clone();
    assert!(matches!(&parts[0], MessagePart::Text { text } if text.starts_with(BEFORE)));
    assert_eq!(parts[1..], [image, words]);
}

#[tokio::test]
async fn a_failed_search_fails_the_turn_before_any_request() {
    let model = Scripted::new([text("Done.")]);
    let settings = settings(provider(&Search::broken()));
    let error = kernel(&model).chat(question("What?"), settings).await.unwrap_err();
    assert!(matches!(error, KernelError::Search(_)), "{error:?}");
    assert!(model.requests().is_empty());
}

#[tokio::test]
async fn a_turn_may_continue_without_its_search() {
    let model = Scripted::new([text("Done.")]);
    let mut options = GroundingOptions::new();
    options.continue_on_error = true;
    let provider = TextSearchProvider::new(Search::broken(), options).unwrap();
    kernel(&model).chat(question("What?"), settings(provider)).await.unwrap();
    assert_eq!(sent(&model, 0), ["What?"]);
}

#[tokio::test]
async fn several_providers_count_on() {
    let model = Scripted::new([text("Done.")]);
    let settings = settings(provider(&Search::new([page("a"), page("b")])))
        .with_context_provider(provider(&Search::new([page("b"), page("c")])));
    let outcome = kernel(&model).chat(question("What?"), settings).await.unwrap();
    let text = sent(&model, 0).remove(0);
    let numbers: Vec<&str> = text.lines().filter_map(|line| line.get(13..16)).collect();
    assert_eq!(numbers.iter().filter(|number| number.starts_with('[')).count(), 4, "{text}");
    assert!(text.contains("{\"Citation\":\"[3]\",\"Name\":\"c\""), "{text}");
    assert_eq!(outcome.run.sources.len(), 3);
}

#[tokio::test]
async fn a_prompt_can_have_a_provider() {
    let search = Search::new([page("a")]);
    let model = Scripted::new([text("Done.")]);
    let arguments = KernelArguments::new().with_default_settings(settings(provider(&search)));
    let config = PromptTemplateConfig::new("What?").with_template_format("brackets");
    let result = kernel(&model).invoke_prompt(config, arguments).await.unwrap();
    assert_eq!(result.text(), "Done.");
    assert!(sent(&model, 0)[0].ends_with("\n\nWhat?"));
    assert_eq!(search.queries(), ["What?"]);
}

#[test]
fn a_provider_shows_its_settings_but_no_content() {
    let debug = format!("{:?}", settings(provider(&Search::new([page("secret")]))));
    assert!(debug.contains("search: \"shelf\"") && !debug.contains("secret"), "{debug}");
}
