//! Filters around a model's calls.

use std::sync::{
    Arc, Mutex,
    atomic::{AtomicUsize, Ordering},
};

use serde_json::{Value, json};
use textsearch_kernel::{
    Kernel, KernelError, Result,
    chat::{
        AutoFunctionInvocationContext, AutoFunctionInvocationFilter, CallErrorKind, ChatEnd,
        ChatOutcome, FunctionChoiceBehavior, NextAutoInvocation,
    },
    function::{FunctionInvocationContext, FunctionInvocationFilter, Next, ParameterMetadata},
    textsearch_core::{
        async_trait,
        chat::{ChatHistory, ChatMessage},
    },
};

use crate::support::{Scripted, calls, echo, kernel_of, kernel_with, text};

enum Does {
    Note(Arc<Mutex<Vec<String>>>),
    SetArgument(Value),
    Answer(Value),
    Refuse,
    Recover,
    Change,
    End,
}

#[async_trait]
impl AutoFunctionInvocationFilter for Does {
    async fn on_auto_function_invocation(
        &self,
        context: &mut AutoFunctionInvocationContext,
        next: NextAutoInvocation<'_>,
    ) -> Result<()> {
        match self {
            Self::Note(notes) => {
                notes.lock().unwrap().push(format!(
                    "{} round {} call {}/{} after {} messages",
                    context.call.id,
                    context.round,
                    context.call_number,
                    context.calls_in_round,
                    context.history.len(),
                ));
                next.run(context).await
            }
            Self::SetArgument(value) => {
                context.arguments.insert("word", value.clone());
                next.run(context).await
            }
            Self::Answer(value) => {
                context.result = Some(value.clone().into());
                Ok(())
            }
            Self::Refuse => {
                Err(KernelError::refused(context.function.qualified_name(), "user 7 may not"))
            }
            Self::Recover => {
                if next.run(context).await.is_err() {
                    context.result = Some(json!("nothing today").into());
                }
                Ok(())
            }
            Self::Change => {
                next.run(context).await?;
                context.result =
                    context.result.take().map(|value| json!({ "changed": value }).into());
                Ok(())
            }
            Self::End => {
                next.run(context).await?;
                context.end_run = true;
                Ok(())
            }
        }
    }
}

struct Count(Arc<AtomicUsize>);

#[async_trait]
impl FunctionInvocationFilter for Count {
    async fn on_function_invocation(
        &self,
        context: &mut FunctionInvocationContext,
        next: Next<'_>,
    ) -> Result<()> {
        self.0.fetch_add(1, Ordering::SeqCst);
        next.run(context).await
    }
}

fn kernel(filters: impl IntoIterator<Item = Does>) -> (Kernel, Arc<AtomicUsize>) {
    let word = ParameterMetadata::required("word", "", json!({ "type": "string" }));
    let mut kernel = kernel_of([echo([word])]);
    let count = Arc::new(AtomicUsize::new(0));
    kernel.add_function_filter(Count(Arc::clone(&count)));
    for filter in filters {
        kernel.add_auto_function_filter(filter);
    }
    (kernel, count)
}

fn say(word: &str) -> (&str, Value) {
    ("Test-Echo", json!({ "word": word }))
}

async fn run(
    kernel: Kernel,
    model: &Arc<Scripted>,
    behavior: FunctionChoiceBehavior,
) -> ChatOutcome {
    let history = ChatHistory::from(vec![ChatMessage::user("What?")]);
    kernel_with(kernel, model).chat(history, behavior).await.unwrap()
}

async fn one_call(filters: impl IntoIterator<Item = Does>) -> (ChatOutcome, Value, usize) {
    let (kernel, count) = kernel(filters);
    let model = Scripted::new([calls([say("a")]), text("Done.")]);
    let outcome = run(kernel, &model, FunctionChoiceBehavior::auto()).await;
    (outcome, model.tool_results_json().remove(0), count.load(Ordering::SeqCst))
}

#[tokio::test]
async fn a_filter_sees_the_call_the_history_and_the_numbers() {
    let notes = Arc::default();
    let (kernel, _) = kernel([Does::Note(Arc::clone(&notes))]);
    let model = Scripted::new([calls([say("a"), say("b")]), calls([say("c")]), text("Done.")]);
    run(kernel, &model, FunctionChoiceBehavior::auto()).await;
    let expected = [
        "call-0 round 1 call 1/2 after 2 messages",
        "call-1 round 1 call 2/2 after 2 messages",
        "call-0 round 2 call 1/1 after 5 messages",
    ];
    assert_eq!(*notes.lock().unwrap(), expected);
}

#[tokio::test]
async fn a_filter_may_change_the_arguments() {
    let (outcome, result, _) = one_call([Does::SetArgument(json!("b"))]).await;
    assert_eq!(result, json!({ "word": "b" }));
    assert_eq!(outcome.run.calls[0].arguments["word"], "b");
    assert_eq!(outcome.run.calls[0].call.arguments, r#"{"word":"a"}"#);
}

#[tokio::test]
async fn arguments_from_a_filter_are_checked_but_not_shown() {
    let (outcome, result, _) = one_call([Does::SetArgument(json!(7))]).await;
    assert_eq!(result["message"], "the function failed");
    let error = outcome.run.calls[0].result.as_ref().unwrap_err();
    let cause = error.source.as_ref().unwrap().to_string();
    assert_eq!(cause, "the argument `word` of `Test-Echo` must be a string: found 7");
}

#[tokio::test]
async fn a_filter_may_answer_in_the_functions_place() {
    let (outcome, result, count) = one_call([Does::Answer(json!({ "n": 1 }))]).await;
    assert_eq!(result, json!({ "n": 1 }));
    assert_eq!(outcome.run.calls[0].result.as_ref().unwrap(), &json!({ "n": 1 }));
    assert_eq!(count, 0);
}

#[tokio::test]
async fn the_model_sees_a_refusal_without_its_reason() {
    let (outcome, result, count) = one_call([Does::Refuse]).await;
    assert_eq!(
        result,
        json!({ "error": "refused", "message": "the call was refused; do not repeat it" })
    );
    let error = outcome.run.calls[0].result.as_ref().unwrap_err();
    assert_eq!(error.kind, CallErrorKind::Refused);
    assert!(error.source.as_ref().unwrap().to_string().ends_with("user 7 may not"));
    assert_eq!(count, 0);
}

#[tokio::test]
async fn a_filter_may_change_a_result_or_replace_an_error() {
    let (_, result, _) = one_call([Does::Change]).await;
    assert_eq!(result, json!({ "changed": { "word": "a" } }));
    let (kernel, _) = kernel([Does::Recover, Does::Refuse]);
    let model = Scripted::new([calls([say("a")]), text("Done.")]);
    run(kernel, &model, FunctionChoiceBehavior::auto()).await;
    assert_eq!(model.tool_results(), ["nothing today"]);
}

#[tokio::test]
async fn the_first_filter_is_the_outermost() {
    let (_, result, _) = one_call([Does::Change, Does::Answer(json!(1))]).await;
    assert_eq!(result, json!({ "changed": 1 }));
    let (_, result, _) = one_call([Does::Answer(json!(1)), Does::Change]).await;
    assert_eq!(result, json!(1));
}

#[tokio::test]
async fn a_filter_may_end_the_run() {
    let (kernel, _) = kernel([Does::End]);
    let model = Scripted::new([calls([say("a"), say("b")])]);
    let outcome = run(kernel, &model, FunctionChoiceBehavior::auto()).await;
    assert_eq!(outcome.end, ChatEnd::EndedByFilter);
    assert_eq!(model.requests().len(), 1);
    // The history can be resent: every call has a result.
    assert_eq!(outcome.run.history.len(), 4);
    assert_eq!(outcome.answer().unwrap(), r#"{"word":"a"}"#);
}

#[tokio::test]
async fn sequential_calls_after_the_end_of_the_run_are_skipped() {
    let (kernel, count) = kernel([Does::End]);
    let model = Scripted::new([calls([say("a"), say("b")])]);
    let mut behavior = FunctionChoiceBehavior::auto();
    behavior.options.allow_concurrent_invocation = false;
    let outcome = run(kernel, &model, behavior).await;
    assert_eq!(count.load(Ordering::SeqCst), 1);
    let error = outcome.run.calls[1].result.as_ref().unwrap_err();
    assert_eq!(error.kind, CallErrorKind::NotRun);
    assert_eq!(outcome.run.history.len(), 4);
}

#[tokio::test]
async fn calls_that_cannot_run_never_reach_a_filter() {
    let notes: Arc<Mutex<Vec<String>>> = Arc::default();
    let (kernel, _) = kernel([Does::Note(Arc::clone(&notes))]);
    let model = Scripted::new([
        calls([("Test-Missing", json!({})), ("Test-Echo", json!("[]")), say("a"), say("a")]),
        text("Done."),
    ]);
    run(kernel, &model, FunctionChoiceBehavior::auto()).await;
    assert_eq!(notes.lock().unwrap().len(), 1);
}
