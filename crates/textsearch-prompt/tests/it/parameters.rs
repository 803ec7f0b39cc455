//! Template variables as parameters and in warnings.

use std::sync::{Arc, Mutex};

use serde_json::json;
use textsearch_core::{
    FixedSearch, TextSearchResult, async_trait,
    chat::{ChatCompletion, ChatHistory, ChatMessage, ChatOptions, ChatResponse},
};
use textsearch_kernel::{
    Kernel, KernelArguments, KernelError, KernelFunction, KernelPlugin, TextSearchPlugins,
    function::ParameterMetadata, prompt::PromptTemplateConfig,
};

use crate::support::{arguments, handlebars, kernel, kernel_with_tools, render, semantic_kernel};

/// Echoes its prompt.
struct Repeating(Mutex<usize>);

#[async_trait]
impl ChatCompletion for Repeating {
    fn name(&self) -> &str {
        "repeating"
    }

    fn model_id(&self) -> &str {
        "repeating-1"
    }

    async fn complete(
        &self,
        history: &ChatHistory,
        _: &ChatOptions,
    ) -> textsearch_core::Result<ChatResponse> {
        *self.0.lock().unwrap() += 1;
        let asked = history.messages().last().map(ChatMessage::text).unwrap_or_default();
        Ok(ChatResponse::new(ChatMessage::assistant(asked)))
    }
}

fn function(config: PromptTemplateConfig) -> Result<KernelFunction, KernelError> {
    KernelFunction::from_prompt(kernel().compile_prompt(&config.with_name("Say"))?)
}

/// As `name`, or `name?` if optional.
fn parameters(config: PromptTemplateConfig) -> Vec<String> {
    let function = function(config).unwrap();
    let parameters = function.metadata().parameters.iter();
    parameters
        .map(|parameter| {
            if parameter.is_required {
                parameter.name.clone()
            } else {
                format!("{}?", parameter.name)
            }
        })
        .collect()
}

fn kernel_with_prompt(config: PromptTemplateConfig) -> (Kernel, Arc<Repeating>) {
    let model = Arc::new(Repeating(Mutex::new(0)));
    let mut kernel = kernel();
    kernel.add_chat_service("default", model.clone()).unwrap();
    let plugin = KernelPlugin::new("Prompts", "", [function(config).unwrap()]).unwrap();
    kernel.add_plugin(plugin).unwrap();
    (kernel, model)
}

#[tokio::test]
async fn a_prompt_function_gets_the_variables_of_its_template() {
    for config in [semantic_kernel("say {{$x}}"), handlebars("say {{x}}")] {
        let (kernel, model) = kernel_with_prompt(config);
        let arguments = KernelArguments::new().with("x", "hi");
        let result = kernel.invoke("Prompts", "Say", arguments).await.unwrap();
        assert_eq!(result.text(), "say hi");
        let error = kernel.invoke("Prompts", "Say", KernelArguments::new()).await.unwrap_err();
        let expected = "the argument `x` of `Prompts-Say` is missing; required arguments: x";
        assert_eq!(error.to_string(), expected);
        assert_eq!(*model.0.lock().unwrap(), 1);
    }
}

#[tokio::test]
async fn a_template_calls_a_prompt_function_with_positional_arguments() {
    let (kernel, _) = kernel_with_prompt(semantic_kernel("say {{$x}} and {{$y}}"));
    let data = arguments(json!({ "a": "one", "y": "two" }));
    let text = render(&kernel, &semantic_kernel("{{Prompts.Say $a}}"), &data).await.unwrap();
    assert_eq!(text, "say one and two");
    let text = render(&kernel, &handlebars("{{Prompts-Say a 'b'}}"), &data).await.unwrap();
    assert_eq!(text, "say one and b");
}

#[test]
fn variables_become_parameters_in_the_order_they_are_read() {
    assert_eq!(
        parameters(semantic_kernel("{{$b}} {{P.F $a count=$n}} {{$B}} {{'$c'}}")),
        ["b", "a", "n"]
    );
    assert_eq!(
        parameters(handlebars(
            "{{b}} {{P-F a count=n}} {{{B}}} {{concat (P-F c) 'd'}} {{@root.e}}"
        )),
        ["b", "a", "n", "c", "e"]
    );
}

/// With the plugin `Pages`, whose function `Search` requires `query`.
fn parameters_with_search(config: PromptTemplateConfig) -> Vec<String> {
    let mut kernel = kernel();
    let pages = FixedSearch::<TextSearchResult>::new([]).create_with_search("Pages").unwrap();
    kernel.add_plugin(pages).unwrap();
    let prompt = kernel.compile_prompt(&config.with_name("Say")).unwrap();
    let function = KernelFunction::from_prompt(prompt).unwrap();
    let name = |parameter: &ParameterMetadata| {
        format!("{}{}", parameter.name, if parameter.is_required { "" } else { "?" })
    };
    function.metadata().parameters.iter().map(name).collect()
}

#[test]
fn required_parameters_missing_from_a_call_are_added() {
    assert_eq!(parameters_with_search(semantic_kernel("{{Pages.Search}}{{$a}}")), ["a", "query"]);
    assert_eq!(parameters_with_search(handlebars("{{Pages-Search}}")), ["query"]);
    assert_eq!(parameters_with_search(handlebars("{{Pages-Search count=3}}")), ["query"]);
    let in_condition = "{{#if a}}{{#each (Pages-Search)}}{{/each}}{{/if}}";
    assert_eq!(parameters_with_search(handlebars(in_condition)), ["a?", "query?"]);
    let needed = "{{#if query}}{{query}}{{/if}}{{Pages-Search}}";
    assert_eq!(parameters_with_search(handlebars(needed)), ["query"]);
}

#[test]
fn parameters_passed_by_a_call_are_not_added() {
    let cases =
        ["{{Pages-Search q}}", "{{Pages-Search query=q}}", "{{Pages-Search Search-query=q}}"];
    for template in cases.into_iter().chain(["{{set 'query' q}}{{Pages-Search}}"]) {
        assert_eq!(parameters_with_search(handlebars(template)), ["q"], "{template}");
    }
    assert_eq!(parameters_with_search(semantic_kernel("{{Pages.Search $q}}")), ["q"]);
}

#[test]
fn members_and_names_of_blocks_are_no_parameters() {
    let template = "{{#each items}}{{name}} {{this}} {{@index}} {{../outer}}{{/each}}\
                    {{#each list as |item at|}}{{item.name}} {{at}}{{/each}}\
                    {{#with one}}{{.}}{{two}}{{@root.three}}{{/with}}\
                    {{#message role=\"user\"}}{{inside}}{{/message}}\
                    {{set \"own\" 1}}{{own}}{{P-F}}";
    let expected = ["items", "outer", "list", "one", "three", "inside", "P-F?"];
    assert_eq!(parameters(handlebars(template)), expected);
}

#[test]
fn variables_in_conditions_are_optional() {
    let template = "{{#if style}}In {{style}}{{else}}{{other}}{{/if}}{{#unless a}}{{/unless}}\
                    {{or b 'c'}}{{#each found}}{{else}}none{{/each}}{{#sect}}{{in}}{{/sect}}{{other}}";
    let expected = ["style?", "other", "a?", "b?", "found?", "sect?", "in?"];
    assert_eq!(parameters(handlebars(template)), expected);
}

#[test]
fn texts_are_strings_and_structured_values_any_type() {
    let function = function(handlebars("{{a}} {{b.c}} {{#each d}}{{/each}}")).unwrap();
    let schemas: Vec<_> =
        function.metadata().parameters.iter().map(|parameter| &parameter.schema).collect();
    assert_eq!(schemas, [&json!({ "type": "string" }), &json!({}), &json!({})]);
}

#[test]
fn variables_that_cannot_be_found_are_an_error_unless_declared() {
    for (template, place) in
        [("a\n{{lookup this name}}", "2:1"), ("{{#each @root.[a]}}{{/each}}{{json this}}", "1:29")]
    {
        let error = function(handlebars(template)).unwrap_err().to_string();
        let expected = format!("Say:{place}: the function's parameters cannot be determined");
        assert!(error.starts_with(&expected), "{error}");
        let declared = handlebars(template)
            .with_input_variable(textsearch_kernel::prompt::InputVariable::new("name"));
        function(declared).unwrap();
    }
}

#[tokio::test]
async fn a_strict_prompt_refuses_variables_without_a_value() {
    let (kernel, _) = kernel_with_tools();
    let none = KernelArguments::new();
    for mut config in [semantic_kernel("a\n {{$qery}}"), handlebars("a\n {{qery}}")] {
        config.strict_variables = true;
        let error = render(&kernel, &config, &none).await.unwrap_err().to_string();
        assert!(error.contains(":2:"), "{error}");
        assert!(error.contains("the variable `qery` has no value"), "{error}");
        let declared =
            config.with_input_variable(textsearch_kernel::prompt::InputVariable::new("qery"));
        assert_eq!(render(&kernel, &declared, &none).await.unwrap(), "a\n ");
    }
    let mut optional = handlebars("{{#if x}}{{x}}{{/if}}{{Tools-Echo}}");
    optional.strict_variables = true;
    assert_eq!(render(&kernel, &optional, &none).await.unwrap(), "");
}

#[test]
fn required_parameters_of_calls_without_a_plugin_are_added() {
    assert_eq!(parameters_with_search(handlebars("{{search count=1}}")), ["query"]);
    assert_eq!(parameters_with_search(handlebars("{{search 'x'}}")), Vec::<String>::new());
}
