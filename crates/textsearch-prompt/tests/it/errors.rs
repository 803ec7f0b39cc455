//! Errors name the template, the line and the column.

use serde_json::json;
use textsearch_kernel::{KernelArguments, KernelError, prompt::PromptTemplateConfig};

use crate::support::{arguments, kernel_with_tools, render};

/// Name, line, column and message.
async fn error(format: &str, template: &str) -> String {
    let (kernel, _) = kernel_with_tools();
    let config =
        PromptTemplateConfig::new(template).with_template_format(format).with_name("greeting");
    let arguments = arguments(json!({ "x": 1, "list": ["a"], "text": "t" }));
    match render(&kernel, &config, &arguments).await {
        Err(error @ KernelError::Template { .. }) => error.to_string(),
        other => panic!("{template}: {other:?}"),
    }
}

async fn assert_errors(format: &str, cases: &[(&str, &str)]) {
    for (template, expected) in cases {
        assert_eq!(error(format, template).await, *expected, "{template}");
    }
}

const REGISTERED: &str = "the registered functions are Tools-Echo, Tools-Wrap";

#[tokio::test]
async fn semantic_kernel_errors_have_reason_and_position() {
    let cases = [
        (
            "Hi\n {{$x",
            "greeting:2:2: `{{` is never closed: close it with `}}`, or write `{{\"{{\"}}` for braces",
        ),
        ("é {{$}}", "greeting:1:6: found `}}`, expected the variable's name"),
        ("{{$x y}}", "greeting:1:6: found `y`, expected `}}`: only a function takes arguments"),
        ("{{'a' 'b'}}", "greeting:1:7: found `'`, expected `}}`: only a function takes arguments"),
        ("{{'a}}", "greeting:1:3: the value is never closed: its quote ' is missing"),
        ("{{T.}}", "greeting:1:5: found `}}`, expected the function's name"),
        (
            "{{!}}",
            "greeting:1:3: found `!`, expected a variable `$name`, a value in quotes, or a function `Plugin.Function`",
        ),
        (
            "{{F a}}",
            "greeting:1:6: found `}}`, expected `=` and a value after the argument's name `a`; a text needs quotes",
        ),
        ("{{F a=b}}", "greeting:1:7: found `b`, expected `$name` or a value in quotes"),
        (
            "{{F a='1'\n  'b'}}",
            "greeting:2:3: a call takes at most one argument without a name, and it comes first: name the others, as in `count=$count`",
        ),
        (
            "{{F $a $b}}",
            "greeting:1:8: a call takes at most one argument without a name, and it comes first: name the others, as in `count=$count`",
        ),
    ];
    assert_errors("semantic-kernel", &cases).await;
}

#[tokio::test]
async fn errors_of_unknown_names_list_the_known_ones() {
    let semantic_kernel = [
        ("ab\n {{Tools.Search $x}}", format!("greeting:2:4: there is no function `Tools.Search`: {REGISTERED}")),
        ("{{Nothing}}", format!("greeting:1:3: there is no function `Nothing`: {REGISTERED}")),
        ("{{Tools.Echo 'a' other=$x}}", "greeting:1:18: `Tools-Echo` has no parameter `other`: it takes 2 arguments, `input`, `second`".to_owned()),
        ("{{Tools.Echo 'a' input=$x}}", "greeting:1:18: `Tools-Echo` is given `input` twice".to_owned()),
    ];
    let handlebars = [
        ("ab\n {{Tools-Search x}}", format!("greeting:2:2: there is no function `Tools-Search`: {REGISTERED}")),
        ("{{Tools-Search}}", format!("greeting:1:1: there is no function `Tools-Search`: {REGISTERED}")),
        ("{{#if x}}\n {{#each (Tools-Search)}}{{/each}}{{/if}}", format!("greeting:2:2: there is no function `Tools-Search`: {REGISTERED}")),
        ("{{Tools-Echo 1 2 3}}", "greeting:1:1: `Tools-Echo` takes 2 arguments, `input`, `second`, but more are given".to_owned()),
        ("{{Tools-Echo other=x}}", "greeting:1:1: `Tools-Echo` has no parameter `other`: it takes 2 arguments, `input`, `second`".to_owned()),
        ("{{Tools-Echo 1 input=x}}", "greeting:1:1: `Tools-Echo` is given `input` twice".to_owned()),
        ("{{other x}}", format!("greeting:1:1: there is no helper `other`, and there is no function `other`: {REGISTERED}")),
    ];
    for (format, cases) in
        [("semantic-kernel", &semantic_kernel[..]), ("handlebars", &handlebars[..])]
    {
        for (template, expected) in cases {
            assert_eq!(error(format, template).await, *expected, "{template}");
        }
    }
}

#[tokio::test]
async fn handlebars_errors_have_reason_and_position() {
    let cases = [
        (
            "é\n{{#if x}}{{/each}}",
            "greeting:2:10: `{{#if}}` is open, but `{{/each}}` closes another block",
        ),
        (
            "{{#Tools-Echo x}}a{{/Tools-Echo}}",
            "greeting:1:1: the function `Tools-Echo` is not a block: write {{#with (Tools-Echo …)}} or {{#each (Tools-Echo …)}}",
        ),
        (
            "{{#Tools-Echo}}a{{/Tools-Echo}}",
            "greeting:1:1: the function `Tools-Echo` is not a block: write {{#with (Tools-Echo …)}} or {{#each (Tools-Echo …)}}",
        ),
        (
            "a\n  {{#json x}}a{{/json}}",
            "greeting:2:3: `json` is not a block helper: write {{json …}}",
        ),
        ("{{#other x}}a{{/other}}", "greeting:1:1: there is no helper `other`"),
        (
            "{{#message}}a{{/message}}",
            "greeting:1:1: `message` is a block with a role: write {{#message role=\"user\"}}…{{/message}}",
        ),
        (
            "{{message role='user'}}",
            "greeting:1:1: `message` is a block with a role: write {{#message role=\"user\"}}…{{/message}}",
        ),
        (
            "{{set 'a'}}",
            "greeting:1:1: `set` takes a name and a value: write {{set \"name\" value}} or {{set name=\"name\" value=value}}",
        ),
        ("{{add 1 'two'}}", "greeting:1:1: `add` takes decimal numbers, and \"two\" is not one"),
        ("{{range 1}}", "greeting:1:1: `range` takes two arguments, the first and the last number"),
        ("{{range 1 1000000}}", "greeting:1:1: `range` makes lists of at most 100000 numbers"),
        ("{{#if x 1}}{{/if}}", "greeting:1:1: `if` takes one argument, and 2 are given"),
        (
            "{{#*inline \"a\"}} {{#if x}}{{> a}}{{/if}}{{/inline}}{{> a}}",
            "greeting:1:18: partials include each other more than 100 deep",
        ),
        (
            "{{#*inline \"a\"}}{{#if x}}{{#if x}}{{#unless y}}{{> a}}{{/unless}}{{/if}}{{/if}}{{/inline}}{{> a}}",
            "greeting:1:17: partials include each other more than 50 deep",
        ),
        ("{{> nothing}}", "greeting:1:1: there is no partial `nothing`"),
    ];
    assert_errors("handlebars", &cases).await;
}

#[tokio::test]
async fn blocks_nest_a_hundred_deep_and_no_deeper() {
    let nested = |depth: usize| {
        format!("{}{{{{text}}}}{}", "{{#if x}}".repeat(depth), "{{/if}}".repeat(depth))
    };
    let (kernel, _) = kernel_with_tools();
    let config = PromptTemplateConfig::new(nested(100)).with_template_format("handlebars");
    let data = arguments(json!({ "x": 1, "text": "t" }));
    assert_eq!(render(&kernel, &config, &data).await.unwrap(), "t");
    let error = error("handlebars", &nested(101)).await;
    assert_eq!(error, "greeting:1:901: blocks and expressions are nested more than 100 deep");
}

#[tokio::test]
async fn a_syntax_error_of_handlebars_has_its_line_and_column() {
    for (template, start) in [
        ("a\nbé {{", "greeting:2:6: "),
        ("{{.}}\n{{. {{.}}", "greeting:2:"),
        ("{{#if x}}", "greeting:1:"),
    ] {
        let error = error("handlebars", template).await;
        assert!(error.starts_with(start), "{error}");
        assert!(!error.contains('\u{e000}'), "{error}");
    }
}

#[tokio::test]
async fn a_refused_argument_is_the_functions_own_error() {
    let (kernel, _) = kernel_with_tools();
    let mut other = kernel.clone();
    let search = textsearch_core::FixedSearch::new([textsearch_core::TextSearchResult::new("a")]);
    let plugin = textsearch_kernel::TextSearchPlugins::create_with_search(&search, "SearchPlugin");
    other.add_plugin(plugin.unwrap()).unwrap();
    for (format, template) in [
        ("handlebars", "{{SearchPlugin-Search 'q' count='many'}}"),
        ("semantic-kernel", "{{SearchPlugin.Search 'q' count='many'}}"),
    ] {
        let config = PromptTemplateConfig::new(template).with_template_format(format);
        let error = render(&other, &config, &KernelArguments::new()).await.unwrap_err();
        assert!(error.to_string().starts_with("template:1:"), "{error}");
        let source = std::error::Error::source(&error).and_then(|error| error.downcast_ref());
        assert!(
            matches!(source, Some(KernelError::InvalidArgument { parameter, .. }) if parameter == "count"),
            "{error}"
        );
    }
}

#[tokio::test]
async fn a_template_without_a_name_is_called_template() {
    let (kernel, _) = kernel_with_tools();
    for format in ["handlebars", "semantic-kernel"] {
        let config = PromptTemplateConfig::new("{{").with_template_format(format);
        let error = kernel.compile_prompt(&config).unwrap_err().to_string();
        assert!(error.starts_with("template:1:"), "{error}");
    }
}

#[tokio::test]
async fn a_missing_argument_names_the_place_of_the_call() {
    let mut kernel = kernel_with_tools().0;
    let search = textsearch_core::FixedSearch::new([textsearch_core::TextSearchResult::new("a")]);
    let plugin = textsearch_kernel::TextSearchPlugins::create_with_search(&search, "SearchPlugin");
    kernel.add_plugin(plugin.unwrap()).unwrap();
    for (format, template, place) in [
        ("handlebars", "a\n{{#if x}}\n  {{#each (SearchPlugin-Search)}}{{/each}}{{/if}}", "3:3"),
        ("semantic-kernel", "a\n {{SearchPlugin.Search $query}}", "2:4"),
    ] {
        let config = PromptTemplateConfig::new(template).with_template_format(format);
        let error = render(&kernel, &config, &arguments(json!({ "x": 1 }))).await.unwrap_err();
        let expected =
            format!("template:{place}: the argument `query` of `SearchPlugin-Search` is missing");
        assert!(error.to_string().starts_with(&expected), "{error}");
    }
}

#[tokio::test]
async fn a_call_with_a_dot_shows_the_right_syntax() {
    let cases = [
        (
            "{{Web.Search query}}",
            "greeting:1:1: `Web.Search` takes no arguments, since it is a variable here: a function is called by \
             `Plugin-Function`, so write Web-Search",
        ),
        (
            "\n{{#each (Web.Search query)}}{{/each}}",
            "greeting:2:1: `Web.Search` takes no arguments, since it is a variable here: a function is called by \
             `Plugin-Function`, so write Web-Search",
        ),
    ];
    assert_errors("handlebars", &cases).await;
}

#[tokio::test]
async fn an_open_block_of_handlebars_is_named() {
    let error = error("handlebars", "a {{#if x}} b").await;
    assert_eq!(error, "greeting:1:14: a block is never closed; write `{{/…}}` where it ends");
}

#[tokio::test]
async fn other_syntax_errors_of_handlebars_are_short() {
    for template in [
        "{{}}",
        "{{#}}{{/}}",
        "{{a b=}}",
        "{{a | b}}",
        "{{#if x}}{{a,}}{{/if}}",
        "{{^a}}b{{/a}}",
        "{{#a.b}}{{/a.b}}",
        "a{{else}}b",
        "a{{/each}}",
        "{{! a }}\\{{b}} {{x {{text}}",
        "{{! a",
    ] {
        let error = error("handlebars", template).await;
        assert!(error.chars().count() < 200 && !error.contains('_'), "{error}");
    }
}
