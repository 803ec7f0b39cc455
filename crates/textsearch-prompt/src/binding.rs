//! Binds a call's arguments to the function's parameters.

use serde_json::Value;
use textsearch_kernel::{KernelArguments, function::FunctionMetadata};

pub(crate) struct Bindings<'a> {
    function: &'a FunctionMetadata,
    bindings: Vec<Binding<'a>>,
}

/// A missing value stays missing: the template names another variable, so the one named after the
/// parameter does not replace it.
struct Binding<'a> {
    parameter: &'a str,
    value: Option<&'a Value>,
}

impl<'a> Bindings<'a> {
    pub(crate) fn new(function: &'a FunctionMetadata) -> Self {
        Self { function, bindings: Vec::with_capacity(function.parameters.len()) }
    }

    pub(crate) fn positional(
        &mut self,
        index: usize,
        value: Option<&'a Value>,
    ) -> Result<(), String> {
        let parameter = self.function.parameters.get(index).ok_or_else(|| {
            format!("`{}` takes {}, but more are given", self.name(), self.known())
        })?;
        self.bind(&parameter.name, value)
    }

    /// `name` may be `Function-name`, as in Semantic Kernel's templates.
    pub(crate) fn named(&mut self, name: &str, value: Option<&'a Value>) -> Result<(), String> {
        let own = || name.strip_prefix(&*self.function.name)?.strip_prefix('-');
        let find = |name: &str| self.function.parameter(name);
        let parameter = find(name).or_else(|| find(own()?)).ok_or_else(|| {
            format!("`{}` has no parameter `{name}`: it takes {}", self.name(), self.known())
        })?;
        self.bind(&parameter.name, value)
    }

    /// `variable` gives omitted parameters a value.
    pub(crate) fn to_arguments(
        &self,
        caller: &KernelArguments,
        variable: impl Fn(&str) -> Option<Value>,
    ) -> KernelArguments {
        let bound = self.bindings.iter();
        let bound = bound.filter_map(|binding| Some((binding.parameter, binding.value?.clone())));
        let mut arguments: KernelArguments = bound.collect();
        for parameter in &self.function.parameters {
            if !self.is_bound(&parameter.name)
                && let Some(value) = variable(&parameter.name)
            {
                arguments.insert(&*parameter.name, value);
            }
        }
        for (service, settings) in caller.execution_settings() {
            arguments = arguments.with_execution_settings(service, settings.clone());
        }
        arguments
    }

    fn bind(&mut self, parameter: &'a str, value: Option<&'a Value>) -> Result<(), String> {
        if self.is_bound(parameter) {
            return Err(format!("`{}` is given `{parameter}` twice", self.name()));
        }
        self.bindings.push(Binding { parameter, value });
        Ok(())
    }

    fn is_bound(&self, parameter: &str) -> bool {
        self.bindings.iter().any(|binding| binding.parameter == parameter)
    }

    fn name(&self) -> String {
        self.function.qualified_name()
    }

    fn known(&self) -> String {
        let names: Vec<_> =
            self.function.parameters.iter().map(|parameter| &*parameter.name).collect();
        match names.as_slice() {
            [] => "no arguments".to_owned(),
            [name] => format!("one argument, `{name}`"),
            names => format!("{} arguments, `{}`", names.len(), names.join("`, `")),
        }
    }
}
