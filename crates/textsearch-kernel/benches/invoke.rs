//! What a call costs: a native function, a search with ten results, a model's tool call, a round of a chat, and making
//! a plugin.
#![expect(clippy::expect_used, reason = "a benchmark that cannot be set up must not be measured")]

use std::{convert::Infallible, hint::black_box, sync::Arc};

use criterion::{Criterion, criterion_group, criterion_main};
use futures_util::FutureExt;
use textsearch_kernel::{
    FunctionChoiceBehavior, Kernel, KernelArguments, KernelFunction, KernelPlugin,
    SearchFunctionOptions, TextSearchPlugins,
    textsearch_core::{
        self, FixedSearch, TextSearchResult, async_trait,
        chat::{
            ChatCompletion, ChatHistory, ChatMessage, ChatOptions, ChatResponse, ChatRole,
            MessagePart, ToolCall,
        },
    },
};

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Greeting {
    /// Whom to greet.
    name: String,
}

fn search() -> FixedSearch {
    let page = |number: usize| {
        TextSearchResult::new(format!(
            "The text of page {number}, as long as a snippet of a web search is: {}",
            "x".repeat(100)
        ))
        .with_name(format!("Page {number}"))
        .with_link(format!("https://example.com/pages/{number}"))
    };
    FixedSearch::new((0..10).map(page).collect::<Vec<_>>())
}

fn kernel() -> Kernel {
    let greet = KernelFunction::from_fn("Greet", "Greets.", |greeting: Greeting| async move {
        Ok::<_, Infallible>(greeting.name)
    });
    let options = || SearchFunctionOptions::new().with_default_count(10);
    let functions = [
        greet.expect("a function"),
        search().create_search(options()).expect("a function"),
        search().create_get_search_results(options()).expect("a function"),
    ];
    let mut kernel = Kernel::new();
    kernel
        .add_plugin(KernelPlugin::new("Bench", "For benchmarks.", functions).expect("a plugin"))
        .expect("a name");
    kernel
}

/// Nothing here waits, so that a call is done at its first poll and no runtime is measured.
fn invoke(kernel: &Kernel, function: &str, argument: &str) {
    let arguments = KernelArguments::new().with(argument, "What is a connector?");
    let result = kernel.invoke("Bench", function, arguments).now_or_never();
    black_box(result.expect("nothing waits").expect("a result"));
}

fn calls(criterion: &mut Criterion) {
    let kernel = kernel();
    criterion.bench_function("invoke a native function", |bencher| {
        bencher.iter(|| invoke(&kernel, "Greet", "name"));
    });
    criterion.bench_function("search, 10 texts", |bencher| {
        bencher.iter(|| invoke(&kernel, "Search", "query"));
    });
    criterion.bench_function("search, 10 results", |bencher| {
        bencher.iter(|| invoke(&kernel, "GetSearchResults", "query"));
    });
    let native = ToolCall::new("1", "Bench-Greet", r#"{"name":"Ada"}"#);
    let tool = ToolCall::new("1", "Bench-Search", r#"{"query":"What is a connector?","count":10}"#);
    for (name, call) in
        [("tool call of a native function", native), ("tool call of a search, 10 texts", tool)]
    {
        criterion.bench_function(name, |bencher| {
            bencher.iter(|| black_box(kernel.invoke_tool_call(&call).now_or_never()));
        });
    }
}

/// Calls the search once, and answers at once when it has the result.
struct Model {
    call: ChatResponse,
    answer: ChatResponse,
}

#[async_trait]
impl ChatCompletion for Model {
    fn name(&self) -> &str {
        "bench"
    }

    fn model_id(&self) -> &str {
        "bench"
    }

    async fn complete(
        &self,
        history: &ChatHistory,
        _: &ChatOptions,
    ) -> textsearch_core::Result<ChatResponse> {
        Ok(if history.len() > 1 { &self.answer } else { &self.call }.clone())
    }
}

fn chats(criterion: &mut Criterion) {
    let arguments = r#"{"query":"What is a connector?","count":10}"#;
    for function in ["Bench-Search", "Bench-GetSearchResults"] {
        let call = MessagePart::ToolCall(ToolCall::new("1", function, arguments));
        let call = ChatResponse::new(ChatMessage::new(ChatRole::Assistant, vec![call]));
        let answer = ChatResponse::new(ChatMessage::assistant("It is a crate for one back end."));
        let mut kernel = kernel();
        kernel.add_chat_service("bench", Arc::new(Model { call, answer })).expect("a name");
        criterion.bench_function(&format!("chat with one call of {function}"), |bencher| {
            bencher.iter(|| {
                let history = ChatHistory::from(vec![ChatMessage::user("What is a connector?")]);
                let outcome = kernel.chat(history, FunctionChoiceBehavior::auto()).now_or_never();
                black_box(outcome.expect("nothing waits").expect("an outcome"))
            });
        });
    }
}

fn plugins(criterion: &mut Criterion) {
    let search = search();
    criterion.bench_function("plugin with Search", |bencher| {
        bencher.iter(|| black_box(search.create_with_search("SearchPlugin")));
    });
    criterion.bench_function("plugin with GetSearchResults", |bencher| {
        bencher.iter(|| black_box(search.create_with_get_search_results("SearchPlugin")));
    });
}

criterion_group!(benches, calls, chats, plugins);
criterion_main!(benches);
