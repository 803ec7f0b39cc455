//! Prompt templates as prompts.

use std::collections::BTreeMap;

use rmcp::model::{GetPromptResult, JsonObject, PromptArgument, PromptMessage, Role};
use textsearch_core::chat::ChatRole;
use textsearch_kernel::{
    Kernel, KernelArguments,
    prompt::{Prompt, PromptTemplateConfig},
};

use crate::{McpError, Result};

pub(super) struct ServedPrompt {
    prompt: Prompt,
    pub(super) definition: rmcp::model::Prompt,
}

/// Compiles the prompts. Names must be unique, since clients call them by name.
pub(super) fn serve(
    kernel: &Kernel,
    configs: &[PromptTemplateConfig],
) -> Result<Vec<ServedPrompt>> {
    let mut served: Vec<ServedPrompt> = Vec::with_capacity(configs.len());
    for config in configs {
        if config.name.is_empty() {
            let message = "holds a prompt without a name: clients need one to ask for it";
            return Err(McpError::invalid_setting("prompts", message));
        }
        if served.iter().any(|other| other.definition.name == config.name) {
            let message = format!("holds two prompts called `{}`: rename one", config.name);
            return Err(McpError::invalid_setting("prompts", message));
        }
        let prompt = kernel.compile_prompt(config)?;
        let definition = definition(config, &prompt);
        served.push(ServedPrompt { prompt, definition });
    }
    Ok(served)
}

fn definition(config: &PromptTemplateConfig, prompt: &Prompt) -> rmcp::model::Prompt {
    let description = Some(config.description.as_str()).filter(|text| !text.is_empty());
    let declared = config.input_variables.iter().map(|variable| {
        let mut argument = PromptArgument::new(variable.name.as_str())
            .with_required(variable.is_required && variable.default.is_none());
        if !variable.description.is_empty() {
            argument = argument.with_description(variable.description.as_str());
        }
        (variable.name.to_ascii_lowercase(), argument)
    });
    let mut arguments: BTreeMap<String, PromptArgument> = declared.collect();
    for variable in &prompt.variables().variables {
        let argument =
            || PromptArgument::new(variable.name.as_str()).with_required(!variable.is_optional);
        arguments.entry(variable.name.to_ascii_lowercase()).or_insert_with(argument);
    }
    let arguments = arguments.into_values().collect();
    rmcp::model::Prompt::new(config.name.as_str(), description, Some(arguments))
}

impl ServedPrompt {
    /// Returns the required argument that the client didn't pass.
    pub(super) fn missing(&self, passed: &JsonObject) -> Option<&str> {
        let mut required = self.definition.arguments.iter().flatten();
        let missing = required.find(|argument| {
            argument.required == Some(true)
                && !passed.keys().any(|name| name.eq_ignore_ascii_case(&argument.name))
        });
        missing.map(|argument| argument.name.as_str())
    }

    /// MCP has only users and assistants: system messages become messages of the user.
    pub(super) async fn render(
        &self,
        kernel: &Kernel,
        passed: JsonObject,
    ) -> textsearch_kernel::Result<GetPromptResult> {
        let rendered = self.prompt.render(kernel, &KernelArguments::from(passed)).await?;
        let messages = rendered.into_history();
        let messages = messages.messages().iter().map(|message| {
            let role = match message.role {
                ChatRole::Assistant => Role::Assistant,
                _ => Role::User,
            };
            PromptMessage::new_text(role, message.text())
        });
        let mut result = GetPromptResult::new(messages.collect());
        result.description.clone_from(&self.definition.description);
        Ok(result)
    }
}
