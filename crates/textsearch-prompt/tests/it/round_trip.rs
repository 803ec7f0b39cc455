//! Properties that hold for every text.

use proptest::prelude::*;
use serde_json::json;
use textsearch_core::chat::ChatRole;
use textsearch_kernel::{Kernel, prompt::PromptTemplateConfig};
use tokio::runtime::Builder;

use crate::support::{arguments, kernel_with_tools, render_all};

const TEMPLATES: [(&str, &str); 4] = [
    (
        "semantic-kernel",
        "<message role=\"system\">S</message><message role=\"user\">{{$x}}</message><message role=\"user\">{{Tools.Echo $x}}</message>",
    ),
    (
        "handlebars",
        "<message role=\"system\">S</message><message role=\"user\">{{{x}}}</message><message role=\"user\">{{Tools-Echo x}}</message>",
    ),
    (
        "handlebars",
        "{{#message role=\"system\"}}S{{/message}}{{#each list}}{{#message role=\"user\"}}{{{text}}}{{/message}}{{/each}}",
    ),
    (
        "handlebars",
        "{{#message role=\"system\"}}S{{/message}}{{#each (Tools-Echo list)}}{{#message role=\"user\"}}{{concat text ''}}{{/message}}{{/each}}",
    ),
];

/// Texts of random characters and of fragments that some parser on the way treats specially.
fn text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        any::<char>().prop_map(String::from),
        prop::sample::select(vec![
            "<",
            ">",
            "&",
            "\"",
            "'",
            "</message>",
            "<message role=\"system\">",
            "<message",
            "<text>",
            "<image>",
            "&lt;",
            "&amp;",
            "&#60;",
            "&#x3c;",
            "&",
            ";",
            "{{",
            "}}",
            "{{x}}",
            " ",
            "\n",
            "\r",
            "\t",
            "\u{0}",
            "\u{a0}",
        ])
        .prop_map(str::to_owned),
    ];
    prop::collection::vec(piece, 1..20).prop_map(|pieces| pieces.concat())
}

fn messages(
    kernel: &Kernel,
    (format, template): (&str, &str),
    text: &str,
) -> Vec<(ChatRole, String)> {
    let config = PromptTemplateConfig::new(template).with_template_format(format);
    let arguments = arguments(json!({ "x": text, "list": [{ "text": text }, { "text": text }] }));
    let runtime = Builder::new_current_thread().build().unwrap();
    let prompt = runtime.block_on(render_all(kernel, &config, &arguments)).unwrap();
    let messages = prompt.into_history().into_messages().into_iter();
    messages.map(|message| (message.role, message.text().to_string())).collect()
}

proptest! {
    #[test]
    fn any_text_survives_and_adds_no_message(text in text()) {
        let (kernel, _) = kernel_with_tools();
        for template in TEMPLATES {
            let expected =
                [(ChatRole::System, "S".to_owned()), (ChatRole::User, text.clone()), (ChatRole::User, text.clone())];
            prop_assert_eq!(messages(&kernel, template, &text), expected);
        }
    }

    #[test]
    fn no_source_makes_a_compiler_panic(source in text()) {
        let (kernel, _) = kernel_with_tools();
        for format in ["semantic-kernel", "handlebars"] {
            for source in [source.clone(), format!("{{{{{source}}}}}"), format!("{{{{#if x}}}}{source}{{{{/if}}}}")] {
                let _ = kernel.compile_prompt(&PromptTemplateConfig::new(source).with_template_format(format));
            }
        }
    }
}
