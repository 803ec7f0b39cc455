//! Measures calls: a native function, a search with ten results, a model's tool call, a chat round,
//! and the creation of a plugin.
#![expect(clippy::expect_used, reason = "a benchmark that cannot be set up must not be measured")]

mod support;

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use futures_util::FutureExt;
use textsearch_kernel::{
    TextSearchPlugins,
    chat::FunctionChoiceBehavior,
    textsearch_core::{
        self, async_trait,
        chat::{
            ChatCompletion, ChatHistory, ChatMessage, ChatOptions, ChatResponse, ChatRole,
            MessagePart, ToolCall,
        },
    },
};

use self::support::{answer, invoke, kernel, search, tool_calls};

fn calls(criterion: &mut Criterion) {
    let kernel = kernel();
    criterion.bench_function("invoke a native function", |bencher| {
        bencher.iter(|| black_box(invoke(&kernel, "Greet", "name")));
    });
    for (name, function) in [("texts", "Search"), ("results", "GetSearchResults")] {
        criterion.bench_function(&format!("search, 10 {name}"), |bencher| {
            bencher.iter(|| black_box(invoke(&kernel, function, "query")));
        });
        criterion.bench_function(&format!("search, 10 {name}, as text"), |bencher| {
            bencher.iter(|| black_box(invoke(&kernel, function, "query").text().len()));
        });
        criterion.bench_function(&format!("search, 10 {name}, as JSON"), |bencher| {
            bencher.iter(|| black_box(invoke(&kernel, function, "query").value.into_json()));
        });
    }
    for (name, call) in tool_calls() {
        criterion.bench_function(name, |bencher| {
            bencher.iter(|| black_box(answer(&kernel, &call)));
        });
    }
}

/// Calls the search once, then answers.
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
        let answer = ChatResponse::new(ChatMessage::assistant("It is a crate for one backend."));
        let mut kernel = kernel();
        kernel.add_chat_service("bench", Model { call, answer }).expect("a name");
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
