//! A named set of functions.

use crate::{KernelError, KernelFunction, Result};

const LONGEST_NAME: usize = 64;

/// A named set of functions.
#[derive(Debug, Clone)]
pub struct KernelPlugin {
    name: String,
    description: String,
    functions: Vec<KernelFunction>,
}

impl KernelPlugin {
    /// Creates a plugin with these functions.
    ///
    /// # Errors
    ///
    /// Returns [`InvalidName`](KernelError::InvalidName) if the plugin's name is empty or has
    /// characters outside `[0-9A-Za-z_]`, two functions have the same name, or a qualified name is
    /// longer than 64 characters.
    pub fn new(
        name: impl Into<String>,
        description: impl Into<String>,
        functions: impl IntoIterator<Item = KernelFunction>,
    ) -> Result<Self> {
        let mut plugin =
            Self { name: name.into(), description: description.into(), functions: Vec::new() };
        plugin.check_name()?;
        for function in functions {
            plugin.add(function)?;
        }
        Ok(plugin)
    }

    /// Returns the plugin's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the plugin's description.
    pub fn description(&self) -> &str {
        &self.description
    }

    /// Returns the functions in the order they were added.
    pub fn functions(&self) -> &[KernelFunction] {
        &self.functions
    }

    /// Returns the function called `name`, ignoring ASCII case.
    pub fn function(&self, name: &str) -> Option<&KernelFunction> {
        self.functions.iter().find(|function| function.name().eq_ignore_ascii_case(name))
    }

    fn add(&mut self, function: KernelFunction) -> Result<()> {
        let function = function.into_plugin(&self.name);
        let length = self.name.len() + "-".len() + function.name().len();
        let problem = if self.function(function.name()).is_some() {
            "is the name of two functions of the plugin: each needs its own"
        } else if length > LONGEST_NAME {
            "is longer than 64 characters, which is all that models' interfaces take"
        } else {
            self.functions.push(function);
            return Ok(());
        };
        Err(KernelError::invalid_name(function.metadata().qualified_name(), problem))
    }

    fn check_name(&self) -> Result<()> {
        let is_allowed = |character: char| character.is_ascii_alphanumeric() || character == '_';
        if !self.name.is_empty() && self.name.chars().all(is_allowed) {
            return Ok(());
        }
        let message = "is not a plugin name: letters, digits and `_` are allowed, at least one";
        Err(KernelError::invalid_name(&self.name, message))
    }
}
