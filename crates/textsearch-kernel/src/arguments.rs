//! Call arguments and template variables.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize, Serializer, ser::Error as _};
use serde_json::{Map, Value};

use crate::grounding::{Attached, MEMORY_SETTING};

/// Named values for a function or a template, and execution settings for services. Names ignore
/// ASCII case.
///
/// ```
/// use textsearch_kernel::KernelArguments;
///
/// let arguments = KernelArguments::new().with("query", "What is a connector?").with("count", 3);
/// assert_eq!(arguments.get("Query").and_then(|value| value.as_str()), Some("What is a connector?"));
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
pub struct KernelArguments {
    // Calls have few arguments: a linear search beats case-insensitive hashing.
    values: Vec<(String, Value)>,
    execution_settings: BTreeMap<String, ExecutionSettings>,
}

/// Settings of one service, by the service's own names, such as `temperature`.
///
/// Serialising them is an error if they have a
/// [memory](crate::grounding::MemoryConfig::new) or a [context
/// provider](Self::with_context_provider) that exists in code only.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(transparent)]
pub struct ExecutionSettings {
    values: Map<String, Value>,
    #[serde(skip)]
    pub(crate) attached: Attached,
}

impl KernelArguments {
    /// Creates empty arguments.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds an argument, replacing any of the same name.
    #[must_use]
    pub fn with(mut self, name: impl Into<String>, value: impl Into<Value>) -> Self {
        self.insert(name, value);
        self
    }

    /// Sets an argument and returns its previous value.
    pub fn insert(&mut self, name: impl Into<String>, value: impl Into<Value>) -> Option<Value> {
        let name = name.into();
        let value = value.into();
        match self.position(&name).and_then(|position| self.values.get_mut(position)) {
            Some((_, old)) => Some(std::mem::replace(old, value)),
            None => {
                self.values.push((name, value));
                None
            }
        }
    }

    /// Returns the argument called `name`.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.position(name).and_then(|position| self.values.get(position)).map(|(_, value)| value)
    }

    /// Removes the argument called `name` and returns it.
    pub fn remove(&mut self, name: &str) -> Option<Value> {
        self.position(name).map(|position| self.values.remove(position).1)
    }

    /// Returns whether the argument `name` exists.
    pub fn contains(&self, name: &str) -> bool {
        self.position(name).is_some()
    }

    /// Returns names and values in the order they were added.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &Value)> {
        self.values.iter().map(|(name, value)| (name.as_str(), value))
    }

    /// Returns the number of arguments.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Returns whether there are no arguments.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// Sets the settings of the service `service_id`; `default` applies to any service.
    #[must_use]
    pub fn with_execution_settings(
        mut self,
        service_id: impl Into<String>,
        settings: ExecutionSettings,
    ) -> Self {
        self.execution_settings.insert(service_id.into(), settings);
        self
    }

    /// Returns the settings of each service, by service identifier.
    pub fn execution_settings(&self) -> &BTreeMap<String, ExecutionSettings> {
        &self.execution_settings
    }

    /// Sets the settings that apply to any service.
    #[must_use]
    pub fn with_default_settings(self, settings: impl Into<ExecutionSettings>) -> Self {
        self.with_execution_settings("default", settings.into())
    }

    pub(crate) fn to_json(&self) -> String {
        let values = self.values.iter().cloned();
        Value::Object(values.collect()).to_string()
    }

    pub(crate) fn with_capacity(capacity: usize) -> Self {
        Self { values: Vec::with_capacity(capacity), ..Self::default() }
    }

    /// The name must not exist yet.
    pub(crate) fn push_new(&mut self, name: String, value: Value) {
        self.values.push((name, value));
    }

    /// Does not keep the order of the others.
    pub(crate) fn take(&mut self, name: &str) -> Option<(String, Value)> {
        self.position(name).map(|position| self.values.swap_remove(position))
    }

    pub(crate) fn into_values(self) -> Vec<(String, Value)> {
        self.values
    }

    pub(crate) fn with_settings_of(mut self, other: Self) -> Self {
        self.execution_settings = other.execution_settings;
        self
    }

    fn position(&self, name: &str) -> Option<usize> {
        self.values.iter().position(|(known, _)| known.eq_ignore_ascii_case(name))
    }
}

impl ExecutionSettings {
    /// Creates empty settings.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a setting, replacing any of the same name.
    #[must_use]
    pub fn with(mut self, name: impl Into<String>, value: impl Into<Value>) -> Self {
        let name = name.into();
        if name == MEMORY_SETTING {
            self.attached.forget_memory();
        }
        self.values.insert(name, value.into());
        self
    }

    /// Returns the setting called `name`.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.values.get(name)
    }

    /// Returns all settings by name.
    pub fn values(&self) -> &Map<String, Value> {
        &self.values
    }
}

impl Serialize for ExecutionSettings {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.attached.is_empty() {
            return self.values.serialize(serializer);
        }
        Err(S::Error::custom(
            "the settings hold a memory or a context provider that exists in code only; \
             name a memory of the kernel with `MemoryConfig::named`",
        ))
    }
}

impl From<Map<String, Value>> for KernelArguments {
    fn from(values: Map<String, Value>) -> Self {
        values.into_iter().collect()
    }
}

impl<N: Into<String>, V: Into<Value>> FromIterator<(N, V)> for KernelArguments {
    fn from_iter<I: IntoIterator<Item = (N, V)>>(values: I) -> Self {
        let mut arguments = Self::new();
        for (name, value) in values {
            arguments.insert(name, value);
        }
        arguments
    }
}
