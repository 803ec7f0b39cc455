//! The limit on the work of one rendering.

use serde_json::json;
use textsearch_kernel::{Kernel, KernelArguments, Result};
use textsearch_prompt::{HandlebarsPromptTemplateFactory, SemanticKernelPromptTemplateFactory};

use crate::support::{arguments, handlebars, render, semantic_kernel};

async fn rendered(template: &str, variables: &KernelArguments) -> Result<String> {
    let mut kernel = Kernel::new();
    let mut factory = HandlebarsPromptTemplateFactory::new();
    factory.max_work = Some(1_000_000);
    kernel.add_template_factory(factory);
    render(&kernel, &handlebars(template), variables).await
}

#[tokio::test]
async fn an_ordinary_template_stays_within_the_limit() {
    let variables = arguments(json!({ "items": ["a", "b"] }));
    let text = rendered("{{#each items}}{{this}} {{/each}}", &variables).await.unwrap();
    assert_eq!(text, "a b ");
}

#[tokio::test]
async fn bombs_end_with_a_position() {
    let doubling = r#"{{set "x" (concat x x)}}"#.repeat(40);
    let values = r#"{{set "x" (array x x x x)}}"#.repeat(40);
    let indented = format!(
        "{{{{#*inline \"p\"}}}}{{{{text}}}}{{{{/inline}}}}\n{}{{{{> p}}}}\n",
        " ".repeat(5_000)
    );
    let nested = "{{#each (range 1 99999)}}{{#each (range 1 99999)}}x{{/each}}{{/each}}";
    let empty = "{{#each (range 1 9999)}}{{#each (range 1 9999)}}{{/each}}{{/each}}";
    let members =
        r#"{{#*inline "p"}}{{/inline}}{{#each (range 1 9999)}}{{> p ../about a=1}}{{/each}}"#;
    for template in [doubling.as_str(), &values, &indented, nested, empty, members] {
        let text = "line\n".repeat(1_000);
        let variables = arguments(
            json!({ "x": "0123456789", "text": text, "about": { "long": "x".repeat(1_000) } }),
        );
        let error = rendered(template, &variables).await.unwrap_err().to_string();
        assert!(error.contains("may handle 1000000 bytes and tags"), "{error}");
        assert!(error.starts_with("template:"), "{error}");
    }
}

#[tokio::test]
async fn without_a_limit_the_work_is_free() {
    let kernel = crate::support::kernel();
    let template = "{{#each (range 1 2000)}}{{#each (range 1 1000)}}x{{/each}}{{/each}}";
    let text = render(&kernel, &handlebars(template), &KernelArguments::new()).await.unwrap();
    assert_eq!(text.len(), 2_000_000);
}

#[tokio::test]
async fn repeated_variables_end_with_a_position() {
    let mut kernel = Kernel::new();
    let mut factory = SemanticKernelPromptTemplateFactory::new();
    factory.max_work = Some(1_000);
    kernel.add_template_factory(factory);
    let variables = arguments(json!({ "x": "0123456789" }));
    let render = |template: String| {
        let kernel = kernel.clone();
        let variables = variables.clone();
        async move { render(&kernel, &semantic_kernel(&template), &variables).await }
    };
    assert_eq!(render("{{$x}}".repeat(100)).await.unwrap().len(), 1_000);
    let error = render("{{$x}}".repeat(101)).await.unwrap_err().to_string();
    let expected =
        "template:1:603: the template inserts too much: one rendering may handle 1000 bytes";
    assert_eq!(error, expected);
}
