//! What a prompt is: its template, its variables, and what the services that run it are asked to do.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize, de::IgnoredAny};
use serde_json::Value;

use crate::prompt::ExecutionSettings;

/// The format of templates in Semantic Kernel's own language.
pub const SEMANTIC_KERNEL_FORMAT: &str = "semantic-kernel";

/// The format of Handlebars templates.
pub const HANDLEBARS_FORMAT: &str = "handlebars";

/// A prompt as data: it can be written in code, in YAML or in JSON.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct PromptTemplateConfig {
    /// The prompt's name: it appears in errors, and is the name of the function made from the prompt.
    #[serde(deserialize_with = "text_or_nothing")]
    pub name: String,
    /// What the prompt does.
    #[serde(deserialize_with = "text_or_nothing")]
    pub description: String,
    /// The template.
    pub template: String,
    /// The language of the template; `semantic-kernel` by default.
    pub template_format: String,
    /// The variables of the template.
    pub input_variables: Vec<InputVariable>,
    /// What the answer to the prompt is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_variable: Option<OutputVariable>,
    /// What each service is asked to do, by its identifier; `default` stands for any service.
    pub execution_settings: BTreeMap<String, ExecutionSettings>,
    /// Whether the results of all functions are inserted into a chat prompt as they are.
    ///
    /// Dangerous: a search result can then open a message of its own.
    pub allow_dangerously_set_content: bool,
    /// The functions, as `Plugin-Function`, whose results are inserted into a chat prompt as they are.
    pub trusted_functions: Vec<String>,
    /// Whether rendering fails if the template reads a variable that is neither given nor declared. False by default: a
    /// warning is logged, and nothing is inserted.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub strict_variables: bool,
    // Semantic Kernel's `config.json` has these two, which say nothing that is not known.
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
    /// What it means.
    #[serde(deserialize_with = "text_or_nothing")]
    pub description: String,
    /// The value it has where the arguments do not give it.
    pub default: Option<Value>,
    /// Whether the arguments must give it.
    pub is_required: bool,
    /// The JSON schema of its values; it may also be written as a text that holds JSON.
    #[serde(deserialize_with = "schema_or_text")]
    pub json_schema: Option<Value>,
    /// Whether it is inserted into a chat prompt as it is. Dangerous: it can then open a message of its own.
    pub allow_dangerously_set_content: bool,
}

/// The answer to a prompt.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct OutputVariable {
    /// What it means.
    #[serde(deserialize_with = "text_or_nothing")]
    pub description: String,
    /// The JSON schema of the answer; it may also be written as a text that holds JSON.
    #[serde(deserialize_with = "schema_or_text")]
    pub json_schema: Option<Value>,
}

impl PromptTemplateConfig {
    /// A prompt of this template, in the `semantic-kernel` format.
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

    /// Sets whether rendering fails if the template reads a variable that is neither passed nor declared; false by default.
    #[must_use]
    pub fn with_strict_variables(mut self, enabled: bool) -> Self {
        self.strict_variables = enabled;
        self
    }

    /// Adds a variable.
    #[must_use]
    pub fn with_input_variable(mut self, variable: InputVariable) -> Self {
        self.input_variables.push(variable);
        self
    }

    /// The variable called `name`, without regard to ASCII case.
    pub fn input_variable(&self, name: &str) -> Option<&InputVariable> {
        self.input_variables.iter().find(|variable| variable.name.eq_ignore_ascii_case(name))
    }

    /// Whether the result of the function called `qualified_name` is inserted as it is.
    pub fn is_function_trusted(&self, qualified_name: &str) -> bool {
        self.allow_dangerously_set_content
            || self.trusted_functions.iter().any(|name| name.eq_ignore_ascii_case(qualified_name))
    }

    /// Whether the variable called `name` is inserted as it is.
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
    /// A variable that the arguments may leave out.
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), ..Self::default() }
    }

    /// Sets the value that the variable has where the arguments do not give it.
    #[must_use]
    pub fn with_default(mut self, default: impl Into<Value>) -> Self {
        self.default = Some(default.into());
        self
    }

    /// Has the arguments give the variable.
    #[must_use]
    pub fn required(mut self) -> Self {
        self.is_required = true;
        self
    }

    /// Sets whether the variable goes into a chat prompt without encoding; false by default.
    ///
    /// Dangerous: only for text that the application itself wrote.
    #[must_use]
    pub fn with_allow_dangerously_set_content(mut self, enabled: bool) -> Self {
        self.allow_dangerously_set_content = enabled;
        self
    }
}

/// Files have `description:` with nothing after it.
fn text_or_nothing<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    Ok(Option::deserialize(deserializer)?.unwrap_or_default())
}

/// Semantic Kernel writes a schema as a text.
fn schema_or_text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    Ok(match Option::deserialize(deserializer)? {
        Some(Value::String(text)) => {
            Some(serde_json::from_str(&text).map_err(serde::de::Error::custom)?)
        }
        schema => schema,
    })
}
