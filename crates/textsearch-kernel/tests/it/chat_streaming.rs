//! A run as a stream of events.

use std::{
    convert::Infallible,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use futures_util::FutureExt;
use serde_json::json;
use textsearch_kernel::{
    Kernel, KernelArguments, KernelError, KernelFunction,
    chat::{ChatEvent, ChatEvents, FunctionChoiceBehavior},
    function::{NoArguments, ParameterMetadata},
    prompt::PromptTemplateConfig,
    textsearch_core::{
        Error, ErrorKind,
        chat::{ChatHistory, ChatMessage},
    },
};

use crate::support::{
    BracketsFactory, Scripted, calls, echo, kernel_of, kernel_with, settings, text,
};

fn kernel() -> Kernel {
    let word = ParameterMetadata::required("word", "", json!({ "type": "string" }));
    kernel_of([echo([word])])
}

fn question() -> ChatHistory {
    ChatHistory::from(vec![ChatMessage::user("What?")])
}

async fn read(mut events: ChatEvents) -> Vec<String> {
    let mut read = Vec::new();
    while let Some(event) = events.next().await {
        read.push(match event {
            Ok(ChatEvent::Text(text)) => text,
            Ok(ChatEvent::CallStarted { call, round, .. }) => {
                format!("{} starts in {round}", call.id)
            }
            Ok(ChatEvent::CallFinished(record)) => {
                format!("{} {}", record.call.id, record.result.is_ok())
            }
            Ok(ChatEvent::Finished(outcome)) => format!("finished: {}", outcome.answer().unwrap()),
            Ok(other) => panic!("{other:?}"),
            Err(error) => format!("error: {error}"),
        });
    }
    assert!(events.next().await.is_none());
    read
}

#[tokio::test]
async fn events_hold_calls_and_pieces_of_text() {
    let model = Scripted::new([calls([("Test-Echo", json!({ "word": "a" }))]), text("It is so.")]);
    let events =
        kernel_with(kernel(), &model).chat_streaming(question(), settings()).await.unwrap();
    let expected =
        ["call-0 starts in 1", "call-0 true", "It ", "is ", "so.", "finished: It is so."];
    assert_eq!(read(events).await, expected);
}

#[tokio::test]
async fn a_call_that_is_not_run_finishes_without_a_start() {
    let model = Scripted::new([calls([("Test-Missing", json!({}))]), text("Done.")]);
    let events =
        kernel_with(kernel(), &model).chat_streaming(question(), settings()).await.unwrap();
    assert_eq!(read(events).await, ["call-0 false", "Done.", "finished: Done."]);
}

#[tokio::test]
async fn an_error_of_the_service_is_the_last_event() {
    let failure = Error::new(ErrorKind::Unavailable, "scripted", "gone");
    let model =
        Scripted::with_errors([Ok(calls([("Test-Echo", json!({ "word": "a" }))])), Err(failure)]);
    let events =
        kernel_with(kernel(), &model).chat_streaming(question(), settings()).await.unwrap();
    let expected =
        ["call-0 starts in 1", "call-0 true", "error: the chat service `scripted` failed"];
    assert_eq!(read(events).await, expected);
}

#[tokio::test]
async fn the_outcome_is_available_without_reading_events() {
    let model = Scripted::new([calls([("Test-Echo", json!({ "word": "a" }))]), text("It is so.")]);
    let events =
        kernel_with(kernel(), &model).chat_streaming(question(), settings()).await.unwrap();
    let outcome = events.into_outcome().await.unwrap();
    assert_eq!(outcome.answer().unwrap(), "It is so.");
    assert_eq!(outcome.run.calls.len(), 1);
}

#[tokio::test]
async fn a_run_advances_only_while_its_events_are_read() {
    let model = Scripted::new([text("Done.")]);
    let events =
        kernel_with(kernel(), &model).chat_streaming(question(), settings()).await.unwrap();
    tokio::task::yield_now().await;
    assert!(model.requests().is_empty());
    drop(events);
}

#[tokio::test]
async fn dropping_the_stream_stops_the_functions() {
    struct Guard(Arc<AtomicBool>);
    impl Drop for Guard {
        fn drop(&mut self) {
            self.0.store(true, Ordering::SeqCst);
        }
    }
    let stopped = Arc::new(AtomicBool::new(false));
    let seen = Arc::clone(&stopped);
    let function = KernelFunction::from_fn("Hang", "Never returns.", move |_: NoArguments| {
        let guard = Guard(Arc::clone(&seen));
        async move {
            let _guard = guard;
            std::future::pending::<()>().await;
            Ok::<_, Infallible>(())
        }
    });
    let model = Scripted::new([calls([("Test-Hang", json!({}))])]);
    let kernel = kernel_with(kernel_of([function.unwrap()]), &model);
    let mut events = kernel.chat_streaming(question(), settings()).await.unwrap();
    assert!(matches!(events.next().await, Some(Ok(ChatEvent::CallStarted { .. }))));
    assert!(events.next().now_or_never().is_none());
    assert!(!stopped.load(Ordering::SeqCst));
    drop(events);
    assert!(stopped.load(Ordering::SeqCst));
}

#[tokio::test]
async fn a_prompt_is_answered_as_a_stream() {
    let model = Scripted::new([text("An SDK.")]);
    let mut kernel = kernel_with(kernel(), &model);
    kernel.add_template_factory(BracketsFactory);
    let prompt = PromptTemplateConfig::new("What is [what]?").with_template_format("brackets");
    let arguments = KernelArguments::new().with("what", "SK");
    let events = kernel.chat_prompt_streaming(prompt, arguments).await.unwrap();
    assert_eq!(read(events).await, ["An ", "SDK.", "finished: An SDK."]);
    assert_eq!(model.requests()[0].0.messages()[0].text(), "What is SK?");
}

#[tokio::test]
async fn wrong_settings_are_an_error_before_the_stream() {
    let model = Scripted::new([]);
    let behavior = FunctionChoiceBehavior::auto().with_functions(["No-Such"]);
    let error =
        kernel_with(kernel(), &model).chat_streaming(question(), behavior).await.unwrap_err();
    assert!(matches!(error, KernelError::FunctionNotFound { .. }), "{error}");
}

#[tokio::test]
async fn an_outcome_that_was_read_before_is_an_error() {
    let model = Scripted::new([text("Done.")]);
    let kernel = kernel_with(kernel(), &model);
    let mut events = kernel.chat_streaming(question(), settings()).await.unwrap();
    while events.next().await.is_some() {}
    let error = events.into_outcome().await.unwrap_err();
    assert!(error.to_string().contains("was read before"), "{error}");
}
