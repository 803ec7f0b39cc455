//! Lines `rag-template` and `inline-search`: a prompt with a search, compared with the same text
//! built without this crate.
//!
//! Both sides of `rag-template` serialise ten results and render the seed's template; only ours
//! calls a search function. The baseline of `inline-search` also searches, and builds the text by
//! hand.
#![expect(clippy::unwrap_used, reason = "a benchmark that fails is to stop")]

use std::{fmt::Write, hint::black_box};

use criterion::{Criterion, criterion_group, criterion_main};
use handlebars::{Handlebars, no_escape};
use serde::Serialize;
use textsearch_core::{FixedSearch, SearchOptions, TextSearch, TextSearchResult};
use textsearch_kernel::{
    Kernel, KernelArguments, KernelPlugin, TextSearchPlugins,
    prompt::{Prompt, PromptTemplateConfig, encode_for_chat},
    search::SearchPluginOptions,
};
use tokio::runtime::{Builder, Runtime};

const RAG: &str = include_str!("../tests/fixtures/templates/get_search_results.hbs");
const QUERY: &str = "What is the Semantic Kernel?";

#[derive(Serialize)]
struct Data<'a> {
    query: &'a str,
    results: &'a [TextSearchResult],
}

fn results() -> Vec<TextSearchResult> {
    let result = |number: usize| {
        TextSearchResult::new(format!(
            "Result {number}: a lightweight kit that lets one \"integrate\" models & code; it's <b>open source</b>, and \
             a middleware that translates a model's requests into function calls, and results back into text."
        ))
        .with_name(format!("Introduction to the kernel, part {number}"))
        .with_link(format!("https://example.com/kernel/part?number={number}&lang=en"))
    };
    (1..=10).map(result).collect()
}

struct Setup {
    runtime: Runtime,
    search: FixedSearch,
    kernel: Kernel,
    arguments: KernelArguments,
}

impl Setup {
    fn new() -> Self {
        let search = FixedSearch::new(results());
        let ten = || {
            let mut options = SearchPluginOptions::new("SearchPlugin");
            options.default_count = 10;
            options
        };
        let plugins = [
            search.create_with_search(ten()).unwrap(),
            search.create_with_get_search_results(ten()).unwrap(),
        ];
        let functions = plugins.iter().flat_map(KernelPlugin::functions).cloned();
        let mut kernel = Kernel::new();
        textsearch_prompt::add_template_factories(&mut kernel);
        kernel.add_plugin(KernelPlugin::new("SearchPlugin", "", functions).unwrap()).unwrap();
        Self {
            runtime: Builder::new_current_thread().build().unwrap(),
            search,
            kernel,
            arguments: KernelArguments::new().with("query", QUERY),
        }
    }

    fn prompt(&self, template: &str, format: &str) -> Prompt {
        self.kernel
            .compile_prompt(&PromptTemplateConfig::new(template).with_template_format(format))
            .unwrap()
    }

    fn render(&self, prompt: &Prompt) -> String {
        let rendering = prompt.render(&self.kernel, &self.arguments);
        self.runtime.block_on(rendering).unwrap().text
    }

    fn by_hand(&self) -> String {
        self.runtime.block_on(async {
            let results = self.search.search(QUERY, &SearchOptions::top(10)).await.unwrap();
            let texts = results.into_vec().await.unwrap();
            let mut prompt = texts.join("\n");
            write!(prompt, ". {QUERY}").unwrap();
            prompt
        })
    }
}

fn bare(template: &str, escape: fn(&str) -> String) -> Handlebars<'static> {
    let template = template.replace("(SearchPlugin-GetSearchResults query)", "results");
    let mut registry = Handlebars::new();
    registry.register_escape_fn(escape);
    registry.register_template_string("prompt", template).unwrap();
    registry
}

fn handlebars_rag(criterion: &mut Criterion) {
    let setup = Setup::new();
    let results = results();
    let data = Data { query: QUERY, results: &results };
    let chat_template = format!("<message role=\"user\">{RAG}</message>");
    let encode = |text: &str| encode_for_chat(text).into_owned();
    let plain = bare(RAG, no_escape);
    let chat = bare(&chat_template, encode);
    let prompt = setup.prompt(RAG, "handlebars");
    let chat_prompt = setup.prompt(&chat_template, "handlebars");
    assert_eq!(setup.render(&prompt), plain.render("prompt", &data).unwrap());
    assert_eq!(setup.render(&chat_prompt), chat.render("prompt", &data).unwrap());

    let mut group = criterion.benchmark_group("rag-template, 10 results");
    group.bench_function("bare handlebars, plain", |bencher| {
        bencher.iter(|| plain.render("prompt", black_box(&data)).unwrap());
    });
    group
        .bench_function("ours, plain", |bencher| bencher.iter(|| setup.render(black_box(&prompt))));
    group.bench_function("bare handlebars, chat", |bencher| {
        bencher.iter(|| chat.render("prompt", black_box(&data)).unwrap());
    });
    group.bench_function("ours, chat with parsing", |bencher| {
        bencher.iter(|| setup.render(black_box(&chat_prompt)));
    });
    group.finish();
}

fn semantic_kernel(criterion: &mut Criterion) {
    let setup = Setup::new();
    let prompt = setup.prompt("{{SearchPlugin.Search $query}}. {{$query}}", "semantic-kernel");
    assert_eq!(setup.render(&prompt), setup.by_hand());

    let mut group = criterion.benchmark_group("inline-search, 10 results");
    group.bench_function("by hand", |bencher| bencher.iter(|| black_box(setup.by_hand())));
    group.bench_function("ours", |bencher| bencher.iter(|| setup.render(black_box(&prompt))));
    group.finish();
}

fn calls_in_a_loop(criterion: &mut Criterion) {
    let setup = Setup::new();
    let prompt = setup.prompt(
        "{{#each (range 1 999)}}{{SearchPlugin-Search (concat this)}}{{/each}}",
        "handlebars",
    );
    let mut group = criterion.benchmark_group("999 calls in one loop");
    group.sample_size(10);
    group.bench_function("ours", |bencher| bencher.iter(|| setup.render(black_box(&prompt))));
    group.finish();
}

criterion_group!(benches, handlebars_rag, semantic_kernel, calls_in_a_loop);
criterion_main!(benches);
