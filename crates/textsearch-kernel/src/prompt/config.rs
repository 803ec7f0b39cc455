//! Prompt configuration.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize, de::IgnoredAny};
use serde_json::Value;

use crate::prompt::ExecutionSettings;

/// The format of templates in Semantic Kernel's template language.
pub const SEMANTIC_KERNEL_FORMAT: &str = "semantic-kernel";

/// The format of Handlebars templates.
pub const HANDLEBARS_FORMAT: &str = "handlebars";

/// A prompt as data, written in code, YAML or JSON.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct PromptTemplateConfig {
    /// The name, used in errors and for the function created from the prompt.
    #[serde(deserialize_with = "text_or_nothing")]
    pub name: String,
    /// A description of the prompt.
    #[serde(deserialize_with = "text_or_nothing")]
    pub description: String,
    /// The template.
    pub template: String,
    /// The language of the template; `semantic-kernel` by default.
    pub template_format: String,
    /// The variables of the template.
    pub input_variables: Vec<InputVariable>,
    /// A description of the answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_variable: Option<OutputVariable>,
    /// The settings of each service, by identifier; `default` applies to any service.
    pub execution_settings: BTreeMap<String, ExecutionSettings>,
    /// Whether all function results are inserted into a chat prompt without encoding. Dangerous: a
    /// search result could then open a message.
    pub allow_dangerously_set_content: bool,
    /// The functions, as `Plugin-Function`, whose results are inserted without encoding.
    pub trusted_functions: Vec<String>,
    /// Whether rendering fails if the template reads a variable that is neither given nor declared.
    /// By default, it logs a warning and inserts nothing.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub strict_variables: bool,
    // Semantic Kernel's `config.json` has these two fields; they add no information.
    #[serde(rename = "schema", skip_serializing)]
    ignored_schema: IgnoredAny,
    #[serde(rename = "type", skip_serializing)]
    ignored_type: IgnoredAny,
}

/// A variable of a template.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct InputVariable {
    /// The variable's name.
    pub name: String,
    /// A description of the variable.
    #[serde(deserialize_with = "text_or_nothing")]
    pub description: String,
    /// The value if the arguments omit it.
    pub default: Option<Value>,
    /// Whether the arguments must include it.
    pub is_required: bool,
    /// The JSON schema of its values; in files also a string that contains JSON.
    #[serde(deserialize_with = "schema_or_text")]
    pub json_schema: Option<Value>,
    /// Whether it is inserted into a chat prompt without encoding. Dangerous: it could then open a
    /// message.
    pub allow_dangerously_set_content: bool,
}

/// The answer to a prompt.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct OutputVariable {
    /// A description of the answer.
    #[serde(deserialize_with = "text_or_nothing")]
    pub description: String,
    /// The JSON schema of the answer; in files also a string that contains JSON.
    #[serde(deserialize_with = "schema_or_text")]
    pub json_schema: Option<Value>,
}

impl PromptTemplateConfig {
    /// Creates a prompt with this template, in the `semantic-kernel` format.
    pub fn new(template: impl Into<String>) -> Self {
        Self { template: template.into(), ..Self::default() }
    }

    /// Sets the language of the template.
    #[must_use]
    pub fn with_template_format(mut self, format: impl Into<String>) -> Self {
        self.template_format = format.into();
        self
    }

    /// Sets the prompt's name.
    #[must_use]
    pub fn with_name(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// Adds a variable.
    #[must_use]
    pub fn with_input_variable(mut self, variable: InputVariable) -> Self {
        self.input_variables.push(variable);
        self
    }

    /// Returns the variable called `name`, ignoring ASCII case.
    pub fn input_variable(&self, name: &str) -> Option<&InputVariable> {
        self.input_variables.iter().find(|variable| variable.name.eq_ignore_ascii_case(name))
    }

    /// Returns whether the result of the function `qualified_name` is inserted without encoding.
    pub fn is_function_trusted(&self, qualified_name: &str) -> bool {
        self.allow_dangerously_set_content
            || self.trusted_functions.iter().any(|name| name.eq_ignore_ascii_case(qualified_name))
    }

    /// Returns whether the variable `name` is inserted without encoding.
    pub fn is_variable_trusted(&self, name: &str) -> bool {
        self.input_variable(name).is_some_and(|variable| variable.allow_dangerously_set_content)
    }
}

impl Default for PromptTemplateConfig {
    fn default() -> Self {
        Self {
            name: String::new(),
            description: String::new(),
            template: String::new(),
            template_format: SEMANTIC_KERNEL_FORMAT.to_owned(),
            input_variables: Vec::new(),
            output_variable: None,
            execution_settings: BTreeMap::new(),
            allow_dangerously_set_content: false,
            trusted_functions: Vec::new(),
            strict_variables: false,
            ignored_schema: IgnoredAny,
            ignored_type: IgnoredAny,
        }
    }
}

impl InputVariable {
    /// Creates a variable that the arguments may omit.
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), ..Self::default() }
    }

    /// Sets the value used if the arguments omit the variable.
    #[must_use]
    pub fn with_default(mut self, default: impl Into<Value>) -> Self {
        self.default = Some(default.into());
        self
    }

    /// Makes the variable required.
    #[must_use]
    pub fn required(mut self) -> Self {
        self.is_required = true;
        self
    }
}

/// Files may contain `description:` without a value.
fn text_or_nothing<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    Ok(Option::deserialize(deserializer)?.unwrap_or_default())
}

/// Semantic Kernel writes schemas as strings.
fn schema_or_text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    Ok(match Option::deserialize(deserializer)? {
        Some(Value::String(text)) => {
            Some(serde_json::from_str(&text).map_err(serde::de::Error::custom)?)
        }
        schema => schema,
    })
}
