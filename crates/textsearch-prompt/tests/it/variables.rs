//! Variables set by templates and by configurations.

use serde_json::json;
use textsearch_kernel::{
    KernelArguments,
    prompt::{InputVariable, PromptTemplateConfig},
};

use crate::support::{arguments, handlebars, kernel_with_tools, render};

async fn assert_renders(cases: &[(&str, &str)]) {
    let (kernel, _) = kernel_with_tools();
    let arguments = arguments(json!({
        "x": "outer", "list": ["a", "b"], "items": [{ "x": 1 }, { "x": 2 }], "person": { "name": "Ada", "tags": ["t"] },
    }));
    for (template, expected) in cases {
        let text = render(&kernel, &handlebars(template), &arguments).await.unwrap();
        assert_eq!(text, *expected, "{template}");
    }
}

#[tokio::test]
async fn a_variable_that_is_set_reads_like_any_other() {
    assert_renders(&[
        ("{{set 'n' 1}}{{n}}{{set 'n' 2}}{{n}} {{@root.n}} {{this.n}} {{./n}}", "12 2 2 2"),
        ("{{set name='n' value='v'}}{{n}}", "v"),
        ("{{n}}{{set 'n' 1}}{{n}}", "1"),
        ("{{x}}{{set 'x' 'new'}}{{x}}", "outernew"),
        ("{{set 'p' person}}{{p.name}} {{p.tags.length}} {{p.tags.[0]}} {{#each p.tags}}{{this}}{{/each}} {{p.missing}}", "Ada 1 t t "),
        ("{{set 'p' (array 1 2)}}{{p.length}} {{p.[1]}} {{#each p}}{{this}};{{/each}}", "2 2 1;2;"),
        ("{{set (concat 'a' 'b') 1}}{{ab}}", "1"),
    ])
    .await;
}

#[tokio::test]
async fn a_variable_may_be_set_and_read_in_blocks() {
    assert_renders(&[
        ("{{set 'sum' 0}}{{#each items}}{{set 'sum' (add @root.sum x)}}{{/each}}{{sum}}", "3"),
        ("{{set 'n' 0}}{{#each list}}{{set 'n' (add ../n 1)}}{{../n}}{{this}}{{/each}}", "1a2b"),
        ("{{#if x}}{{set 'n' 1}}{{n}}{{/if}}{{n}}", "11"),
    ])
    .await;
}

#[tokio::test]
async fn a_set_variable_does_not_hide_a_blocks_context() {
    assert_renders(&[
        ("{{set 'x' 'set'}}{{#each items}}{{x}}{{../x}}{{/each}}{{x}}", "1set2setset"),
        ("{{set 'x' 'set'}}{{#each list as |x|}}{{x}}{{/each}}", "ab"),
        ("{{set 'name' 'set'}}{{#with person}}{{name}} {{@root.name}}{{/with}}", "Ada set"),
    ])
    .await;
}

#[tokio::test]
async fn variables_are_set_anew_when_a_part_is_rendered_again() {
    let (kernel, calls) = kernel_with_tools();
    let template = "{{set 'n' 0}}{{#each list}}{{set 'n' (add @root.n 1)}}{{Tools-Echo @root.n}}{{/each}}={{n}}{{set 'm' (Tools-Wrap 'r')}}{{m}}{{m}}";
    let arguments = arguments(json!({ "list": [1, 2, 3] }));
    let text = render(&kernel, &handlebars(template), &arguments).await.unwrap();
    assert_eq!(text, "123=3[r][r]");
    assert_eq!(calls.inputs(), [json!(1), json!(2), json!(3), json!("r")]);
}

#[tokio::test]
async fn functions_see_variables_that_are_set() {
    let (kernel, calls) = kernel_with_tools();
    let template =
        "{{set 'input' 'set'}}{{Tools-Echo}}{{set 'input' (Tools-Wrap 'x')}}{{Tools-Echo}}";
    let arguments = arguments(json!({ "input": "given" }));
    let text = render(&kernel, &handlebars(template), &arguments).await.unwrap();
    assert_eq!(text, "set[x]");
    assert_eq!(calls.inputs(), [json!("set"), json!("x"), json!("[x]")]);
}

#[tokio::test]
async fn configured_defaults_replace_missing_variables() {
    let (kernel, _) = kernel_with_tools();
    let mut variable = InputVariable::new("who");
    variable.default = Some(json!("world"));
    for (format, template) in
        [("handlebars", "Hello {{who}}"), ("semantic-kernel", "Hello {{$who}}")]
    {
        let config = PromptTemplateConfig::new(template)
            .with_template_format(format)
            .with_input_variable(variable.clone());
        assert_eq!(render(&kernel, &config, &KernelArguments::new()).await.unwrap(), "Hello world");
        let arguments = KernelArguments::new().with("who", "Ada");
        assert_eq!(render(&kernel, &config, &arguments).await.unwrap(), "Hello Ada");
    }
}
