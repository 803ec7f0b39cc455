//! The syntax of the `semantic-kernel` format.

use serde_json::{Value, json};
use textsearch_kernel::{KernelArguments, KernelPlugin};

use crate::support::{
    Calls, arguments, function, kernel, kernel_with_tools, render, semantic_kernel,
};

fn data() -> KernelArguments {
    arguments(json!({
        "x": "X", "y_2": "Y", "with-hyphen": "H", "texts": ["a", "b"], "mixed": ["a", 1], "object": { "k": [true] },
        "number": 1.5, "none": null,
    }))
}

async fn assert_renders(cases: &[(&str, &str)]) {
    let (kernel, _) = kernel_with_tools();
    for (template, expected) in cases {
        let text = render(&kernel, &semantic_kernel(template), &data()).await;
        assert_eq!(text.unwrap_or_else(|error| error.to_string()), *expected, "{template}");
    }
}

#[tokio::test]
async fn variables_print_as_text_lists_and_json() {
    assert_renders(&[
        ("{{$x}} {{ $y_2 }} {{\n$with-hyphen\t}} {{$X}}", "X Y H X"),
        ("{{$missing}}|{{$none}}|{{$number}}", "||1.5"),
        ("{{$texts}}|{{$mixed}}|{{$object}}", "a\nb|[\"a\",1]|{\"k\":[true]}"),
    ])
    .await;
}

#[tokio::test]
async fn values_print_with_their_escapes_resolved() {
    assert_renders(&[
        ("{{'one'}} {{ \"two words\" }} {{''}}|", "one two words |"),
        (
            r#"{{'it\'s'}} {{"a \"b\""}} {{'a\\'}} {{'\n \" \x'}} {{"it's"}}"#,
            "it's a \"b\" a\\ \\n \" \\x it's",
        ),
        ("{{ \"{{\" }}$x{{ '}}' }}", "{{$x}}"),
    ])
    .await;
}

#[tokio::test]
async fn text_outside_blocks_is_literal() {
    assert_renders(&[
        ("a { b } c }} d", "a { b } c }} d"),
        ("{}{{}}{{  }}{", "{}{{}}{{  }}{"),
        ("{{{$x}}} {{{{$x}}}}", "{X} {{X}}"),
        ("{\"json\": {\"x\": \"{{$x}}\"}}", "{\"json\": {\"x\": \"X\"}}"),
        ("", ""),
        ("\r\nüñí 🚀\t", "\r\nüñí 🚀\t"),
    ])
    .await;
}

#[tokio::test]
async fn calls_find_functions_with_and_without_their_plugin() {
    assert_renders(&[
        ("{{Tools.Wrap 'a'}} {{Wrap 'b'}} {{tools.wrap \"c\"}} {{Wrap $x}}", "[a] [b] [c] [X]"),
        ("{{Tools.Echo $texts}}|{{Echo $object}}|{{Echo}}", "a\nb|{\"k\":[true]}|"),
    ])
    .await;
}

async fn arguments_of(call: &str) -> Value {
    let (kernel, calls) = kernel_with_tools();
    render(&kernel, &semantic_kernel(call), &data()).await.unwrap();
    let all = calls.all();
    assert_eq!(all.len(), 1);
    all[0].1.clone()
}

#[tokio::test]
async fn arguments_may_be_named_quoted_and_spread_out() {
    let cases = [
        ("{{Tools.Echo 'v' second=$x}}", json!({ "input": "v", "second": "X" })),
        (
            "{{Tools.Echo second='x=y' input=\"two words\"}}",
            json!({ "input": "two words", "second": "x=y" }),
        ),
        (
            "{{\n Tools.Echo\n  $x\n  second\n  =\n  'a }} b'\n}}",
            json!({ "input": "X", "second": "a }} b" }),
        ),
        ("{{Tools.Echo 'v'second=$x}}", json!({ "input": "v", "second": "X" })),
        (
            "{{Tools.Echo $object SECOND=$number}}",
            json!({ "input": { "k": [true] }, "second": 1.5 }),
        ),
        ("{{Tools.Echo ''}}", json!({ "input": "" })),
    ];
    for (call, expected) in cases {
        assert_eq!(arguments_of(call).await, expected, "{call}");
    }
}

#[tokio::test]
async fn names_of_functions_may_hold_hyphens_and_underscores() {
    let calls = Calls::default();
    let functions = [
        function("get-all_items", &calls, |_| "1".into()),
        function("_", &calls, |_| "2".into()),
        function("2nd", &calls, |_| "3".into()),
    ];
    let mut kernel = kernel();
    kernel.add_plugin(KernelPlugin::new("My_Plugin", "", functions).unwrap()).unwrap();
    let template = "{{My_Plugin.get-all_items}}{{get-all_items}}{{My_Plugin._}}{{2nd}}";
    let text = render(&kernel, &semantic_kernel(template), &KernelArguments::new()).await.unwrap();
    assert_eq!(text, "1123");
}

#[tokio::test]
async fn calls_are_made_in_order_and_once() {
    let (kernel, calls) = kernel_with_tools();
    let template = semantic_kernel("{{Echo '1'}}{{Wrap '2'}}{{Echo '1'}}");
    let text = render(&kernel, &template, &KernelArguments::new()).await.unwrap();
    assert_eq!(text, "1[2]1");
    assert_eq!(calls.inputs(), [json!("1"), json!("2"), json!("1")]);
}
