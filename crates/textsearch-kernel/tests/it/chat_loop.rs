//! The chat loop: requests to the model, the calls that run, and their results.

use std::{
    convert::Infallible,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use futures_util::FutureExt;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use textsearch_kernel::{
    Kernel, KernelError, KernelFunction, Result,
    chat::{CallErrorKind, ChatEnd, ChatOutcome, FunctionChoiceBehavior},
    function::ParameterMetadata,
    prompt::ExecutionSettings,
    textsearch_core::{
        Error, ErrorKind,
        chat::{
            ChatHistory, ChatMessage, ChatResponse, ChatRole, FinishReason, MessagePart, ToolCall,
            ToolChoice, Usage,
        },
    },
};

use crate::support::{Scripted, calls, echo, kernel_of, kernel_with, settings, text};

#[derive(Deserialize, JsonSchema)]
struct Wait {
    milliseconds: u64,
}

fn question() -> ChatHistory {
    ChatHistory::from(vec![ChatMessage::user("What?")])
}

fn echo_kernel() -> Kernel {
    let word = ParameterMetadata::required("word", "", json!({ "type": "string" }));
    kernel_of([echo([word])])
}

fn counter() -> (KernelFunction, Arc<AtomicUsize>) {
    #[derive(Deserialize, JsonSchema)]
    struct Step {
        #[serde(default)]
        by: usize,
    }
    let count = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&count);
    let function = KernelFunction::from_fn("Count", "Counts.", move |step: Step| {
        let before = counted.fetch_add(1, Ordering::SeqCst);
        async move { Ok::<_, Infallible>(before + 1 + step.by) }
    });
    (function.unwrap(), count)
}

async fn run(
    kernel: Kernel,
    model: &Arc<Scripted>,
    settings: impl Into<ExecutionSettings>,
) -> Result<ChatOutcome> {
    kernel_with(kernel, model).chat(question(), settings).await
}

#[tokio::test]
async fn runs_a_call_and_returns_the_models_answer() {
    let model = Scripted::new([calls([("Test-Echo", json!({ "word": "kernel" }))]), text("Done.")]);
    let outcome = run(echo_kernel(), &model, settings()).await.unwrap();
    assert_eq!(outcome.answer().unwrap(), "Done.");
    assert_eq!(outcome.end, ChatEnd::Answered);
    assert_eq!(outcome.finish_reason, FinishReason::Stop);
    assert_eq!(model.tool_results_json(), [json!({ "word": "kernel" })]);
    let [record] = outcome.run.calls.as_slice() else { panic!("{outcome:?}") };
    assert_eq!(record.call.name, "Test-Echo");
    assert_eq!(record.arguments["word"], "kernel");
    assert_eq!(record.result.as_ref().unwrap(), &json!({ "word": "kernel" }));
    assert_eq!((record.round, record.repeats), (1, None));
}

#[tokio::test]
async fn the_outcome_has_the_history_and_total_usage() {
    let model = Scripted::new([calls([("Test-Echo", json!({ "word": "a" }))]), text("Done.")]);
    let outcome = run(echo_kernel(), &model, settings()).await.unwrap();
    let roles: Vec<ChatRole> =
        outcome.run.history.messages().iter().map(|message| message.role).collect();
    assert_eq!(roles, [ChatRole::User, ChatRole::Assistant, ChatRole::Tool, ChatRole::Assistant]);
    assert_eq!(outcome.run.usage, Usage::new(20, 4));
    assert_eq!(outcome.run.rounds, 2);
}

#[tokio::test]
async fn without_a_behavior_no_function_is_offered() {
    let model = Scripted::new([text("Done.")]);
    run(echo_kernel(), &model, ExecutionSettings::new()).await.unwrap();
    assert_eq!(model.offered(), [Vec::<String>::new()]);
    assert_eq!(model.requests()[0].1.tool_choice, None);
}

#[tokio::test]
async fn offers_only_listed_functions() {
    let (count, _) = counter();
    let model = Scripted::new([text("Done."), text("Done.")]);
    for name in ["Test-Count", "Test.Count"] {
        let kernel = kernel_of([echo([]), count.clone()]);
        let behavior = FunctionChoiceBehavior::auto().with_functions([name, "test-count"]);
        run(kernel, &model, behavior).await.unwrap();
    }
    assert_eq!(model.offered(), [["Test-Count"], ["Test-Count"]]);
}

#[tokio::test]
async fn an_unknown_listed_function_fails_before_any_request() {
    let model = Scripted::new([text("Done.")]);
    let behavior = FunctionChoiceBehavior::auto().with_functions(["Test.Missing"]);
    let error = run(echo_kernel(), &model, behavior).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "there is no function `Test.Missing`: the registered functions are Test-Echo"
    );
    assert!(model.requests().is_empty());
}

#[tokio::test]
async fn a_registered_function_that_was_not_offered_is_unknown() {
    let (count, counted) = counter();
    let model = Scripted::new([calls([("Test-Count", json!({}))]), text("Done.")]);
    let behavior = FunctionChoiceBehavior::auto().with_functions(["Test-Echo"]);
    let outcome = run(kernel_of([echo([]), count]), &model, behavior).await.unwrap();
    let expected = json!({
        "error": "unknown_function",
        "message": "there is no function `Test-Count`: the offered functions are Test-Echo",
    });
    assert_eq!(model.tool_results_json(), [expected]);
    let error = outcome.run.calls[0].result.as_ref().unwrap_err();
    assert_eq!(error.kind, CallErrorKind::UnknownFunction);
    assert_eq!(counted.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn unoffered_calls_end_the_run() {
    let model = Scripted::new([calls([("Test-Echo", json!({ "word": "a" }))])]);
    let outcome = run(echo_kernel(), &model, ExecutionSettings::new()).await.unwrap();
    assert_eq!((outcome.end, outcome.run.rounds), (ChatEnd::UnofferedCalls, 1));
    assert_eq!(
        outcome.answer().unwrap_err().to_string(),
        "the model gave no answer: it called functions although none were offered"
    );
    let error = outcome.run.calls[0].result.as_ref().unwrap_err();
    assert_eq!(error.kind, CallErrorKind::NotRun);
}

#[tokio::test]
async fn the_model_learns_why_its_arguments_are_wrong() {
    let model = Scripted::new([
        calls([
            ("Test-Echo", json!({})),
            ("Test-Echo", json!("{ broken")),
            ("Test-Echo", json!({ "word": "a", "other": 1 })),
            ("Test-Echo", json!({ "word": 7 })),
        ]),
        text("Done."),
    ]);
    run(echo_kernel(), &model, settings()).await.unwrap();
    let results = model.tool_results_json();
    assert!(results.iter().all(|result| result["error"] == "invalid_arguments"), "{results:?}");
    let messages = [
        "the argument `word` of `Test-Echo` is missing; required arguments: word",
        "the arguments of `Test-Echo` must be a JSON object: key must be a string at line 1 column 3",
        "the argument `other` of `Test-Echo` is unknown; use only word",
        "the argument `word` of `Test-Echo` must be a string: found 7",
    ];
    for (result, message) in results.iter().zip(messages) {
        assert_eq!(result["message"], message);
    }
}

#[tokio::test]
async fn the_model_does_not_learn_why_a_function_failed() {
    let function = KernelFunction::from_fn(
        "Fail",
        "Fails.",
        |_: textsearch_kernel::function::NoArguments| async {
            Err::<(), _>(std::io::Error::other("the password is s3cret"))
        },
    );
    let model = Scripted::new([calls([("Test-Fail", json!({}))]), text("Done.")]);
    let outcome = run(kernel_of([function.unwrap()]), &model, settings()).await.unwrap();
    assert_eq!(model.tool_results(), [r#"{"error":"failed","message":"the function failed"}"#]);
    let error = outcome.run.calls[0].result.as_ref().unwrap_err();
    assert_eq!(error.kind, CallErrorKind::Failed);
    let cause = std::error::Error::source(error.source.as_deref().unwrap()).unwrap();
    assert_eq!(cause.to_string(), "the password is s3cret");
}

#[tokio::test]
async fn the_model_learns_that_a_failure_is_temporary() {
    let function = KernelFunction::from_fn(
        "Fail",
        "Fails.",
        |_: textsearch_kernel::function::NoArguments| async {
            Err::<(), _>(Error::new(ErrorKind::RateLimited, "brave", "wait a little"))
        },
    );
    let model = Scripted::new([calls([("Test-Fail", json!({}))]), text("Done.")]);
    run(kernel_of([function.unwrap()]), &model, settings()).await.unwrap();
    assert_eq!(
        model.tool_results_json()[0]["message"],
        "the function failed temporarily; you may try again"
    );
}

#[tokio::test]
async fn errors_about_another_functions_argument_stay_hidden() {
    let function = KernelFunction::from_fn_with_invocation(
        "Outer",
        "Calls another.",
        |_: textsearch_kernel::function::NoArguments, invocation| async move {
            invocation.kernel.invoke("Test", "Echo", Default::default()).await.map(|_| ())
        },
    );
    let word = ParameterMetadata::required("inner_word", "", json!({ "type": "string" }));
    let model = Scripted::new([calls([("Test-Outer", json!({}))]), text("Done.")]);
    run(kernel_of([function.unwrap(), echo([word])]), &model, settings()).await.unwrap();
    assert_eq!(model.tool_results_json()[0]["message"], "the function failed");
}

fn waiting() -> KernelFunction {
    KernelFunction::from_fn("Wait", "Waits.", |wait: Wait| async move {
        tokio::time::sleep(Duration::from_millis(wait.milliseconds)).await;
        Ok::<_, Infallible>(wait.milliseconds)
    })
    .unwrap()
}

#[tokio::test]
async fn results_keep_the_order_of_the_calls() {
    let wait = |milliseconds: u64| ("Test-Wait", json!({ "milliseconds": milliseconds }));
    let model = Scripted::new([calls([wait(30), wait(1), wait(15)]), text("Done.")]);
    let outcome = run(kernel_of([waiting()]), &model, settings()).await.unwrap();
    assert_eq!(model.tool_results_json(), [json!(30), json!(1), json!(15)]);
    let ids: Vec<&str> = outcome.run.calls.iter().map(|record| record.call.id.as_str()).collect();
    assert_eq!(ids, ["call-0", "call-1", "call-2"]);
    assert!(outcome.run.calls[0].duration >= Duration::from_millis(30));
}

/// Reports how many of its calls are running.
fn crowd() -> KernelFunction {
    #[derive(Deserialize, JsonSchema)]
    #[expect(dead_code, reason = "it tells calls apart")]
    struct Who {
        who: String,
    }
    let under_way = Arc::new(AtomicUsize::new(0));
    KernelFunction::from_fn("Crowd", "Counts who is here.", move |_: Who| {
        let under_way = Arc::clone(&under_way);
        async move {
            let here = under_way.fetch_add(1, Ordering::SeqCst) + 1;
            tokio::task::yield_now().await;
            under_way.fetch_sub(1, Ordering::SeqCst);
            Ok::<_, Infallible>(here)
        }
    })
    .unwrap()
}

#[tokio::test]
async fn calls_of_a_round_run_concurrently() {
    let who = |name: &str| ("Test-Crowd", json!({ "who": name }));
    let model = Scripted::new([calls([who("a"), who("b")]), text("Done.")]);
    run(kernel_of([crowd()]), &model, settings()).await.unwrap();
    assert_eq!(model.tool_results(), ["1", "2"]);
}

#[tokio::test]
async fn calls_run_sequentially_without_concurrency() {
    let who = |name: &str| ("Test-Crowd", json!({ "who": name }));
    let model = Scripted::new([calls([who("a"), who("b")]), text("Done.")]);
    let mut behavior = FunctionChoiceBehavior::auto();
    behavior.options.allow_concurrent_invocation = false;
    run(kernel_of([crowd()]), &model, behavior).await.unwrap();
    assert_eq!(model.tool_results(), ["1", "1"]);
}

#[tokio::test]
async fn a_repeated_call_gets_the_earlier_result() {
    let (count, counted) = counter();
    let model = Scripted::new([
        calls([("Test-Count", json!({ "by": 5 }))]),
        calls([("Test-Count", json!("{ \"by\" : 5 }"))]),
        text("Done."),
    ]);
    let outcome = run(kernel_of([count]), &model, settings()).await.unwrap();
    assert_eq!(counted.load(Ordering::SeqCst), 1);
    let results = model.tool_results_json();
    assert_eq!(results[0], json!(6));
    assert_eq!(results[1]["result"], json!(6));
    assert!(results[1]["note"].as_str().unwrap().starts_with("You already made this call"));
    assert_eq!(outcome.run.calls[1].repeats, Some(0));
    assert_eq!(outcome.run.calls[1].result.as_ref().unwrap(), &json!(6));
}

#[tokio::test]
async fn the_same_call_twice_in_a_round_runs_once() {
    let (count, counted) = counter();
    let call = || ("Test-Count", json!({ "by": 1 }));
    let model = Scripted::new([calls([call(), call()]), text("Done.")]);
    let outcome = run(kernel_of([count]), &model, settings()).await.unwrap();
    assert_eq!(counted.load(Ordering::SeqCst), 1);
    assert_eq!(model.tool_results_json()[1]["result"], json!(2));
    assert_eq!(outcome.run.calls[1].repeats, Some(0));
}

#[tokio::test]
async fn a_call_that_failed_may_be_made_again() {
    let tries = Arc::new(AtomicUsize::new(0));
    let function = KernelFunction::from_fn(
        "Try",
        "Fails once.",
        move |_: textsearch_kernel::function::NoArguments| {
            let tried = tries.fetch_add(1, Ordering::SeqCst);
            async move { if tried == 0 { Err(std::io::Error::other("no")) } else { Ok("yes") } }
        },
    );
    let call = || calls([("Test-Try", json!({}))]);
    let model = Scripted::new([call(), call(), text("Done.")]);
    run(kernel_of([function.unwrap()]), &model, settings()).await.unwrap();
    assert_eq!(model.tool_results()[1], "yes");
}

#[tokio::test]
async fn repeated_calls_run_again_if_allowed() {
    let (count, counted) = counter();
    let call = || calls([("Test-Count", json!({}))]);
    let model = Scripted::new([call(), call(), text("Done.")]);
    let mut behavior = FunctionChoiceBehavior::auto();
    behavior.options.allow_repeated_calls = true;
    run(kernel_of([count]), &model, behavior).await.unwrap();
    assert_eq!(counted.load(Ordering::SeqCst), 2);
}

#[tokio::test]
async fn excess_calls_of_a_round_leave_one_short_error() {
    let (count, counted) = counter();
    let many = (0..20).map(|by| ("Test-Count", json!({ "by": by })));
    let model = Scripted::new([calls(many), text("Done.")]);
    let outcome = run(kernel_of([count]), &model, settings()).await.unwrap();
    assert_eq!(counted.load(Ordering::SeqCst), 16);
    let results = model.tool_results_json();
    assert_eq!(results.len(), 17);
    assert_eq!(results[16]["error"], "too_many_calls");
    let message = "too many calls at once (20): only the first 16 ran; request the others again";
    assert_eq!(results[16]["message"], message);
    assert_eq!((outcome.run.calls.len(), outcome.run.dropped_calls), (17, 3));
}

#[tokio::test]
async fn the_request_after_ten_rounds_offers_no_functions() {
    let (count, _) = counter();
    let rounds = (0..10).map(|by| calls([("Test-Count", json!({ "by": by }))]));
    let model = Scripted::new(rounds.chain([text("That is all.")]));
    let outcome = run(kernel_of([count]), &model, settings()).await.unwrap();
    assert_eq!(outcome.end, ChatEnd::RoundsExhausted);
    assert_eq!(outcome.answer().unwrap(), "That is all.");
    assert_eq!((outcome.run.calls.len(), outcome.run.rounds), (10, 11));
    let offered = model.offered();
    assert!(offered[..10].iter().all(|names| names.len() == 1));
    assert!(offered[10].is_empty());
}

#[tokio::test]
async fn calls_after_the_last_round_do_not_run() {
    let (count, counted) = counter();
    let call = |by: usize| calls([("Test-Count", json!({ "by": by }))]);
    let model = Scripted::new([call(1), call(2), call(3)]);
    let behavior = FunctionChoiceBehavior::auto().with_max_rounds(2);
    let outcome = run(kernel_of([count]), &model, behavior).await.unwrap();
    assert_eq!(outcome.end, ChatEnd::RoundsExhausted);
    assert_eq!(counted.load(Ordering::SeqCst), 2);
    let error = outcome.answer().unwrap_err();
    assert_eq!(error.to_string(), "the model gave no answer: it requests function calls");
    // Every call has a result, so the history can be resent.
    let last = outcome.run.history.last().unwrap();
    assert!(matches!(&last.parts[0], MessagePart::ToolResult(result) if result.is_error));
}

#[tokio::test]
async fn zero_rounds_make_one_request_without_functions() {
    let model = Scripted::new([text("Done.")]);
    let behavior = FunctionChoiceBehavior::auto().with_max_rounds(0);
    let outcome = run(echo_kernel(), &model, behavior).await.unwrap();
    assert_eq!(model.offered(), [Vec::<String>::new()]);
    assert_eq!(outcome.end, ChatEnd::RoundsExhausted);
}

#[tokio::test]
async fn a_run_may_be_on_any_thread() {
    let model = Scripted::new([calls([("Test-Echo", json!({ "word": "a" }))]), text("Done.")]);
    let kernel = kernel_with(echo_kernel(), &model);
    let run = tokio::spawn(async move { kernel.chat(question(), settings()).await });
    assert_eq!(run.await.unwrap().unwrap().answer().unwrap(), "Done.");
}

#[tokio::test]
async fn required_applies_only_to_the_first_round() {
    let (count, _) = counter();
    let model = Scripted::new([calls([("Test-Count", json!({}))]), text("Done.")]);
    run(kernel_of([count]), &model, FunctionChoiceBehavior::required()).await.unwrap();
    let requests = model.requests();
    assert_eq!(requests[0].1.tool_choice, Some(ToolChoice::Required));
    assert_eq!(requests[1].1.tool_choice, None);
    assert!(requests[1].1.tools.is_empty());
}

#[tokio::test]
async fn required_calls_in_the_second_round_end_the_run() {
    let (count, counted) = counter();
    let call = |by: usize| calls([("Test-Count", json!({ "by": by }))]);
    let model = Scripted::new([call(1), call(2)]);
    let required = FunctionChoiceBehavior::required();
    let outcome = run(kernel_of([count]), &model, required).await.unwrap();
    assert_eq!((outcome.end, counted.load(Ordering::SeqCst)), (ChatEnd::UnofferedCalls, 1));
}

#[tokio::test]
async fn none_shows_the_functions_but_runs_none() {
    let (count, counted) = counter();
    let model = Scripted::new([calls([("Test-Count", json!({}))])]);
    let none = FunctionChoiceBehavior::none();
    let outcome = run(kernel_of([count]), &model, none).await.unwrap();
    let requests = model.requests();
    assert_eq!(requests[0].1.tool_choice, Some(ToolChoice::None));
    assert_eq!(requests[0].1.tools.len(), 1);
    assert_eq!(counted.load(Ordering::SeqCst), 0);
    assert_eq!(outcome.end, ChatEnd::UnofferedCalls);
}

#[tokio::test]
async fn without_auto_invocation_the_caller_gets_the_calls() {
    let (count, counted) = counter();
    let model = Scripted::new([calls([("Test-Count", json!({}))])]);
    let mut behavior = FunctionChoiceBehavior::auto();
    behavior.options.auto_invoke = false;
    let kernel = kernel_of([count, echo([])]);
    let outcome = run(kernel.clone(), &model, behavior.clone()).await.unwrap();
    assert_eq!(outcome.end, ChatEnd::CallsReturned);
    assert_eq!(counted.load(Ordering::SeqCst), 0);
    let call = outcome.message.tool_calls().next().unwrap();
    let offered = kernel.offered_functions(&behavior.with_functions(["Test-Count"])).unwrap();
    assert_eq!(kernel.invoke_offered(call, &offered).await.unwrap().value, json!(1));
    let other = ToolCall::new("1", "Test-Echo", "{}");
    let error = kernel.invoke_offered(&other, &offered).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "there is no function `Test-Echo`: the offered functions are Test-Count"
    );
}

#[tokio::test]
async fn an_error_of_the_service_holds_the_run_so_far() {
    let failure = Error::new(ErrorKind::RateLimited, "scripted", "slow down");
    let model =
        Scripted::with_errors([Ok(calls([("Test-Echo", json!({ "word": "a" }))])), Err(failure)]);
    let error = run(echo_kernel(), &model, settings()).await.unwrap_err();
    assert_eq!(error.to_string(), "the chat service `scripted` failed");
    assert!(std::error::Error::source(&error).unwrap().to_string().contains("slow down"));
    let run = error.chat_run().unwrap();
    assert_eq!((run.history.len(), run.calls.len(), run.rounds), (3, 1, 2));
    assert_eq!(run.usage, Usage::new(10, 2));
}

#[tokio::test]
async fn the_debug_output_of_a_run_has_no_content() {
    let failure = Error::new(ErrorKind::RateLimited, "scripted", "slow down");
    let model = Scripted::with_errors([
        Ok(calls([("Test-Echo", json!({ "word": "s3cret" }))])),
        Err(failure),
    ]);
    let error = run(echo_kernel(), &model, settings()).await.unwrap_err();
    assert!(!format!("{error:?}").contains("s3cret"));
}

#[tokio::test]
async fn calls_of_a_truncated_answer_do_not_run() {
    for reason in [FinishReason::Length, FinishReason::Other("abort".to_owned())] {
        let (count, counted) = counter();
        let cut = calls([("Test-Count", json!({}))]).with_finish_reason(reason.clone());
        let model = Scripted::new([cut]);
        let outcome = run(kernel_of([count]), &model, settings()).await.unwrap();
        assert_eq!(counted.load(Ordering::SeqCst), 0);
        assert_eq!(outcome.finish_reason, reason);
        let error = outcome.run.calls[0].result.as_ref().unwrap_err();
        assert_eq!(error.kind, CallErrorKind::NotRun);
    }
}

#[tokio::test]
async fn an_incomplete_answer_is_an_error_with_the_outcome() {
    let refusal = ChatResponse::new(ChatMessage::new(
        ChatRole::Assistant,
        vec![MessagePart::Refusal { text: "I will not.".to_owned() }],
    ));
    let cases = [
        (refusal, "it refused to answer"),
        (text("Part").with_finish_reason(FinishReason::Refusal), "it refused to answer"),
        (
            text("Part").with_finish_reason(FinishReason::ContentFilter),
            "the provider's content filter stopped it",
        ),
        (
            text("Part").with_finish_reason(FinishReason::Length),
            "it was cut off at the maximum number of tokens",
        ),
        (
            text("Part").with_finish_reason(FinishReason::Other("abort".to_owned())),
            "its finish reason is unknown",
        ),
    ];
    for (response, reason) in cases {
        let model = Scripted::new([response]);
        let error = run(Kernel::new(), &model, settings()).await.unwrap().answer().unwrap_err();
        assert_eq!(error.to_string(), format!("the model gave no answer: {reason}"));
        assert!(matches!(error, KernelError::NoAnswer { outcome, .. } if outcome.run.rounds == 1));
    }
}

#[tokio::test]
async fn dropping_the_future_stops_the_functions() {
    let stopped = Arc::new(AtomicUsize::new(0));
    struct Guard(Arc<AtomicUsize>);
    impl Drop for Guard {
        fn drop(&mut self) {
            self.0.fetch_add(1, Ordering::SeqCst);
        }
    }
    let seen = Arc::clone(&stopped);
    let function = KernelFunction::from_fn(
        "Hang",
        "Never returns.",
        move |_: textsearch_kernel::function::NoArguments| {
            let guard = Guard(Arc::clone(&seen));
            async move {
                let _guard = guard;
                std::future::pending::<()>().await;
                Ok::<_, Infallible>(())
            }
        },
    );
    let model = Scripted::new([calls([("Test-Hang", json!({}))])]);
    let kernel = kernel_with(kernel_of([function.unwrap()]), &model);
    let mut running = Box::pin(kernel.chat(question(), settings()));
    assert!((&mut running).now_or_never().is_none());
    assert_eq!(stopped.load(Ordering::SeqCst), 0);
    drop(running);
    assert_eq!(stopped.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn an_overlong_result_is_cut_but_its_record_is_not() {
    let function =
        KernelFunction::from_fn("Long", "", |_: textsearch_kernel::function::NoArguments| async {
            Ok::<_, Infallible>(
                (0..100).map(|number| format!("text {number:03}")).collect::<Vec<_>>(),
            )
        });
    let model = Scripted::new([calls([("Test-Long", json!({}))]), text("Done.")]);
    let mut behavior = FunctionChoiceBehavior::auto();
    behavior.options.max_result_characters = 200;
    let outcome = run(kernel_of([function.unwrap()]), &model, behavior).await.unwrap();
    let result = &model.tool_results_json()[0];
    assert!(model.tool_results()[0].len() <= 200);
    assert_eq!(result["truncated"], true);
    let kept = result["result"].as_array().unwrap().len();
    assert_eq!(result["omitted"], 100 - kept);
    assert_eq!(result["result"][0], "text 000");
    let whole = outcome.run.calls[0].result.as_ref().unwrap().to_json();
    assert_eq!(whole.as_array().unwrap().len(), 100);
}
