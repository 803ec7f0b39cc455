//! Calls of asynchronous functions from Handlebars templates.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use serde_json::{Value, json};
use textsearch_kernel::{
    Kernel, KernelArguments, KernelError, KernelFunction, KernelPlugin, Result,
    function::{FunctionMetadata, ParameterMetadata},
};
use tokio::sync::Notify;

use crate::support::{arguments, handlebars, kernel, kernel_with_tools, render, semantic_kernel};

fn kernel_with<B, F>(body: B) -> Kernel
where
    B: Fn(KernelArguments) -> F + Send + Sync + 'static,
    F: Future<Output = Result<Value>> + Send + 'static,
{
    let metadata = FunctionMetadata::new("Wait", "").with_parameter(ParameterMetadata::optional(
        "input",
        "",
        Value::Null,
    ));
    let function = KernelFunction::new(metadata, move |invocation| body(invocation.arguments));
    let plugin = KernelPlugin::new("Slow", "", [function.unwrap()]).unwrap();
    let mut kernel = kernel();
    kernel.add_plugin(plugin).unwrap();
    kernel
}

const BOTH: [(&str, &str); 2] =
    [("handlebars", "a {{Slow-Wait x}} b"), ("semantic-kernel", "a {{Slow.Wait $x}} b")];

async fn both_render(kernel: &Kernel) {
    for (format, template) in BOTH {
        let config = semantic_kernel(template).with_template_format(format);
        let text = render(kernel, &config, &arguments(json!({ "x": "value" }))).await.unwrap();
        assert_eq!(text, "a value b", "{format}");
    }
}

fn input(arguments: &KernelArguments) -> Value {
    arguments.get("input").cloned().unwrap_or_default()
}

async fn after_a_timer(arguments: KernelArguments) -> Result<Value> {
    tokio::time::sleep(Duration::from_millis(1)).await;
    Ok(input(&arguments))
}

async fn in_a_task(arguments: KernelArguments) -> Result<Value> {
    Ok(tokio::spawn(async move { input(&arguments) }).await.unwrap())
}

#[tokio::test(flavor = "current_thread")]
async fn a_function_may_sleep_on_a_current_thread_runtime() {
    both_render(&kernel_with(after_a_timer)).await;
}

#[tokio::test(flavor = "current_thread")]
async fn a_function_may_spawn_on_a_current_thread_runtime() {
    both_render(&kernel_with(in_a_task)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn functions_may_wait_and_spawn_on_a_multi_thread_runtime() {
    both_render(&kernel_with(after_a_timer)).await;
    both_render(&kernel_with(in_a_task)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_thousand_renderings_at_once_do_not_mix() {
    let kernel = kernel_with(after_a_timer);
    let config = handlebars("{{#each list}}{{Slow-Wait this}},{{/each}}");
    let prompt = kernel.compile_prompt(&config).unwrap();
    let tasks: Vec<_> = (0..1000)
        .map(|number| {
            let kernel = kernel.clone();
            let prompt = prompt.clone();
            tokio::spawn(async move {
                let arguments = arguments(json!({ "list": [number, number + 1] }));
                prompt.render(&kernel, &arguments).await.unwrap().text
            })
        })
        .collect();
    for (number, task) in tasks.into_iter().enumerate() {
        assert_eq!(task.await.unwrap(), format!("{number},{},", number + 1));
    }
}

/// Counts itself while it is alive.
struct Alive(Arc<AtomicUsize>);

impl Drop for Alive {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

#[tokio::test]
async fn dropping_the_future_drops_the_call_and_makes_no_more() {
    let alive = Arc::new(AtomicUsize::new(0));
    let calls = Arc::new(AtomicUsize::new(0));
    let started = Arc::new(Notify::new());
    let seen = (alive.clone(), calls.clone(), started.clone());
    let kernel = kernel_with(move |_| {
        let (alive, calls, started) = seen.clone();
        async move {
            alive.fetch_add(1, Ordering::SeqCst);
            calls.fetch_add(1, Ordering::SeqCst);
            let _alive = Alive(alive);
            started.notify_one();
            std::future::pending().await
        }
    });
    for (format, template) in [
        ("handlebars", "{{Slow-Wait 1}}{{Slow-Wait 2}}"),
        ("semantic-kernel", "{{Slow.Wait}}{{Slow.Wait}}"),
    ] {
        calls.store(0, Ordering::SeqCst);
        let config = semantic_kernel(template).with_template_format(format);
        let no_arguments = KernelArguments::new();
        tokio::select! {
            _ = render(&kernel, &config, &no_arguments) => panic!("it never ends"),
            () = started.notified() => {}
        }
        assert_eq!(alive.load(Ordering::SeqCst), 0, "{format}");
        tokio::time::sleep(Duration::from_millis(5)).await;
        assert_eq!(calls.load(Ordering::SeqCst), 1, "{format}");
    }
}

#[tokio::test]
async fn a_functions_error_is_returned_unchanged() {
    let refuse =
        |_| async { Err(KernelError::failed("Slow-Wait", std::io::Error::other("no route"))) };
    let kernel = kernel_with(refuse);
    for (format, template) in BOTH {
        let config = semantic_kernel(template).with_template_format(format);
        let error = render(&kernel, &config, &KernelArguments::new()).await.unwrap_err();
        let KernelError::FunctionFailed { function, source, .. } = error else {
            panic!("{format}: {error}");
        };
        assert_eq!(function, "Slow-Wait");
        assert!(source.is::<std::io::Error>(), "{format}");
    }
}

#[tokio::test]
async fn calls_in_skipped_blocks_are_not_made() {
    let (kernel, calls) = kernel_with_tools();
    let template = "{{#if no}}{{Tools-Echo 'a'}}{{else}}{{Tools-Echo 'b'}}{{/if}}\
                    {{#each none}}{{Tools-Echo 'c'}}{{/each}}{{#unless yes}}{{Tools-Echo 'd'}}{{/unless}}";
    let arguments = arguments(json!({ "no": false, "yes": true, "none": [] }));
    let text = render(&kernel, &handlebars(template), &arguments).await.unwrap();
    assert_eq!(text, "b");
    assert_eq!(calls.inputs(), [json!("b")]);
}

#[tokio::test]
async fn a_call_in_a_loop_runs_once_per_item() {
    let (kernel, calls) = kernel_with_tools();
    let template = "{{Tools-Echo 'first'}}{{#each list}}{{this}}={{Tools-Wrap this}};{{/each}}{{Tools-Echo 'last'}}";
    let arguments = arguments(json!({ "list": ["a", "b", "a"] }));
    let text = render(&kernel, &handlebars(template), &arguments).await.unwrap();
    assert_eq!(text, "firsta=[a];b=[b];a=[a];last");
    assert_eq!(calls.inputs(), [json!("first"), json!("a"), json!("b"), json!("a"), json!("last")]);
}

#[tokio::test]
async fn nested_calls_get_real_arguments() {
    let (kernel, calls) = kernel_with_tools();
    let template = "{{Tools-Wrap (Tools-Wrap (concat x (Tools-Echo y)))}}";
    let arguments = arguments(json!({ "x": "1", "y": "2" }));
    let text = render(&kernel, &handlebars(template), &arguments).await.unwrap();
    assert_eq!(text, "[[12]]");
    assert_eq!(calls.inputs(), [json!("2"), json!("12"), json!("[12]")]);
}

#[tokio::test]
async fn a_call_decides_about_the_next_one() {
    let (kernel, calls) = kernel_with_tools();
    let template = "{{#if (Tools-Echo yes)}}{{#each (Tools-Echo list)}}{{Tools-Wrap this}}{{/each}}{{else}}{{Tools-Echo 'no'}}{{/if}}";
    let arguments = arguments(json!({ "yes": true, "list": ["a", "b"] }));
    let text = render(&kernel, &handlebars(template), &arguments).await.unwrap();
    assert_eq!(text, "[a][b]");
    assert_eq!(calls.inputs(), [json!(true), json!(["a", "b"]), json!("a"), json!("b")]);
}

#[tokio::test]
async fn positional_and_named_arguments_reach_their_parameters() {
    let (kernel, calls) = kernel_with_tools();
    let template = "{{Tools-Echo x 'two words'}}{{Tools-Echo second=x input=7}}{{Tools-Echo x Echo-second=null}}{{tools-echo}}";
    let arguments = arguments(json!({ "x": { "deep": [1] }, "second": "variable" }));
    render(&kernel, &handlebars(template), &arguments).await.unwrap();
    let arguments: Vec<_> = calls.all().into_iter().map(|(_, arguments)| arguments).collect();
    assert_eq!(arguments[0], json!({ "input": { "deep": [1] }, "second": "two words" }));
    assert_eq!(arguments[1], json!({ "input": 7, "second": { "deep": [1] } }));
    assert_eq!(arguments[2]["input"], json!({ "deep": [1] }));
    assert_eq!(arguments[3], json!({ "second": "variable" }));
}

#[tokio::test]
async fn a_missing_argument_is_not_replaced_by_a_variable() {
    let (kernel, calls) = kernel_with_tools();
    let arguments = arguments(json!({ "input": "another" }));
    for (format, template) in
        [("handlebars", "{{Tools-Echo typo}}"), ("semantic-kernel", "{{Tools.Echo $typo}}")]
    {
        let config = semantic_kernel(template).with_template_format(format);
        assert_eq!(render(&kernel, &config, &arguments).await.unwrap(), "", "{format}");
    }
    assert_eq!(calls.inputs(), [Value::Null, Value::Null]);
}

#[tokio::test]
async fn calls_in_named_arguments_run_in_name_order() {
    let (kernel, calls) = kernel_with_tools();
    let template = "{{Tools-Echo second=(Tools-Wrap 'b') input=(Tools-Wrap 'a')}}";
    for _ in 0..10 {
        render(&kernel, &handlebars(template), &KernelArguments::new()).await.unwrap();
    }
    for calls in calls.inputs().chunks(3) {
        assert_eq!(calls, [json!("a"), json!("b"), json!("[a]")]);
    }
}

#[tokio::test]
async fn results_print_as_text_lists_and_json() {
    let (kernel, _) = kernel_with_tools();
    let template = "{{Tools-Echo texts}}|{{Tools-Echo mixed}}|{{Tools-Echo object}}|{{Tools-Echo 1.5}}|{{Tools-Echo}}|{{#each (Tools-Echo texts)}}{{this}};{{/each}}";
    let arguments =
        arguments(json!({ "texts": ["a", "b"], "mixed": ["a", 1], "object": { "a": true } }));
    let text = render(&kernel, &handlebars(template), &arguments).await.unwrap();
    assert_eq!(text, "a\nb|[\"a\",1]|{\"a\":true}|1.5||a;b;");
}

#[tokio::test]
async fn calls_in_partials_are_made_once_too() {
    let (kernel, calls) = kernel_with_tools();
    let template = "{{Tools-Echo '0'}}{{#*inline \"item\"}}({{Tools-Wrap this}}){{/inline}}{{#each list}}{{> item}}{{/each}}{{Tools-Echo '9'}}";
    let arguments = arguments(json!({ "list": ["1", "2"] }));
    let text = render(&kernel, &handlebars(template), &arguments).await.unwrap();
    assert_eq!(text, "0([1])([2])9");
    assert_eq!(calls.inputs(), [json!("0"), json!("1"), json!("2"), json!("9")]);
}

#[tokio::test]
async fn calls_run_once_if_a_list_replaces_an_object() {
    let (kernel, calls) = kernel_with_tools();
    let template = "{{Tools-Echo '0'}}{{#each items}}{{Tools-Wrap this.name}}{{name}};{{/each}}";
    let arguments = arguments(json!({ "items": [{ "name": "a" }, ["b"], { "name": "c" }] }));
    let text = render(&kernel, &handlebars(template), &arguments).await.unwrap();
    assert_eq!(text, "0[a]a;[];[c]c;");
    assert_eq!(calls.inputs(), [json!("0"), json!("a"), Value::Null, json!("c")]);
}

#[tokio::test]
async fn the_call_after_a_thousand_is_an_error() {
    let (kernel, calls) = kernel_with_tools();
    let template = handlebars("{{#each (range 1 last)}}{{Tools-Echo this}}{{/each}}");
    let text = render(&kernel, &template, &arguments(json!({ "last": 1000 }))).await.unwrap();
    assert!(text.ends_with("9991000"));
    assert_eq!(calls.inputs().len(), 1000);

    let error = render(&kernel, &template, &arguments(json!({ "last": 1001 }))).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "template:1:25: the template makes more than 1000 calls, which is all that one rendering may make"
    );
}

#[tokio::test]
async fn calls_in_and_around_nested_loops_run_in_order() {
    let (kernel, calls) = kernel_with_tools();
    let template = "{{#with all}}{{#each rows}}{{set 'n' @index}}<{{#each this}}{{Tools-Echo this}}{{/each}}\
                    {{#each this}}{{Tools-Wrap (concat @root.n this)}}{{@index}}{{/each}}>{{Tools-Echo '-'}}{{/each}}\
                    {{#rows}}{{#each this}}{{Tools-Echo this}}{{/each}};{{/rows}}{{Tools-Echo @root.n}}{{/with}}";
    let arguments = arguments(json!({ "all": { "rows": [["a", "b"], [], ["c"]] } }));
    let text = render(&kernel, &handlebars(template), &arguments).await.unwrap();
    assert_eq!(text, "<ab[0a]0[0b]1>-<>-<c[2c]0>-ab;;c;2");
    let expected = ["a", "b", "0a", "0b", "-", "-", "c", "2c", "-", "a", "b", "c"];
    let inputs = calls.inputs();
    assert_eq!(inputs[..12], expected.map(|input| json!(input)));
    assert_eq!(inputs[12..], [json!(2)]);
}

#[tokio::test]
async fn a_template_is_compiled_once_and_rendered_many_times() {
    let (kernel, calls) = kernel_with_tools();
    let prompt = kernel.compile_prompt(&handlebars("{{set 'n' x}}{{Tools-Echo n}}")).unwrap();
    for number in 0..3 {
        let arguments = arguments(json!({ "x": number }));
        let text = prompt.render(&kernel, &arguments).await.unwrap().text;
        assert_eq!(text, number.to_string());
    }
    assert_eq!(calls.inputs(), [json!(0), json!(1), json!(2)]);
}

#[tokio::test]
async fn results_that_are_printed_as_a_whole_are_json() {
    let mut kernel = kernel_with_tools().0;
    let search =
        textsearch_core::FixedSearch::new([
            textsearch_core::TextSearchResult::new("one\n\"two\"").with_link("https://a.example")
        ]);
    let plugin = textsearch_kernel::TextSearchPlugins::create_with_get_search_results(
        &search,
        "SearchPlugin",
    );
    kernel.add_plugin(plugin.unwrap()).unwrap();
    let result = r#"{"Link":"https://a.example","Source":"fixed","Value":"one\n\"two\""}"#;
    let template = handlebars(
        "{{#each (SearchPlugin-GetSearchResults 'q')}}{{this}}{{/each}}|{{#with (SearchPlugin-GetSearchResults 'q')}}{{this}}{{/with}}",
    );
    let text = render(&kernel, &template, &arguments(json!({}))).await.unwrap();
    assert_eq!(text, format!("{result}|[{result}]"));
}

#[tokio::test]
async fn a_call_with_arguments_needs_no_plugin_name() {
    let kernel = kernel_with(async |arguments| Ok(input(&arguments)));
    let data = arguments(json!({ "x": "value", "wait": "variable", "list": [1] }));
    for (template, expected) in [
        ("{{wait x}}, {{WAIT 'a'}}, {{wait input='b'}}", "value, a, b"),
        ("{{#each (wait list)}}{{this}}{{/each}}", "1"),
        ("{{wait}}", "variable"),
        ("{{concat 'a' 'b'}}", "ab"),
    ] {
        assert_eq!(render(&kernel, &handlebars(template), &data).await.unwrap(), expected);
    }
}
