//! Deeply nested templates.

use textsearch_conformance::{nested, with_each_depth};
use textsearch_kernel::KernelArguments;

use crate::support::{handlebars, kernel, render, semantic_kernel};

/// What repeats before the middle, the middle, and what repeats after it.
const HANDLEBARS: &[(&str, &str, &str)] = &[
    ("{{concat ", "x", ""),
    ("{{#if x}}", "x", "{{/if}}"),
    ("{{#if x}}", "", ""),
    ("{{^}}", "", ""),
    ("{{#if x}}a{{else if y}}", "x", "{{/if}}"),
    ("{{#*inline \"p\"}}", "x", "{{/inline}}"),
    ("{{#> p}}", "x", "{{/p}}"),
    ("{{{{raw}}}}", "x", "{{{{/raw}}}}"),
    ("{{#if x}}{{\u{a0}/a}}", "x", "{{/if}}"),
    ("{{{", "x", "}}}"),
    ("\\{{", "x", "}}"),
    ("{{!", "x", "}}"),
    ("../", "x", ""),
];

const INSIDE: &[(&str, &str, &str)] = &[
    ("(concat ", "\"x\"", ")"),
    ("(concat a=", "\"x\"", ")"),
    ("(concat \")\" ", "\"x\"", ")"),
    ("(concat a.[)] ", "\"x\"", ")"),
    ("[", "1", "]"),
    ("{\"a\":", "1", "}"),
    ("[{\"a\":", "1", "}]"),
    ("(", "x", ")"),
    ("../", "x", ""),
    ("a.", "x", ""),
];

/// Text that could make a scan lose its place before the nested part.
const DECOYS: &[&str] = &[
    "",
    "{{a.[\"]}}",
    "{{concat [\"] }}{{! \" }}",
    "{{concat [[1], [\"]\"]] }}",
    "{{> 'a\\\\' ' }}",
    "{{!-- }} {{/if}} --}}",
    "{{!\u{a0}--}}",
    "{{!\u{c}--}}",
    "{{! -- }} ' --}}",
    "\\{{ \" ",
    "\\\\{{x}}",
    "{{{{raw}}}} {{/if}} ' \\{{{{ {{{{/raw}}}}",
    "{{concat {\"a\":{\"b\":1}}}}",
    "{{concat 1.[\"] ' }}",
    "{{[[\"] }} ' ",
];

#[test]
fn handlebars_templates_nest_to_any_depth() {
    // A debug build needs more than 256 KiB for 100 levels of blocks.
    with_each_depth(2 << 20, |depth| {
        let kernel = kernel();
        let inside = INSIDE.iter().map(|parts| format!("{{{{concat {}}}}}", nested(*parts, depth)));
        let outside = HANDLEBARS.iter().map(|parts| nested(*parts, depth));
        for template in inside.chain(outside) {
            // Each decoy before the deepest templates takes half a minute in all.
            let decoys = if depth > 1_200 { 1 } else { DECOYS.len() };
            for decoy in DECOYS.iter().take(decoys) {
                drop(kernel.compile_prompt(&handlebars(&format!("{decoy}{template}"))));
            }
        }
    });
}

#[test]
fn semantic_kernel_templates_nest_to_any_depth() {
    with_each_depth(256 << 10, |depth| {
        for parts in HANDLEBARS.iter().chain(INSIDE) {
            drop(kernel().compile_prompt(&semantic_kernel(&nested(*parts, depth))));
        }
    });
}

#[tokio::test]
async fn expressions_nest_a_hundred_deep_and_no_deeper() {
    let template = |depth| format!("{{{{concat {}}}}}", nested(INSIDE[0], depth));
    let deepest = render(&kernel(), &handlebars(&template(100)), &KernelArguments::new()).await;
    assert_eq!(deepest.unwrap(), "x");
    let error = kernel().compile_prompt(&handlebars(&template(1_200))).unwrap_err().to_string();
    assert!(error.ends_with("blocks and expressions are nested more than 100 deep"), "{error}");
}

#[tokio::test]
async fn lists_and_names_in_brackets_keep_their_values() {
    let template = r#"{{json [[1, 2], ["]"]]}} {{json ["a", "b"]}} {{[a b]}} {{{concat "(("}}}"#;
    let rendered = render(&kernel(), &handlebars(template), &KernelArguments::new()).await;
    assert_eq!(rendered.unwrap(), r#"[[1,2],["]"]] ["a","b"]  (("#);
}
