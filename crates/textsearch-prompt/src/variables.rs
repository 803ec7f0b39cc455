//! The caller's arguments and the configuration's defaults.

use serde_json::{Map, Value};
use textsearch_kernel::{
    KernelArguments,
    prompt::{InputVariable, PromptTemplateConfig},
};

/// Names ignore ASCII case.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Variables<'a> {
    arguments: &'a KernelArguments,
    config: &'a PromptTemplateConfig,
}

impl<'a> Variables<'a> {
    pub(crate) fn new(arguments: &'a KernelArguments, config: &'a PromptTemplateConfig) -> Self {
        Self { arguments, config }
    }

    pub(crate) fn get(&self, name: &str) -> Option<&'a Value> {
        let default = || self.config.input_variable(name)?.default.as_ref();
        self.arguments.get(name).or_else(default)
    }

    /// Matches the case.
    pub(crate) fn named(&self, name: &str) -> Option<&'a Value> {
        let argument = self.arguments.iter().find(|(known, _)| *known == name);
        argument.map(|(_, value)| value).or_else(|| {
            let variable =
                self.config.input_variables.iter().find(|variable| variable.name == name)?;
            variable.default.as_ref().filter(|_| !self.arguments.contains(name))
        })
    }

    /// For the execution settings of the services that functions call.
    pub(crate) fn arguments(&self) -> &'a KernelArguments {
        self.arguments
    }

    pub(crate) fn to_map(self) -> Map<String, Value> {
        let is_missing = |variable: &&InputVariable| !self.arguments.contains(&variable.name);
        let defaults = self.config.input_variables.iter().filter(is_missing);
        let defaults =
            defaults.filter_map(|variable| Some((&*variable.name, variable.default.as_ref()?)));
        let all = self.arguments.iter().chain(defaults);
        all.map(|(name, value)| (name.to_owned(), value.clone())).collect()
    }
}
