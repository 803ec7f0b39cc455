//! What a function says of itself, to people and to models.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What a function is called, what it does, what it takes and what it returns.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct FunctionMetadata {
    /// The function's name: characters of `[0-9A-Za-z_-]`.
    pub name: String,
    /// The name of the plugin that the function is in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plugin_name: Option<String>,
    /// What the function does.
    #[serde(default)]
    pub description: String,
    /// What the function takes; the first parameter is the one that a positional argument is bound to.
    #[serde(default)]
    pub parameters: Vec<ParameterMetadata>,
    /// What the function returns.
    #[serde(default)]
    pub return_parameter: ReturnMetadata,
    /// The name that the function had where it came from, where it had to be renamed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub original_name: Option<String>,
}

/// What one parameter of a function is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ParameterMetadata {
    /// The parameter's name.
    pub name: String,
    /// What it means.
    #[serde(default)]
    pub description: String,
    /// The JSON schema of its values; empty where anything goes.
    #[serde(default)]
    pub schema: Value,
    /// Whether a call must give it.
    #[serde(default)]
    pub is_required: bool,
    /// The value it has where a call does not give it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default: Option<Value>,
}

/// What a function returns.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ReturnMetadata {
    /// What it means.
    #[serde(default)]
    pub description: String,
    /// The JSON schema of the value; null where it is not known. Shared, since the schemas of records are large.
    #[serde(default)]
    pub schema: Arc<Value>,
}

impl FunctionMetadata {
    /// The metadata of a function without parameters.
    pub fn new(name: impl Into<String>, description: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            plugin_name: None,
            description: description.into(),
            parameters: Vec::new(),
            return_parameter: ReturnMetadata::default(),
            original_name: None,
        }
    }

    /// Adds a parameter.
    #[must_use]
    pub fn with_parameter(mut self, parameter: ParameterMetadata) -> Self {
        self.parameters.push(parameter);
        self
    }

    /// Says what the function returns.
    #[must_use]
    pub fn with_return(
        mut self,
        description: impl Into<String>,
        schema: impl Into<Arc<Value>>,
    ) -> Self {
        self.return_parameter =
            ReturnMetadata { description: description.into(), schema: schema.into() };
        self
    }

    /// The name that models and Handlebars templates call the function by: `Plugin-Function`, or the bare name of a
    /// function that is in no plugin.
    pub fn qualified_name(&self) -> String {
        match &self.plugin_name {
            Some(plugin) => format!("{plugin}-{}", self.name),
            None => self.name.clone(),
        }
    }

    /// The parameter called `name`, without regard to ASCII case.
    pub fn parameter(&self, name: &str) -> Option<&ParameterMetadata> {
        self.parameters.iter().find(|parameter| parameter.name.eq_ignore_ascii_case(name))
    }
}

impl ParameterMetadata {
    /// A parameter that a call must give.
    pub fn required(
        name: impl Into<String>,
        description: impl Into<String>,
        schema: Value,
    ) -> Self {
        Self {
            name: name.into(),
            description: description.into(),
            schema,
            is_required: true,
            default: None,
        }
    }

    /// A parameter that a call may leave out.
    pub fn optional(
        name: impl Into<String>,
        description: impl Into<String>,
        schema: Value,
    ) -> Self {
        Self { is_required: false, ..Self::required(name, description, schema) }
    }

    /// Sets the value that the parameter has where a call leaves it out.
    #[must_use]
    pub fn with_default(mut self, default: impl Into<Value>) -> Self {
        self.default = Some(default.into());
        self
    }
}

impl FunctionMetadata {
    pub(crate) fn validate(&self) -> crate::Result<()> {
        let is_allowed =
            |character: char| character.is_ascii_alphanumeric() || "_-".contains(character);
        if self.name.is_empty() || !self.name.chars().all(is_allowed) {
            let message =
                "is not a function name: letters, digits, `_` and `-` are allowed, at least one";
            return Err(crate::KernelError::invalid_name(&self.name, message));
        }
        self.parameters.iter().enumerate().try_for_each(|(position, parameter)| {
            parameter.validate(self.parameters.get(..position).unwrap_or_default())
        })
    }
}

impl ParameterMetadata {
    fn validate(&self, before: &[Self]) -> crate::Result<()> {
        let is_allowed =
            |character: char| character.is_ascii_alphanumeric() || "_.-".contains(character);
        let is_name = (1..=64).contains(&self.name.len()) && self.name.chars().all(is_allowed);
        let message = if !is_name {
            "is not a parameter name: 1 to 64 letters, digits, `_`, `.` and `-` are allowed, as in models' interfaces"
        } else if before.iter().any(|other| other.name.eq_ignore_ascii_case(&self.name)) {
            "is the name of two parameters: each needs its own"
        } else {
            return Ok(());
        };
        Err(crate::KernelError::invalid_name(&self.name, message))
    }
}
