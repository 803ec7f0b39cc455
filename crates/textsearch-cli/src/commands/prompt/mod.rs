//! `textsearch prompt`: prints a prompt grounded in search results.

pub(crate) mod template;

use anyhow::Result;
use serde_json::{Value, json};
use textsearch_core::chat::{ChatMessage, MessagePart};
use textsearch_kernel::{
    Kernel, KernelArguments,
    prompt::{Prompt, PromptTemplateConfig, RenderedPrompt},
};

use crate::{
    arguments::{OutputFormat, PromptArguments},
    commands::ask::{Call, TemplateCalls},
    corpus::{plugin::SearchFunctions, selector, template::QUERY},
    errors::usage,
    messages,
    output::Output,
};

pub(crate) async fn run(arguments: &PromptArguments, output: &mut Output) -> Result<()> {
    if arguments.variables.iter().any(|(name, _)| name.eq_ignore_ascii_case(QUERY)) {
        return Err(usage(
            "the variable `query` is the question itself: try another name for --arg",
        ));
    }
    let mut config = template::load(arguments)?;
    config.strict_variables |= arguments.strict;
    let mut kernel = kernel(arguments, &config).await?;
    let searches = TemplateCalls::default();
    kernel.add_function_filter(searches.clone());
    let prompt = kernel.compile_prompt(&config).map_err(|error| match &arguments.template {
        Some(path) => template::unusable(path, error),
        None => error.into(),
    })?;
    warn_of_unused(arguments, &prompt, &kernel);
    let rendered = prompt.render(&kernel, &variables(arguments)).await?;
    let calls = searches.take();
    if !calls.is_empty() && !calls.iter().any(Call::has_results) {
        let advice = selector::advice(&arguments.selector, arguments.results.skip);
        messages::warn(&format!("nothing was found, so the prompt is not grounded: {advice}"));
    }
    print(rendered, arguments.output, output)
}

async fn kernel(arguments: &PromptArguments, config: &PromptTemplateConfig) -> Result<Kernel> {
    let passed = arguments.variables.iter().map(|(name, _)| name.as_str());
    let declared = config.input_variables.iter().map(|variable| variable.name.as_str());
    let variables: Vec<&str> = passed.chain(declared).collect();
    let PromptArguments { selector, results, .. } = arguments;
    let selected = selector::open_with_documents(selector).await?;
    let functions = SearchFunctions::new(selected, selector, results, &variables)?;
    let mut kernel = Kernel::new();
    textsearch_prompt::add_template_factories(&mut kernel);
    kernel.add_plugin(functions.plugin()?)?;
    Ok(kernel)
}

/// Warns of each variable that neither the template nor a call in it can read.
fn warn_of_unused(arguments: &PromptArguments, prompt: &Prompt, kernel: &Kernel) {
    let read = prompt.variables();
    if read.unlisted.is_some() {
        return;
    }
    let called = read.calls.iter();
    let called = called.filter_map(|call| kernel.function(call.plugin.as_deref(), &call.function));
    let parameters = called.flat_map(|function| &function.metadata().parameters);
    let variables = read.variables.iter().map(|variable| variable.name.as_str());
    let names = variables.chain(parameters.map(|parameter| parameter.name.as_str()));
    let names: Vec<&str> = names.collect();
    for (variable, _) in &arguments.variables {
        if !names.iter().any(|name| name.eq_ignore_ascii_case(variable)) {
            messages::warn(&format!("the template uses no `{variable}`: check the name in --arg"));
        }
    }
}

fn variables(arguments: &PromptArguments) -> KernelArguments {
    let query = KernelArguments::new().with(QUERY, arguments.query.as_str());
    let passed = arguments.variables.iter();
    passed.fold(query, |all, (name, value)| all.with(name.as_str(), value.as_str()))
}

fn print(rendered: RenderedPrompt, format: OutputFormat, output: &mut Output) -> Result<()> {
    if format == OutputFormat::Json {
        let messages: Vec<Value> = rendered.into_history().messages().iter().map(as_json).collect();
        return output.json(&messages);
    }
    if !rendered.is_chat {
        return output.line(&rendered.text);
    }
    for message in rendered.into_history().messages() {
        output.line(&format!("[{}]\n{}\n\n", message.role.name(), message.text().trim_end()))?;
    }
    Ok(())
}

/// Returns the message as chat services expect it: content that is only text is a string.
fn as_json(message: &ChatMessage) -> Value {
    let is_text = |part: &MessagePart| matches!(part, MessagePart::Text { .. });
    let content = if message.parts.iter().all(is_text) {
        Value::String(message.text())
    } else {
        message.parts.iter().map(part_as_json).collect()
    };
    json!({ "role": message.role.name(), "content": content })
}

fn part_as_json(part: &MessagePart) -> Value {
    match part {
        MessagePart::Image { url } => json!({ "type": "image_url", "image_url": { "url": url } }),
        other => json!(other),
    }
}
