//! A compiled template.

use ::handlebars::Template;
use textsearch_kernel::{KernelError, KernelFunction, Result, prompt::PromptTemplateConfig};

use super::{
    compile::{self, Compiled},
    error, nesting,
    problem::Problem,
    source::Source,
};
use crate::name_in_errors;

pub(super) struct HandlebarsPromptTemplate {
    pub(super) config: PromptTemplateConfig,
    pub(super) compiled: Compiled,
    pub(super) max_work: Option<usize>,
}

impl HandlebarsPromptTemplate {
    pub(super) fn compile(config: &PromptTemplateConfig, max_work: Option<usize>) -> Result<Self> {
        let name = name_in_errors(config);
        let of_problem =
            |problem: Problem| KernelError::template(name, problem.position, problem.message);
        let source = Source::new(&config.template);
        nesting::check(&source.parsed).map_err(of_problem)?;
        let template = Template::compile_with_name(&source.parsed, name.to_owned())
            .map_err(|error| error::of_parser(name, source.text, &error))?;
        let compiled = compile::compile(&template, &source).map_err(of_problem)?;
        Ok(Self { config: config.clone(), compiled, max_work })
    }

    /// Ignored in a plain prompt.
    pub(super) fn trusts(&self, function: &KernelFunction) -> bool {
        let name = || function.metadata().qualified_name();
        self.compiled.is_chat_prompt && self.config.is_function_trusted(&name())
    }

    /// Ignored in a plain prompt.
    pub(super) fn trusts_variable(&self, name: &str) -> bool {
        self.compiled.is_chat_prompt && self.config.is_variable_trusted(name)
    }
}
