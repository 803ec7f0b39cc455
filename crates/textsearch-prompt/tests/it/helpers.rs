//! Semantic Kernel's helpers, and names that are not helpers.

use serde_json::json;
use textsearch_kernel::KernelArguments;

use crate::support::{arguments, handlebars, kernel_with_tools, render};

fn data() -> KernelArguments {
    arguments(json!({
        "text": "t", "empty": "", "none": null, "no": false, "one": 1, "two": "2", "price": 0.1, "other": 0.2,
        "list": ["a", { "b": [1.0] }], "some-name": "hyphen", "message": "M", "json": "J", "each": "E", "Tools": "T",
    }))
}

async fn assert_renders(cases: &[(&str, &str)]) {
    let (kernel, _) = kernel_with_tools();
    for (template, expected) in cases {
        let text = render(&kernel, &handlebars(template), &data()).await;
        assert_eq!(text.unwrap_or_else(|error| error.to_string()), *expected, "{template}");
    }
}

#[tokio::test]
async fn values_become_json_and_text() {
    assert_renders(&[
        (
            "{{json list}} {{json text}} {{json one}} {{json no}} {{json none}}|{{json missing}}|",
            r#"["a",{"b":[1.0]}] t 1 false null||"#,
        ),
        ("{{concat text '-' one no none missing list}}|", "t-1falsea,[object Object]|"),
        ("{{json (array text one)}} {{json (array)}} {{array 1 2}}", r#"["t",1] [] 1,2"#),
    ])
    .await;
}

#[tokio::test]
async fn json_lines_have_no_line_breaks_and_quote_texts() {
    let (kernel, _) = kernel_with_tools();
    let data = arguments(json!({ "text": "a\n\"b\"\u{85}\u{2028}<", "one": 1, "list": ["\r"] }));
    let template = "{{json_line text}} {{json_line one}} {{json_line list}} {{json_line missing}}";
    let text = render(&kernel, &handlebars(template), &data).await.unwrap();
    assert_eq!(text, r#""a\n\"b\"\u0085\u2028<" 1 ["\r"] null"#);
}

#[tokio::test]
async fn ranges_hold_both_ends() {
    assert_renders(&[
        ("{{#each (range 1 3)}}{{this}},{{/each}}", "1,2,3,"),
        ("{{json (range -1 '1')}} {{json (range 2 2)}} {{json (range 3 1)}} {{json (range one two)}}", "[-1,0,1] [2] [] [1,2]"),
        ("{{json (range 9223372036854775806 9223372036854775807)}}", "[9223372036854775806,9223372036854775807]"),
        ("{{range -9223372036854775808 9223372036854775807}}", "template:1:1: `range` makes lists of at most 100000 numbers"),
    ])
    .await;
}

#[tokio::test]
async fn values_are_compared_with_their_types() {
    assert_renders(&[
        ("{{equals text 't'}} {{equals one 1.0}} {{equals two 2}} {{equals list list}} {{equals none missing}}", "true true false true true"),
        ("{{#if (equals text 't')}}same{{else}}other{{/if}}", "same"),
        ("{{or no none missing}} {{or no one}} {{or empty}}", "false true true"),
        ("{{#if (or no missing)}}a{{else}}b{{/if}}", "b"),
    ])
    .await;
}

#[tokio::test]
async fn sums_are_decimal() {
    assert_renders(&[
        ("{{add one two 3}} {{add price other}} {{add -1 '0.50'}}", "6 0.3 -0.5"),
        (
            "{{subtract one 3}} {{subtract 10 1 2}} {{subtract price other}} {{subtract 5}}",
            "-2 7 -0.1 5",
        ),
        ("{{add 9223372036854775807 0}}", "9223372036854775807"),
        ("{{add '1e5'}}", "template:1:1: `add` takes decimal numbers, and \"1e5\" is not one"),
        ("{{add '.5'}}", "template:1:1: `add` takes decimal numbers, and \".5\" is not one"),
    ])
    .await;
}

#[tokio::test]
async fn a_bare_name_is_a_variable_despite_a_helper() {
    assert_renders(&[
        ("{{message}}{{json}}{{each}} {{this.message}}", "MJE M"),
        ("{{some-name}} {{other-name}}|{{json some-name}}", "hyphen |hyphen"),
        ("{{Tools}}", "T"),
    ])
    .await;
}

#[tokio::test]
async fn a_text_cannot_name_a_helper() {
    let (kernel, calls) = kernel_with_tools();
    let arguments = arguments(json!({ "x": "Tools-Echo", "y": "print", "z": "json" }));
    let template = "{{(concat x)}} {{(lookup @root 'y')}} {{(concat z)}}";
    let text = render(&kernel, &handlebars(template), &arguments).await.unwrap();
    assert_eq!(text, "Tools-Echo print json");
    assert!(calls.all().is_empty());
}

#[tokio::test]
async fn helpers_of_the_engine_itself_cannot_be_named() {
    assert_renders(&[
        ("{{call 'Tools-Echo'}}", "template:1:1: there is no helper `call`, and there is no function `call`: the registered functions are Tools-Echo, Tools-Wrap"),
        ("{{#print text}}{{/print}}", "template:1:1: there is no helper `print`"),
        ("{{variables}}{{@root.variables}}{{../variables}}{{@root.answers}}{{variables.text}}", ""),
    ])
    .await;
}
