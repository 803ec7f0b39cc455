//! Function metadata.

use std::{collections::HashMap, sync::Arc};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::schema::{self_contained, without_null};

/// A function's name, description, parameters and return value.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct FunctionMetadata {
    /// The function's name: characters of `[0-9A-Za-z_-]`.
    pub name: String,
    /// The name of the function's plugin.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plugin_name: Option<String>,
    /// A description of the function.
    #[serde(default)]
    pub description: String,
    /// The parameters. A positional argument binds to the first one.
    #[serde(default)]
    pub parameters: Vec<ParameterMetadata>,
    /// The return value.
    #[serde(default)]
    pub return_parameter: ReturnMetadata,
    /// Whether the function changes nothing; `None` if unknown. Models may see it as a hint; nothing
    /// enforces it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read_only: Option<bool>,
    /// Whether the function reaches an open world, such as the web, and not only known data; `None`
    /// if unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub is_open_world: Option<bool>,
    /// Whether a model is offered the function only if the choice of functions names it; false by
    /// default. Templates and applications may call it as any other.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub opt_in: bool,
    /// The function's name at its origin, if it had to be renamed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub original_name: Option<String>,
}

/// A parameter of a function.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ParameterMetadata {
    /// The parameter's name.
    pub name: String,
    /// A description of the parameter.
    #[serde(default)]
    pub description: String,
    /// The JSON schema of its values; empty if any value is allowed.
    #[serde(default)]
    pub schema: Value,
    /// Whether a call must pass it.
    #[serde(default)]
    pub is_required: bool,
    /// The value of an omitted argument.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default: Option<Value>,
}

/// The return value of a function.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ReturnMetadata {
    /// A description of the value.
    #[serde(default)]
    pub description: String,
    /// The JSON schema of the value; null if unknown.
    #[serde(default)]
    pub schema: Arc<Value>,
}

impl FunctionMetadata {
    /// Creates the metadata of a function without parameters.
    pub fn new(name: impl Into<String>, description: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            plugin_name: None,
            description: description.into(),
            parameters: Vec::new(),
            return_parameter: ReturnMetadata::default(),
            read_only: None,
            is_open_world: None,
            opt_in: false,
            original_name: None,
        }
    }

    /// Adds a parameter.
    #[must_use]
    pub fn with_parameter(mut self, parameter: ParameterMetadata) -> Self {
        self.parameters.push(parameter);
        self
    }

    /// Sets the description and schema of the return value.
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

    /// Returns the name for models and Handlebars templates: `Plugin-Function`, or the bare name
    /// without a plugin.
    pub fn qualified_name(&self) -> String {
        match &self.plugin_name {
            Some(plugin) => format!("{plugin}-{}", self.name),
            None => self.name.clone(),
        }
    }

    /// Returns the parameter called `name`, ignoring ASCII case.
    pub fn parameter(&self, name: &str) -> Option<&ParameterMetadata> {
        self.parameters.iter().find(|parameter| parameter.name.eq_ignore_ascii_case(name))
    }
}

impl ParameterMetadata {
    /// Creates a parameter that a call must pass.
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

    /// Creates a parameter that a call may omit.
    pub fn optional(
        name: impl Into<String>,
        description: impl Into<String>,
        schema: Value,
    ) -> Self {
        Self { is_required: false, ..Self::required(name, description, schema) }
    }

    /// Returns a parameter for each property of an object's JSON schema, such as the input schema
    /// of a tool. Required ones come first.
    ///
    /// The definitions in `$defs` or `definitions` replace at most 500 references to them, of 128 KiB
    /// together. Others accept any value, and so do schemas nested more than 64 deep.
    ///
    /// ```
    /// use serde_json::json;
    /// use textsearch_kernel::function::ParameterMetadata;
    ///
    /// let parameters = ParameterMetadata::from_object_schema(json!({
    ///     "properties": { "count": { "type": "integer" }, "query": { "$ref": "#/$defs/Text" } },
    ///     "required": ["query"],
    ///     "$defs": { "Text": { "type": "string", "description": "Search query" } },
    /// }));
    /// assert_eq!(parameters[0].name, "query");
    /// assert_eq!(parameters[0].description, "Search query");
    /// assert_eq!(parameters[0].schema, json!({ "type": "string" }));
    /// assert!(!parameters[1].is_required);
    /// ```
    pub fn from_object_schema(schema: Value) -> Vec<Self> {
        parameters_of_object(self_contained(schema))
    }

    /// Sets the value of an omitted argument.
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
            parameter.validate(self.parameters.split_at(position).0)
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

/// Required ones first, in the order of `required`.
pub(super) fn parameters_of_object(mut schema: Value) -> Vec<ParameterMetadata> {
    let required: Vec<String> = schema.get("required").and_then(texts).unwrap_or_default();
    let properties = schema.get_mut("properties").map(Value::take).unwrap_or_default();
    let Value::Object(properties) = properties else {
        return Vec::new();
    };
    let rank: HashMap<&str, usize> =
        required.iter().enumerate().map(|(rank, name)| (name.as_str(), rank)).collect();
    let parameters = properties.into_iter().map(|(name, schema)| {
        let is_required = rank.contains_key(name.as_str());
        parameter(name, schema, is_required)
    });
    let mut parameters: Vec<ParameterMetadata> = parameters.collect();
    parameters
        .sort_by_key(|parameter| rank.get(parameter.name.as_str()).copied().unwrap_or(usize::MAX));
    parameters
}

fn parameter(name: String, mut schema: Value, is_required: bool) -> ParameterMetadata {
    let description = take_text(&mut schema, "description");
    let default = schema.as_object_mut().and_then(|entries| entries.remove("default"));
    let default = default.filter(|value| !value.is_null());
    let schema = if is_required { schema } else { without_null(schema) };
    ParameterMetadata { name, description, schema, is_required, default }
}

pub(super) fn take_text(schema: &mut Value, keyword: &str) -> String {
    match schema.as_object_mut().and_then(|entries| entries.remove(keyword)) {
        Some(Value::String(text)) => text,
        _ => String::new(),
    }
}

fn texts(list: &Value) -> Option<Vec<String>> {
    Some(list.as_array()?.iter().filter_map(Value::as_str).map(str::to_owned).collect())
}
