//! Shared test helpers.

use std::sync::{Arc, Mutex};

use serde_json::Value;
use textsearch_kernel::{
    Kernel, KernelArguments, KernelFunction, KernelPlugin, Result,
    function::{FunctionMetadata, ParameterMetadata},
    prompt::{PromptTemplateConfig, RenderedPrompt},
};

pub(crate) fn kernel() -> Kernel {
    let mut kernel = Kernel::new();
    textsearch_prompt::add_template_factories(&mut kernel);
    kernel
}

pub(crate) fn handlebars(template: &str) -> PromptTemplateConfig {
    PromptTemplateConfig::new(template).with_template_format("handlebars")
}

pub(crate) fn semantic_kernel(template: &str) -> PromptTemplateConfig {
    PromptTemplateConfig::new(template)
}

pub(crate) async fn render_all(
    kernel: &Kernel,
    config: &PromptTemplateConfig,
    arguments: &KernelArguments,
) -> Result<RenderedPrompt> {
    let prompt = kernel.compile_prompt(config)?;
    prompt.render(kernel, arguments).await
}

pub(crate) async fn render(
    kernel: &Kernel,
    config: &PromptTemplateConfig,
    arguments: &KernelArguments,
) -> Result<String> {
    Ok(render_all(kernel, config, arguments).await?.text)
}

pub(crate) fn arguments(members: Value) -> KernelArguments {
    match members {
        Value::Object(members) => members.into(),
        other => panic!("{other} is not an object"),
    }
}

/// The arguments of each call, in order.
#[derive(Clone, Default)]
pub(crate) struct Calls(Arc<Mutex<Vec<(String, Value)>>>);

impl Calls {
    pub(crate) fn all(&self) -> Vec<(String, Value)> {
        self.0.lock().unwrap().clone()
    }

    pub(crate) fn inputs(&self) -> Vec<Value> {
        self.all().into_iter().map(|(_, arguments)| arguments["input"].clone()).collect()
    }

    pub(crate) fn push(&self, function: &str, arguments: &KernelArguments) {
        let arguments = arguments.iter().map(|(name, value)| (name.to_owned(), value.clone()));
        self.0.lock().unwrap().push((function.to_owned(), Value::Object(arguments.collect())));
    }
}

fn metadata(name: &str) -> FunctionMetadata {
    FunctionMetadata::new(name, "")
        .with_parameter(ParameterMetadata::optional("input", "", Value::Null))
        .with_parameter(ParameterMetadata::optional("second", "", Value::Null))
}

/// Has the parameters `input` and `second`; returns `answer` applied to the first.
pub(crate) fn function<A>(name: &'static str, calls: &Calls, answer: A) -> KernelFunction
where
    A: Fn(Value) -> Value + Send + Sync + 'static,
{
    let calls = calls.clone();
    KernelFunction::new(metadata(name), move |invocation| {
        calls.push(name, &invocation.arguments);
        let answer = answer(invocation.arguments.get("input").cloned().unwrap_or_default());
        async move {
            // Every call yields once, so that no test passes only because the result is ready at
            // once.
            tokio::task::yield_now().await;
            Ok(answer)
        }
    })
    .unwrap()
}

/// `Echo` returns its input, `Wrap` its input in brackets.
pub(crate) fn kernel_with_tools() -> (Kernel, Calls) {
    let calls = Calls::default();
    let wrap = |input: Value| Value::from(format!("[{}]", input.as_str().unwrap_or_default()));
    let functions = [function("Echo", &calls, |input| input), function("Wrap", &calls, wrap)];
    let mut kernel = kernel();
    kernel.add_plugin(KernelPlugin::new("Tools", "", functions).unwrap()).unwrap();
    (kernel, calls)
}
