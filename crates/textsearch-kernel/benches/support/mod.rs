//! The kernel for the benchmarks, and ways to call it.

use std::convert::Infallible;

use futures_util::FutureExt;
use textsearch_kernel::{
    Kernel, KernelArguments, KernelFunction, KernelPlugin, TextSearchPlugins,
    function::FunctionResult,
    search::SearchPluginOptions,
    textsearch_core::{FixedSearch, TextSearchResult, chat::ToolCall},
};

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Greeting {
    /// Whom to greet.
    name: String,
}

pub(crate) fn search() -> FixedSearch {
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

pub(crate) fn kernel() -> Kernel {
    let greet = KernelFunction::from_fn("Greet", "Greets.", |greeting: Greeting| async move {
        Ok::<_, Infallible>(greeting.name)
    });
    let options = || {
        let mut options = SearchPluginOptions::new("Bench");
        options.default_count = 10;
        options
    };
    let plugins = [
        search().create_with_search(options()).expect("a plugin"),
        search().create_with_get_search_results(options()).expect("a plugin"),
    ];
    let functions = plugins.iter().flat_map(KernelPlugin::functions).cloned();
    let functions = functions.chain([greet.expect("a function")]);
    let mut kernel = Kernel::new();
    kernel
        .add_plugin(KernelPlugin::new("Bench", "For benchmarks.", functions).expect("a plugin"))
        .expect("a name");
    kernel
}

/// Nothing here waits: the call finishes at its first poll, so no runtime is measured.
pub(crate) fn invoke(kernel: &Kernel, function: &str, argument: &str) -> FunctionResult {
    let arguments = KernelArguments::new().with(argument, "What is a connector?");
    let result = kernel.invoke("Bench", function, arguments).now_or_never();
    result.expect("nothing waits").expect("a result")
}

pub(crate) fn answer(kernel: &Kernel, call: &ToolCall) -> String {
    let result = kernel.invoke_tool_call(call).now_or_never();
    result.expect("nothing waits").expect("a result").text().into_owned()
}

pub(crate) fn tool_calls() -> [(&'static str, ToolCall); 2] {
    let native = ToolCall::new("1", "Bench-Greet", r#"{"name":"Ada"}"#);
    let search =
        ToolCall::new("1", "Bench-Search", r#"{"query":"What is a connector?","count":10}"#);
    [("tool call of a native function", native), ("tool call of a search, 10 texts", search)]
}
