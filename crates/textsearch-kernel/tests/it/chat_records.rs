//! Records of a run: identifiers, costs, and their debug output.

use std::sync::Arc;

use serde_json::json;
use textsearch_kernel::{
    Kernel, KernelArguments, KernelFunction, KernelPlugin, Result,
    chat::{AutoFunctionInvocationContext, AutoFunctionInvocationFilter, NextAutoInvocation},
    function::{Invocation, ParameterMetadata},
    prompt::{InputVariable, PromptTemplateConfig},
    textsearch_core::{
        async_trait,
        chat::{
            ChatHistory, ChatMessage, ChatResponse, ChatRole, FinishReason, MessagePart, ToolCall,
            Usage,
        },
    },
};

use crate::support::{
    BracketsFactory, Scripted, calls, echo, kernel_of, kernel_with, settings, text, with_usage,
};

const SECRET: &str = "s3cret";

fn question(text: &str) -> ChatHistory {
    ChatHistory::from(vec![ChatMessage::user(text)])
}

fn echo_kernel(model: &Arc<Scripted>) -> Kernel {
    let word = ParameterMetadata::optional("word", "", json!({ "type": "string" }));
    let mut kernel = kernel_with(kernel_of([echo([word])]), model);
    kernel.add_template_factory(BracketsFactory);
    kernel
}

fn calls_with_ids(ids: &[&str]) -> ChatResponse {
    let call = |(number, id): (usize, &&str)| {
        let arguments = json!({ "word": format!("w{number}") }).to_string();
        MessagePart::ToolCall(ToolCall::new(*id, "Test-Echo", arguments))
    };
    let parts = ids.iter().enumerate().map(call).collect();
    ChatResponse::new(ChatMessage::new(ChatRole::Assistant, parts))
}

/// Of the calls and of their results, in history order.
fn ids(history: &ChatHistory) -> (Vec<String>, Vec<String>) {
    let parts = || history.messages().iter().flat_map(|message| &message.parts);
    let of_calls = parts().filter_map(|part| match part {
        MessagePart::ToolCall(call) => Some(call.id.clone()),
        _ => None,
    });
    let of_results = parts().filter_map(|part| match part {
        MessagePart::ToolResult(result) => Some(result.call_id.clone()),
        _ => None,
    });
    (of_calls.collect(), of_results.collect())
}

#[tokio::test]
async fn duplicate_identifiers_in_one_answer_become_unique() {
    let model = Scripted::new([calls_with_ids(&["a", "a", ""]), text("Done.")]);
    let outcome = echo_kernel(&model).chat(question("?"), settings()).await.unwrap();
    let expected = ["a", "a-2", "call-2"].map(str::to_owned).to_vec();
    assert_eq!(ids(&outcome.run.history), (expected.clone(), expected.clone()));
    assert_eq!(ids(&model.requests()[1].0), (expected.clone(), expected.clone()));
    let of_records: Vec<_> =
        outcome.run.calls.iter().map(|record| record.call.id.clone()).collect();
    assert_eq!(of_records, expected);
    assert_eq!(model.tool_results_json()[1], json!({ "word": "w1" }));
}

#[tokio::test]
async fn an_identifier_of_an_earlier_answer_may_repeat() {
    let model = Scripted::new([calls_with_ids(&["a"]), calls_with_ids(&["a", "b"]), text("Done.")]);
    let outcome = echo_kernel(&model).chat(question("?"), settings()).await.unwrap();
    let expected = ["a", "a", "b"].map(str::to_owned).to_vec();
    assert_eq!(ids(&outcome.run.history), (expected.clone(), expected));
}

/// Adds `Test-Sum`, made from a prompt.
fn with_prompt_function(mut kernel: Kernel) -> Kernel {
    let config = PromptTemplateConfig::new("Sum up [text].")
        .with_name("Sum")
        .with_template_format("brackets")
        .with_input_variable(InputVariable::new("text"));
    let function = KernelFunction::from_prompt(kernel.compile_prompt(&config).unwrap()).unwrap();
    kernel.add_plugin(KernelPlugin::new("Prompts", "", [function]).unwrap()).unwrap();
    kernel
}

#[tokio::test]
async fn usage_includes_prompts_called_as_functions() {
    let model = Scripted::new([
        calls([("Prompts-Sum", json!({ "text": "a" }))]),
        with_usage(text("Summed."), 100, 50),
        text("Done."),
    ]);
    let kernel = with_prompt_function(echo_kernel(&model));
    let outcome = kernel.chat(question("?"), settings()).await.unwrap();
    assert_eq!(outcome.run.usage, Usage::new(120, 54));
    assert_eq!(outcome.run.rounds, 2);
}

#[tokio::test]
async fn usage_includes_prompts_without_an_answer() {
    let cut = with_usage(text("Su"), 100, 50).with_finish_reason(FinishReason::Length);
    let model = Scripted::new([calls([("Prompts-Sum", json!({}))]), cut, text("Done.")]);
    let kernel = with_prompt_function(echo_kernel(&model));
    let outcome = kernel.chat(question("?"), settings()).await.unwrap();
    assert!(outcome.run.calls[0].result.is_err());
    assert_eq!(outcome.run.usage, Usage::new(120, 54));
}

#[tokio::test]
async fn usage_includes_functions_that_ask_a_model() {
    let model = Scripted::new([
        calls([("Own-Ask", json!({}))]),
        with_usage(calls([("Test-Echo", json!({}))]), 100, 0),
        with_usage(text("Inner."), 1000, 0),
        text("Done."),
    ]);
    let mut kernel = echo_kernel(&model);
    let metadata = textsearch_kernel::function::FunctionMetadata::new("Ask", "Asks.");
    let ask = KernelFunction::new(metadata, |invocation: Invocation| async move {
        let inner = invocation.kernel.chat(question("inner"), settings()).await?;
        assert_eq!(inner.run.usage, Usage::new(1100, 0));
        Ok(inner.answer()?.into())
    });
    kernel.add_plugin(KernelPlugin::new("Own", "", [ask.unwrap()]).unwrap()).unwrap();
    let outcome = kernel.chat(question("?"), settings()).await.unwrap();
    assert_eq!(outcome.answer().unwrap(), "Done.");
    assert_eq!(outcome.run.usage, Usage::new(1120, 4));
}

#[tokio::test]
async fn each_run_of_a_kernel_counts_its_own_costs() {
    let model = Scripted::new([text("One."), text("Two.")]);
    let kernel = echo_kernel(&model);
    for _ in 0..2 {
        let outcome = kernel.chat(question("?"), settings()).await.unwrap();
        assert_eq!(outcome.run.usage, Usage::new(10, 2));
    }
}

#[derive(Clone, Default)]
struct Printer(Arc<std::sync::Mutex<Vec<String>>>);

#[async_trait]
impl AutoFunctionInvocationFilter for Printer {
    async fn on_auto_function_invocation(
        &self,
        context: &mut AutoFunctionInvocationContext,
        next: NextAutoInvocation<'_>,
    ) -> Result<()> {
        next.run(context).await?;
        self.0.lock().unwrap().push(format!("{context:?}"));
        Ok(())
    }
}

#[tokio::test]
async fn outcomes_records_events_and_contexts_show_no_content() {
    let script =
        || Scripted::new([calls([("Test-Echo", json!({ "word": SECRET }))]), text(SECRET)]);
    let printer = Printer::default();
    let mut kernel = echo_kernel(&script());
    kernel.add_auto_function_filter(printer.clone());
    let mut events = kernel.chat_streaming(question(SECRET), settings()).await.unwrap();
    let mut printed = Vec::new();
    while let Some(event) = events.next().await {
        printed.push(format!("{:?}", event.unwrap()));
    }
    let outcome = echo_kernel(&script()).chat(question(SECRET), settings()).await.unwrap();
    printed.extend(printer.0.lock().unwrap().clone());
    printed.push(format!("{outcome:?}"));
    printed.push(format!("{:?}", outcome.run.calls));
    let all = printed.join("\n");
    assert!(!all.contains(SECRET), "{all}");
    for part in ["Text", "CallStarted", "Test-Echo", "error: None", "rounds: 2"] {
        assert!(all.contains(part), "{part} is not in {all}");
    }
}

#[tokio::test]
async fn an_error_without_an_answer_shows_no_content() {
    let model = Scripted::new([text(SECRET).with_finish_reason(FinishReason::Length)]);
    let kernel = echo_kernel(&model);
    let prompt = PromptTemplateConfig::new(SECRET).with_template_format("brackets");
    let error = kernel.invoke_prompt(prompt, KernelArguments::new()).await.unwrap_err();
    assert!(!format!("{error:?} {error}").contains(SECRET), "{error:?}");
}

#[tokio::test]
async fn debug_output_truncates_names_from_the_model() {
    let long = "x".repeat(5000);
    let call = ToolCall::new(&long, &long, &long);
    let parts = vec![MessagePart::ToolCall(call)];
    let answer = ChatResponse::new(ChatMessage::new(ChatRole::Assistant, parts));
    let model = Scripted::new([answer, text("Done.")]);
    let outcome = echo_kernel(&model).chat(question("?"), settings()).await.unwrap();
    let shown = format!("{:?}", outcome.run.calls);
    assert!(shown.len() < 600, "{shown}");
    assert!(shown.contains("error: Some(UnknownFunction)"), "{shown}");
}
