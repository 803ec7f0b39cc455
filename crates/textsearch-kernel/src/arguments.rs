//! The arguments of a call, and the variables of a template.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Named values for a function or a template, and the execution settings of the services that may be called on the
/// way. Names are compared without regard to ASCII case.
///
/// ```
/// use textsearch_kernel::KernelArguments;
///
/// let arguments = KernelArguments::new().with("query", "What is a connector?").with("count", 3);
/// assert_eq!(arguments.get("Query").and_then(|value| value.as_str()), Some("What is a connector?"));
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
pub struct KernelArguments {
    // Calls have a handful of arguments: looking through them beats hashing names without case.
    values: Vec<(String, Value)>,
    execution_settings: BTreeMap<String, ExecutionSettings>,
}

/// Settings of one service, by the names that the service gives them: model, temperature, and so on.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ExecutionSettings {
    values: Map<String, Value>,
}

impl KernelArguments {
    /// No arguments.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds an argument, in place of the one of the same name.
    #[must_use]
    pub fn with(mut self, name: impl Into<String>, value: impl Into<Value>) -> Self {
        self.insert(name, value);
        self
    }

    /// Sets an argument and returns the value it had before.
    pub fn insert(&mut self, name: impl Into<String>, value: impl Into<Value>) -> Option<Value> {
        let (name, value) = (name.into(), value.into());
        match self.position(&name).and_then(|position| self.values.get_mut(position)) {
            Some((_, old)) => Some(std::mem::replace(old, value)),
            None => {
                self.values.push((name, value));
                None
            }
        }
    }

    /// The argument called `name`.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.position(name).and_then(|position| self.values.get(position)).map(|(_, value)| value)
    }

    /// Removes the argument called `name` and returns it.
    pub fn remove(&mut self, name: &str) -> Option<Value> {
        self.position(name).map(|position| self.values.remove(position).1)
    }

    /// Whether there is an argument called `name`.
    pub fn contains(&self, name: &str) -> bool {
        self.position(name).is_some()
    }

    /// Names and values, in the order in which they were added.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &Value)> {
        self.values.iter().map(|(name, value)| (name.as_str(), value))
    }

    /// The number of arguments.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// Sets what the service called `service_id` is asked to do; `default` stands for any service.
    #[must_use]
    pub fn with_execution_settings(
        mut self,
        service_id: impl Into<String>,
        settings: ExecutionSettings,
    ) -> Self {
        self.execution_settings.insert(service_id.into(), settings);
        self
    }

    /// What each service is asked to do, by its identifier.
    pub fn execution_settings(&self) -> &BTreeMap<String, ExecutionSettings> {
        &self.execution_settings
    }

    /// Sets what any service is asked to do.
    #[must_use]
    pub fn with_default_settings(self, settings: impl Into<ExecutionSettings>) -> Self {
        self.with_execution_settings("default", settings.into())
    }

    /// The values as a JSON object.
    pub(crate) fn to_json(&self) -> String {
        let values = self.values.iter().cloned();
        Value::Object(values.collect()).to_string()
    }

    /// No arguments yet, with room for `capacity`.
    pub(crate) fn with_capacity(capacity: usize) -> Self {
        Self { values: Vec::with_capacity(capacity), ..Self::default() }
    }

    /// Adds an argument whose name is known not to be there.
    pub(crate) fn push_new(&mut self, name: String, value: Value) {
        self.values.push((name, value));
    }

    /// Takes the argument called `name` out, without keeping the order of the rest.
    pub(crate) fn take(&mut self, name: &str) -> Option<(String, Value)> {
        self.position(name).map(|position| self.values.swap_remove(position))
    }

    /// Gives names and values up.
    pub(crate) fn into_values(self) -> Vec<(String, Value)> {
        self.values
    }

    /// Takes the execution settings of `other`.
    pub(crate) fn with_settings_of(mut self, other: Self) -> Self {
        self.execution_settings = other.execution_settings;
        self
    }

    fn position(&self, name: &str) -> Option<usize> {
        self.values.iter().position(|(known, _)| known.eq_ignore_ascii_case(name))
    }
}

impl ExecutionSettings {
    /// No settings.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a setting, in place of the one of the same name.
    #[must_use]
    pub fn with(mut self, name: impl Into<String>, value: impl Into<Value>) -> Self {
        self.values.insert(name.into(), value.into());
        self
    }

    /// The setting called `name`.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.values.get(name)
    }

    /// All settings by name.
    pub fn values(&self) -> &Map<String, Value> {
        &self.values
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
