//! Scratch.
use std::{hint::black_box, time::Instant};
use textsearch_core::*;
use textsearch_kernel::{*, prompt::*};
const RAG: &str = include_str!("../tests/fixtures/templates/get_search_results.hbs");
fn results() -> Vec<TextSearchResult> {
    (1..=10).map(|number| TextSearchResult::new(format!(
            "Result {number}: a lightweight kit that lets one \"integrate\" models & code; it's <b>open source</b>, and \
             a middleware that translates a model's requests into function calls, and results back into text."
        ))
        .with_name(format!("Introduction to the kernel, part {number}"))
        .with_link(format!("https://example.com/kernel/part?number={number}&lang=en"))).collect()
}
fn race(sides: &mut [(&str, Box<dyn FnMut() + '_>)]) {
    let mut best = vec![f64::MAX; sides.len()];
    for _ in 0..150 { for (i, (_, f)) in sides.iter_mut().enumerate() { let s = Instant::now(); for _ in 0..100 { f(); } best[i] = best[i].min(s.elapsed().as_secs_f64() * 1e4); } }
    for ((name, _), b) in sides.iter().zip(best) { println!("{name}: {b:.2} us"); }
}
fn main() {
    let rt = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let search = FixedSearch::new(results());
    let mut kernel = Kernel::new();
    textsearch_prompt::add_template_factories(&mut kernel);
    let ready = serde_json::to_value(results()).unwrap();
    let r2 = ready.clone();
    let f = KernelFunction::new(FunctionMetadata::new("Ready", ""), move |_| { let v = r2.clone(); async move { Ok(v) } }).unwrap();
    kernel.add_plugin(KernelPlugin::new("SearchPlugin", "", [search.create_get_search_results(SearchFunctionOptions::new().with_default_count(10)).unwrap(), f]).unwrap()).unwrap();
    let args = KernelArguments::new().with("query", "What is the Semantic Kernel?");
    let mut hb = handlebars::Handlebars::new();
    hb.register_escape_fn(handlebars::no_escape);
    hb.register_template_string("t", RAG.replace("(SearchPlugin-GetSearchResults query)", "results")).unwrap();
    let mut hb2 = handlebars::Handlebars::new();
    hb2.register_template_string("t", RAG.replace("(SearchPlugin-GetSearchResults query)", "results")).unwrap();
    let data = serde_json::json!({"query": "What is the Semantic Kernel?", "results": ready});
    #[derive(serde::Serialize)] struct D<'a> { query: &'a str, results: &'a [TextSearchResult] }
    let rs = results();
    let d = D { query: "What is the Semantic Kernel?", results: &rs };
    let mut hb3 = handlebars::Handlebars::new();
    hb3.register_escape_fn(|t| encode_for_chat(t).into_owned());
    let chat = format!("<message role=\"user\">{RAG}</message>");
    hb3.register_template_string("t", chat.replace("(SearchPlugin-GetSearchResults query)", "results")).unwrap();
    let ctx = handlebars::Context::wraps(&data).unwrap();
    let mut sides: Vec<(&str, Box<dyn FnMut()>)> = Vec::new();
    let sides_ = &mut sides;
    macro_rules! time { ($n:expr, $f:expr) => { sides_.push(($n, Box::new($f))) } }
    time!("bare, no escape, typed data", || { black_box(hb.render("t", &d).unwrap()); });
    time!("bare, chat escape, typed data", || { black_box(hb3.render("t", &d).unwrap()); });
    time!("bare, html escape, typed data", || { black_box(hb2.render("t", &d).unwrap()); });
    time!("bare, no escape, context at hand", || { black_box(hb.render_with_context("t", &ctx).unwrap()); });
    time!("value clone", || { black_box(data.clone()); });
    time!("to_value", || { black_box(serde_json::to_value(&d).unwrap()); });
    time!("invoke search function", || { black_box(rt.block_on(kernel.invoke("SearchPlugin", "GetSearchResults", args.clone())).unwrap()); });
    time!("text_search_results", || { black_box(rt.block_on(async { search.text_search_results("q", &SearchOptions::top(10)).await.unwrap().into_vec().await.unwrap() })); });
    time!("search_values", || { black_box(rt.block_on(async { search.search_values("q", &SearchOptions::top(10)).await.unwrap().into_vec().await.unwrap() })); });
    for (n, t) in [("ours", RAG.to_owned()), ("ours chat", chat.clone()), ("ours, ready value", RAG.replace("GetSearchResults query", "Ready")), ("ours, ready variable", RAG.replace("(SearchPlugin-GetSearchResults query)", "results"))] {
        let args = if n.ends_with("variable") { args.clone().with("results", data["results"].clone()) } else { args.clone() };
        let p = kernel.compile_prompt(&PromptTemplateConfig::new(t).with_format("handlebars")).unwrap();
        time!(n, { let (p, args, rt, kernel) = (p, args, &rt, &kernel); move || { black_box(rt.block_on(kernel.render_prompt(&p, &args)).unwrap()); } });
    }
    race(&mut sides);
}
