//! Runs that a run's functions start: they share one budget.

use std::{sync::Arc, time::Duration};

use serde_json::{Value, json};
use textsearch_kernel::{
    Kernel, KernelError, KernelFunction, Result,
    chat::{CallErrorKind, ChatEnd, ChatOutcome, FunctionChoiceBehavior},
    function::{FunctionMetadata, Invocation, ParameterMetadata},
    textsearch_core::chat::{ChatCompletion, ChatHistory, ChatMessage, ChatOptions, ChatResponse},
};

use crate::support::{Improvised, calls, kernel_of, text};

/// Calls `Test-Ask` as often as possible: twice a round, never with the same arguments.
fn restless() -> Arc<Improvised<impl Fn(usize, &ChatOptions) -> ChatResponse + Send + Sync>> {
    Improvised::new(|number, options| {
        let call = |which: &str| ("Test-Ask", json!({ "what": format!("{number}{which}") }));
        if options.tools.is_empty() { text("Done.") } else { calls([call("a"), call("b")]) }
    })
}

fn question() -> ChatHistory {
    ChatHistory::from(vec![ChatMessage::user("What?")])
}

fn ask_by<F>(body: impl Fn(Invocation) -> F + Send + Sync + 'static) -> KernelFunction
where
    F: Future<Output = Result<Value>> + Send + 'static,
{
    let mut metadata = FunctionMetadata::new("Ask", "Asks a model.");
    let what = ParameterMetadata::required("what", "", json!({ "type": "string" }));
    metadata.parameters = vec![what];
    KernelFunction::new(metadata, body).unwrap()
}

/// Asks a model that may call functions itself.
fn ask(behavior: FunctionChoiceBehavior) -> KernelFunction {
    ask_by(move |invocation| {
        let behavior = behavior.clone();
        async move { invocation.kernel.chat(question(), behavior).await?.answer().map(Into::into) }
    })
}

fn kernel(function: KernelFunction, model: Arc<dyn ChatCompletion>) -> Kernel {
    let mut kernel = kernel_of([function]);
    kernel.add_chat_service("default", model).unwrap();
    kernel
}

async fn run(function: KernelFunction, model: Arc<dyn ChatCompletion>) -> Result<ChatOutcome> {
    kernel(function, model).chat(question(), FunctionChoiceBehavior::auto()).await
}

#[tokio::test]
async fn nested_runs_share_one_budget_of_requests() {
    for behavior in
        [FunctionChoiceBehavior::auto(), FunctionChoiceBehavior::auto().with_max_rounds(3)]
    {
        let model = restless();
        let outcome = run(ask(behavior), model.clone()).await.unwrap();
        assert_eq!(model.requests(), 100);
        assert_eq!(outcome.end, ChatEnd::BudgetSpent);
        assert_eq!(outcome.answer().unwrap(), "Done.");
    }
}

#[tokio::test]
async fn a_nested_run_cannot_raise_the_outer_budget() {
    let model = restless();
    let mut generous = FunctionChoiceBehavior::auto();
    generous.options.max_total_requests = Some(10_000);
    run(ask(generous), model.clone()).await.unwrap();
    assert_eq!(model.requests(), 100);
}

#[tokio::test]
async fn calls_of_nested_runs_count_toward_the_outer_run() {
    let model = restless();
    let mut behavior = FunctionChoiceBehavior::auto();
    behavior.options.max_total_calls = Some(7);
    let outer = kernel(ask(FunctionChoiceBehavior::auto()), model.clone());
    let outcome = outer.chat(question(), behavior).await.unwrap();
    assert_eq!(outcome.end, ChatEnd::BudgetSpent);
    assert!(model.requests() <= 9, "{}", model.requests());
    let failed = |kind| {
        let calls = outcome.run.calls.iter();
        calls.filter(|call| matches!(&call.result, Err(error) if error.kind == kind)).count()
    };
    assert!(failed(CallErrorKind::Failed) + failed(CallErrorKind::BudgetSpent) > 0);
}

#[tokio::test]
async fn a_run_whose_time_is_up_makes_its_last_request() {
    let model = restless();
    let mut behavior = FunctionChoiceBehavior::auto();
    behavior.options.max_total_time = Duration::ZERO;
    let outer = kernel(ask(FunctionChoiceBehavior::auto()), model.clone());
    let outcome = outer.chat(question(), behavior).await.unwrap();
    assert_eq!((model.requests(), outcome.end), (1, ChatEnd::BudgetSpent));
    assert!(outcome.run.calls.is_empty());
}

#[tokio::test]
async fn a_single_run_stays_within_its_requests() {
    let model = restless();
    let mut behavior = FunctionChoiceBehavior::auto();
    behavior.options.max_total_requests = Some(3);
    let outer = kernel(ask_by(|_| async { Ok(json!(1)) }), model.clone());
    let outcome = outer.chat(question(), behavior).await.unwrap();
    assert_eq!((model.requests(), outcome.end), (3, ChatEnd::BudgetSpent));
}

#[tokio::test]
async fn more_rounds_need_no_higher_budget() {
    let model = restless();
    let behavior = FunctionChoiceBehavior::auto().with_max_rounds(400);
    let outer = kernel(ask_by(|_| async { Ok(json!(1)) }), model.clone());
    let outcome = outer.chat(question(), behavior).await.unwrap();
    assert_eq!((model.requests(), outcome.end), (401, ChatEnd::RoundsExhausted));
    assert_eq!(outcome.run.calls.len(), 800);
}

#[tokio::test]
async fn the_error_of_a_nested_run_names_the_setting() {
    let model = restless();
    let function = ask_by(|invocation| async move {
        let nested = invocation.kernel.chat(question(), FunctionChoiceBehavior::auto()).await;
        let error = nested.unwrap_err();
        assert!(matches!(error, KernelError::BudgetSpent { .. }), "{error:?}");
        assert_eq!(error.chat_run().unwrap().rounds, 0);
        Ok(error.to_string().into())
    });
    let mut behavior = FunctionChoiceBehavior::auto();
    behavior.options.max_total_requests = Some(2);
    let outer = kernel(function, model);
    let outcome = outer.chat(question(), behavior).await.unwrap();
    let expected = "the chat was stopped: the outer run has used up `max_total_requests` (2); \
                    raise it unless this is an endless loop";
    assert_eq!(outcome.run.calls[0].result.as_ref().unwrap().text(), expected);
}

#[tokio::test]
async fn unrelated_runs_of_one_kernel_share_nothing() {
    let model = restless();
    let kernel = kernel(ask(FunctionChoiceBehavior::auto()), model.clone());
    for runs in 1..=2 {
        kernel.chat(question(), FunctionChoiceBehavior::auto()).await.unwrap();
        assert_eq!(model.requests(), 100 * runs);
    }
}

#[tokio::test]
async fn a_timeout_ends_a_function_that_keeps_asking() {
    let function = ask_by(|invocation| async move {
        loop {
            // Ignores the error.
            let _ = invocation.kernel.chat(question(), FunctionChoiceBehavior::auto()).await;
        }
    });
    let kernel = kernel(function, restless());
    let running = kernel.chat(question(), FunctionChoiceBehavior::auto());
    tokio::time::timeout(Duration::from_millis(50), running).await.unwrap_err();
}
