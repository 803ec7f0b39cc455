//! Renders the blocks and awaits each call in place.

use std::borrow::Cow;

use async_trait::async_trait;
use textsearch_kernel::{
    Kernel, KernelArguments, KernelError, KernelFunction, Result,
    function::value_to_text,
    prompt::{
        PromptTemplate, PromptTemplateConfig, TemplateCall, TemplateVariable, TemplateVariables,
        finish_chat, insert_into_chat, insert_trusted_into_chat, opens_message,
    },
};

use super::{
    parse::parse,
    syntax::{Argument, Block, Call, Operand, Position},
};
use crate::{binding::Bindings, error_of_call, name_in_errors, variables::Variables};

#[derive(Debug)]
pub(super) struct SemanticKernelPromptTemplate {
    config: PromptTemplateConfig,
    blocks: Vec<Block>,
    is_chat_prompt: bool,
    max_work: Option<usize>,
}

impl SemanticKernelPromptTemplate {
    pub(super) fn compile(config: &PromptTemplateConfig, max_work: Option<usize>) -> Result<Self> {
        let blocks = parse(&config.template).map_err(|problem| {
            KernelError::template(name_in_errors(config), problem.position, problem.message)
        })?;
        let is_chat_prompt = opens_message(&config.template);
        Ok(Self { config: config.clone(), blocks, is_chat_prompt, max_work })
    }

    fn error(&self, position: Position, message: impl Into<String>) -> KernelError {
        KernelError::template(name_in_errors(&self.config), position, message)
    }

    fn check_room(&self, position: Position, prompt: &str, more: &str) -> Result<()> {
        match self.max_work {
            Some(max) if prompt.len().saturating_add(more.len()) > max => {
                let message =
                    format!("the template inserts too much: one rendering may handle {max} bytes");
                Err(self.error(position, message))
            }
            _ => Ok(()),
        }
    }

    fn inserted<'t>(&self, text: Cow<'t, str>, trusted: bool) -> Cow<'t, str> {
        match (self.is_chat_prompt, trusted) {
            (false, _) => text,
            (true, false) => Cow::Owned(insert_into_chat(&text)),
            (true, true) => Cow::Owned(insert_trusted_into_chat(&text)),
        }
    }

    /// Ignored in a plain prompt.
    fn trusts(&self, function: &KernelFunction) -> bool {
        let name = || function.metadata().qualified_name();
        self.is_chat_prompt && self.config.is_function_trusted(&name())
    }

    fn find<'k>(&self, kernel: &'k Kernel, call: &Call) -> Result<&'k KernelFunction> {
        let plugin = call.plugin.as_deref();
        kernel.function(plugin, &call.function).ok_or_else(|| {
            let name = match plugin {
                Some(plugin) => format!("{plugin}.{}", call.function),
                None => call.function.clone(),
            };
            let error = kernel.function_not_found(&name);
            KernelError::template_call(name_in_errors(&self.config), call.position, error)
        })
    }

    fn bind(
        &self,
        call: &Call,
        function: &KernelFunction,
        variables: Variables<'_>,
    ) -> Result<KernelArguments> {
        let mut bindings = Bindings::new(function.metadata());
        for Argument { name, value, position } in &call.arguments {
            let value = match value {
                Operand::Variable(name) => variables.get(name),
                Operand::Value(value) => Some(value),
            };
            let bound = match name {
                Some(name) => bindings.named(name, value),
                None => bindings.positional(0, value),
            };
            bound.map_err(|message| self.error(*position, message))?;
        }
        Ok(bindings.to_arguments(variables.arguments(), |name| variables.get(name).cloned()))
    }
}

#[async_trait]
impl PromptTemplate for SemanticKernelPromptTemplate {
    fn is_chat_prompt(&self) -> bool {
        self.is_chat_prompt
    }

    fn variables(&self) -> TemplateVariables {
        let mut variables = TemplateVariables::default();
        for block in &self.blocks {
            match block {
                Block::Text(_) => {}
                Block::Variable(name, position) => {
                    variables.add(TemplateVariable::new(name, *position));
                }
                Block::Call(call) => {
                    let mut called = TemplateCall::new(call.plugin.as_deref(), &call.function);
                    for Argument { name, value, position } in &call.arguments {
                        called.positional += usize::from(name.is_none());
                        called.named.extend(name.clone());
                        if let Operand::Variable(name) = value {
                            variables.add(TemplateVariable::new(name, *position));
                        }
                    }
                    variables.calls.push(called);
                }
            }
        }
        variables
    }

    async fn render(&self, kernel: &Kernel, arguments: &KernelArguments) -> Result<String> {
        let variables = Variables::new(arguments, &self.config);
        let mut prompt = String::with_capacity(2 * self.config.template.len());
        for block in &self.blocks {
            match block {
                Block::Text(text) => prompt.push_str(text),
                Block::Variable(name, position) => {
                    let text = variables.get(name).map(value_to_text).unwrap_or_default();
                    self.check_room(*position, &prompt, &text)?;
                    prompt.push_str(&self.inserted(text, self.config.is_variable_trusted(name)));
                }
                Block::Call(call) => {
                    let function = self.find(kernel, call)?;
                    let arguments = self.bind(call, function, variables)?;
                    let result = kernel.invoke_function(function, arguments).await;
                    let result = result.map_err(|error| {
                        error_of_call(&self.config, call.position, function, error)
                    })?;
                    let trusted = self.trusts(function);
                    let text = result.text();
                    self.check_room(call.position, &prompt, &text)?;
                    match self.inserted(text, trusted) {
                        // Results are long: at the start of a prompt they need no copy.
                        Cow::Owned(text) if prompt.is_empty() => prompt = text,
                        text => prompt.push_str(&text),
                    }
                }
            }
        }
        Ok(if self.is_chat_prompt { finish_chat(prompt) } else { prompt })
    }
}
