//! Models that answer with too much: time grows linearly, and a timeout fires.

use std::{
    collections::BTreeMap,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use futures_util::FutureExt;
use serde_json::{Value, json};
use textsearch_conformance::assert_linear;
use textsearch_kernel::{
    Kernel, KernelFunction, TextSearchPlugins,
    chat::{AnswerFormat, FunctionChoiceBehavior},
    citations::Sources,
    function::{FunctionMetadata, ParameterMetadata},
    textsearch_core::{
        FixedSearch, Result, TextSearchResult, async_trait,
        chat::{
            ChatCompletion, ChatHistory, ChatMessage, ChatOptions, ChatResponse, ChatRole,
            ChatStream, ChatUpdate, MessageBuilder, MessagePart, ToolCall,
        },
    },
};

use crate::support::{Improvised, Scripted, calls, kernel_of, kernel_with, set, text};

fn question() -> ChatHistory {
    ChatHistory::from(vec![ChatMessage::user("What?")])
}

/// The function has an optional number `a`.
fn returning(value: impl Fn() -> Value + Send + Sync + 'static) -> Kernel {
    let mut metadata = FunctionMetadata::new("Get", "");
    metadata.parameters = vec![ParameterMetadata::optional("a", "", json!({}))];
    let function = KernelFunction::new(metadata, move |_| std::future::ready(Ok(value())));
    kernel_of([function.unwrap()])
}

/// `id` turns a call's number into its identifier.
fn many(count: usize, id: impl Fn(usize) -> String, arguments: &str) -> ChatResponse {
    let call = |number| ToolCall::new(id(number), "Test-Get", arguments);
    let parts = (0..count).map(|number| MessagePart::ToolCall(call(number))).collect();
    ChatResponse::new(ChatMessage::new(ChatRole::Assistant, parts))
}

/// The chat must end without waiting.
fn run(kernel: Kernel, answers: Vec<ChatResponse>, behavior: FunctionChoiceBehavior) {
    let model = Scripted::new(answers);
    let kernel = kernel_with(kernel, &model);
    let running = kernel.chat(question(), behavior);
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(running).unwrap();
}

#[test]
fn calls_that_share_an_identifier_take_linear_time() {
    for id in ["x", ""] {
        // The caller runs these calls, so no call is dropped.
        let behavior =
            || set(FunctionChoiceBehavior::auto(), |settings| settings.options.auto_invoke = false);
        assert_linear(10_000, |count| {
            run(returning(|| json!(1)), vec![many(count, |_| id.to_owned(), "{}")], behavior());
        });
    }
}

#[test]
fn identifiers_that_foresee_their_replacement_take_linear_time() {
    let behavior =
        || set(FunctionChoiceBehavior::auto(), |settings| settings.options.auto_invoke = false);
    let id = |number: usize| match number % 2 {
        0 => "x".to_owned(),
        _ => format!("x-{}", number / 2 + 2),
    };
    assert_linear(10_000, |count| {
        run(returning(|| json!(1)), vec![many(count, id, "{}")], behavior());
    });
}

#[test]
fn excess_calls_take_linear_time() {
    assert_linear(20_000, |count| {
        let answers = vec![many(count, |_| "x".to_owned(), "{}"), text("Done.")];
        run(returning(|| json!(1)), answers, FunctionChoiceBehavior::auto());
    });
}

#[test]
fn repeated_calls_take_linear_time() {
    let behavior = || {
        set(FunctionChoiceBehavior::auto(), |settings| {
            settings.options.max_calls_per_round = usize::MAX;
        })
    };
    assert_linear(4_000, |count| {
        let answers = vec![many(count, |number| number.to_string(), "{}"), text("Done.")];
        run(returning(|| json!("x".repeat(100))), answers, behavior());
    });
}

#[test]
fn arguments_of_any_form_take_linear_time() {
    for form in ["[", "{\"a\":", "{\"a\":1,", "\"\\u0000", "1", "{", " "] {
        assert_linear(100_000, |size| {
            let arguments = format!("{{\"a\": \"{}", form.repeat(size));
            let answers = vec![
                many(1, |_| "x".to_owned(), &arguments),
                many(1, |_| "x".to_owned(), &form.repeat(size)),
                text("Done."),
            ];
            run(returning(|| json!(1)), answers, FunctionChoiceBehavior::auto());
        });
    }
}

#[test]
fn long_results_take_linear_time() {
    let long = |size: usize| json!("A sentence. ".repeat(size));
    let controls = |size: usize| json!("\r\u{1b}\n".repeat(size));
    let list = |size: usize| json!(vec![json!({ "Value": "x", "Link": "https://a" }); size]);
    let names = |size: usize| {
        let fields = (0..size).map(|number| (format!("a\u{0}{number}"), json!("\u{7}")));
        Value::Object(fields.collect())
    };
    let makers: [&(dyn Fn(usize) -> Value + Sync); 4] = [&long, &controls, &list, &names];
    for maker in makers {
        // Each is too long, so it is truncated in both sizes.
        assert_linear(10_000, |size| {
            let value = maker(size);
            let answers = vec![many(1, |_| "x".to_owned(), "{}"), text("Done.")];
            run(returning(move || value.clone()), answers, FunctionChoiceBehavior::auto());
        });
    }
}

#[test]
fn typed_answers_of_any_form_take_linear_time() {
    #[derive(serde::Deserialize, schemars::JsonSchema)]
    #[serde(untagged)]
    #[expect(dead_code, reason = "never read")]
    enum Item {
        Number(#[schemars(range(max = 5))] u8),
        Nested(BTreeMap<String, Vec<Option<Item>>>),
    }
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let nested = r#"{"a":[{"b":[{"c":[1,null]}]}]}"#;
    for (item, end) in [(nested, nested), (nested, "6"), ("5", "{"), ("[", ""), ("\u{1b}", "")] {
        assert_linear(5_000, |count| {
            let items = format!("{item},").repeat(count);
            let answer = format!("{{\"answer\":[{items}{end}]}}");
            let model = Scripted::new([text(&answer), text(&answer)]);
            let kernel = kernel_with(Kernel::new(), &model);
            let mut format = AnswerFormat::<Vec<Item>>::new();
            format.max_repairs = 1;
            let mut format = format;
            format.max_answer_bytes = usize::MAX;
            let running = kernel.chat_as(question(), FunctionChoiceBehavior::auto(), &format);
            let is_right = runtime.block_on(running).is_ok();
            assert_eq!(is_right, end == nested);
        });
    }
}

#[test]
fn numbering_sources_takes_linear_time() {
    assert_linear(5_000, |count| {
        let results: Vec<_> = (0..count)
            .map(|number| TextSearchResult::new("x").with_link(format!("https://a/{number}")))
            .collect();
        let sources: Sources = results.iter().chain(&results).collect();
        assert_eq!(sources.len(), count);
    });
}

#[test]
fn sources_of_many_rounds_take_linear_time() {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    assert_linear(100, |rounds| {
        let links = Arc::new(AtomicUsize::new(0));
        // Each result exceeds the length that the model receives, so some of its sources are
        // dropped.
        let mut kernel = returning(move || {
            let link = |_| json!({ "Link": links.fetch_add(1, Ordering::Relaxed).to_string() });
            Value::Array((0..100).map(link).collect())
        });
        let model = Improvised::new(|number, options| {
            if options.tools.is_empty() {
                text("Done.")
            } else {
                calls([("Test-Get", json!({ "a": number }))])
            }
        });
        kernel.add_chat_service("default", model).unwrap();
        let mut behavior = FunctionChoiceBehavior::auto().with_max_rounds(rounds);
        behavior.options.max_result_characters = 2_000;
        let outcome = runtime.block_on(kernel.chat(question(), behavior)).unwrap();
        assert!(outcome.run.sources.len() > 10 * rounds, "{outcome:?}");
    });
}

#[test]
fn pieces_of_a_message_take_linear_time() {
    assert_linear(50_000, |count| {
        let mut message = MessageBuilder::new();
        for _ in 0..count {
            message.push(&ChatUpdate::Text("word ".to_owned()));
        }
        assert_eq!(message.build().text().len(), 5 * count);
    });
}

#[tokio::test]
async fn a_timeout_ends_a_model_that_never_stops_calling() {
    let model = Improvised::new(|number, _| calls([("Test-Get", json!({ "a": number }))]));
    let mut kernel = returning(|| json!(1));
    kernel.add_chat_service("default", model).unwrap();
    let behavior = FunctionChoiceBehavior::auto().with_max_rounds(usize::MAX);
    let running = kernel.chat(question(), behavior);
    tokio::time::timeout(Duration::from_millis(50), running).await.unwrap_err();
}

#[tokio::test]
async fn a_timeout_ends_an_endless_stream() {
    let mut kernel = Kernel::new();
    kernel.add_chat_service("default", Babbler).unwrap();
    let running = kernel.chat_streaming(question(), FunctionChoiceBehavior::auto()).await.unwrap();
    let timeout = Duration::from_millis(50);
    tokio::time::timeout(timeout, running.into_outcome()).await.unwrap_err();
}

#[test]
fn an_endless_stream_yields_after_a_few_pieces() {
    let mut kernel = Kernel::new();
    kernel.add_chat_service("default", Babbler).unwrap();
    let events = kernel.chat_streaming(question(), FunctionChoiceBehavior::auto()).now_or_never();
    let mut events = events.unwrap().unwrap();
    for _ in 0..1000 {
        assert!(events.next().now_or_never().flatten().unwrap().is_ok());
    }
}

/// Repeats a word forever without waiting.
struct Babbler;

#[async_trait]
impl ChatCompletion for Babbler {
    fn name(&self) -> &str {
        "babbler"
    }

    fn model_id(&self) -> &str {
        "babbler-1"
    }

    async fn complete(&self, _: &ChatHistory, _: &ChatOptions) -> Result<ChatResponse> {
        Ok(text("word"))
    }

    async fn stream(&self, _: &ChatHistory, _: &ChatOptions) -> Result<ChatStream> {
        let words = futures_util::stream::repeat_with(|| Ok(ChatUpdate::Text("word ".to_owned())));
        Ok(ChatStream::from_stream(words))
    }
}

#[tokio::test]
async fn excess_calls_are_not_sent_back() {
    let arguments = json!({ "text": "x".repeat(15_000) }).to_string();
    let model =
        Scripted::new([many(1000, |number| format!("call-{number}"), &arguments), text("Done.")]);
    let kernel = kernel_with(returning(|| json!(1)), &model);
    kernel.chat(question(), FunctionChoiceBehavior::auto()).await.unwrap();
    let (history, _) = model.requests().pop().unwrap();
    let size = serde_json::to_string(&history).unwrap().len();
    assert!(size < 17 * (15_000 + 500), "{size}");
    // The question, the calls, and a result for each remaining call.
    assert_eq!(history.len(), 2 + 17);
}

#[tokio::test]
async fn calls_that_never_ran_are_sent_back_short() {
    let long = "x".repeat(1_000_000);
    let call = |name: &str, arguments: &str| {
        MessagePart::ToolCall(ToolCall::new(format!("{}", name.len()), name, arguments))
    };
    let parts = vec![call("Test-Tool", &long), call(&long, &long), call("Test-Other", &long)];
    let message = ChatMessage::new(ChatRole::Assistant, parts);
    let model = Scripted::new([ChatResponse::new(message), text("Done.")]);
    let kernel = kernel_with(returning(|| json!(1)), &model);
    let mut behavior = FunctionChoiceBehavior::auto();
    behavior.options.max_calls_per_round = 2;
    let outcome = kernel.chat(question(), behavior).await.unwrap();
    let (history, _) = model.requests().pop().unwrap();
    let size = serde_json::to_string(&history).unwrap().len();
    assert!(size < 2_000, "{size}");
    assert_eq!(outcome.run.calls[1].call.name, "x".repeat(100));
}

/// One answer for each list of lengths of arguments. Returns the errors that the model read, and
/// the total length of the calls in the run's history and records.
async fn run_long_calls(rounds: &[&[usize]]) -> (Vec<Value>, usize) {
    let mut letters = ('a'..='z').cycle();
    let mut part = |length: usize| {
        let letter = letters.next().unwrap().to_string();
        let arguments = json!({ "a": letter.repeat(length.saturating_sub(8)) }).to_string();
        MessagePart::ToolCall(ToolCall::new(letter, "Test-Get", arguments))
    };
    let mut answer = |lengths: &&[usize]| {
        let parts = lengths.iter().map(|length| part(*length)).collect();
        ChatResponse::new(ChatMessage::new(ChatRole::Assistant, parts))
    };
    let answers: Vec<ChatResponse> = rounds.iter().map(&mut answer).collect();
    let model = Scripted::new(answers.into_iter().chain([text("Done.")]));
    let kernel = kernel_with(returning(|| json!(1)), &model);
    let outcome = kernel.chat(question(), FunctionChoiceBehavior::auto()).await.unwrap();
    assert_eq!(outcome.answer().unwrap(), "Done.");
    let recorded = outcome.run.calls.iter().map(|record| record.call.arguments.len());
    let messages = outcome.run.history.messages().iter();
    let sent = messages.flat_map(ChatMessage::tool_calls).map(|call| call.arguments.len());
    let errors =
        model.tool_results_json().into_iter().filter(|result| result.get("error").is_some());
    (errors.collect(), recorded.sum::<usize>() + sent.sum::<usize>())
}

#[tokio::test]
async fn a_call_with_overlong_arguments_fails() {
    let (errors, kept) = run_long_calls(&[&[262_136, 262_200, 100]]).await;
    let expected = json!({
        "error": "invalid_arguments",
        "message": "the arguments are too long (262208 bytes): at most 262144 bytes; send less",
    });
    assert_eq!(errors, [expected]);
    assert_eq!(kept, 2 * (262_136 + 2 + 100));
}

#[tokio::test]
async fn arguments_of_one_answer_have_a_total_limit() {
    let (errors, kept) = run_long_calls(&[&[200_000, 200_000, 200_000, 100_000]]).await;
    assert_eq!(errors.len(), 1);
    assert_eq!(errors[0]["error"], "invalid_arguments");
    assert_eq!(kept, 2 * (500_000 + 2));
}

#[tokio::test]
async fn arguments_of_a_run_have_a_total_limit() {
    let (errors, kept) = run_long_calls(&[&[250_000, 250_000][..]; 5]).await;
    assert_eq!(errors.len(), 2);
    assert_eq!(errors[0]["error"], "budget_spent");
    assert_eq!(kept, 2 * (2_000_000 + 2 * 2));
}

#[tokio::test]
async fn tool_messages_have_no_control_characters() {
    let dirty = TextSearchResult::new("a\u{1b}[2J\u{0}b\r\nc\td").with_name("Bell\u{7}");
    let search = FixedSearch::new([dirty]);
    let mut kernel = Kernel::new();
    kernel.add_plugin(search.create_with_get_search_results("Pages").unwrap()).unwrap();
    kernel.add_plugin(search.create_with_search("Texts").unwrap()).unwrap();
    let arguments = || json!({ "query": "q" });
    let model = Scripted::new([
        calls([
            ("Pages-GetSearchResults", arguments()),
            ("Texts-Search", arguments()),
            ("Texts-Search", json!({ "query": "q", "o\u{1b}": 1 })),
        ]),
        text("Done."),
    ]);
    kernel_with(kernel, &model).chat(question(), FunctionChoiceBehavior::auto()).await.unwrap();
    let results = model.tool_results();
    let result = json!([
        { "Citation": "[1]", "Name": "Bell", "Source": "fixed", "Value": "a[2Jb\nc\td" },
    ]);
    assert_eq!(model.tool_results_json()[0], result);
    assert_eq!(results[1], r#"["a[2Jb\nc\td"]"#);
    assert!(results[2].contains("the argument `o`"), "{}", results[2]);
    assert!(results.iter().all(|result| !result.contains(char::is_control)), "{results:?}");
}
