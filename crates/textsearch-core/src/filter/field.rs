//! Filterable fields, and the check of a filter against them.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{Filter, FilterOperator};
use crate::{Error, Result};

/// A field that a connector can filter on.
///
/// ```
/// use textsearch_core::{FilterableField, filter::FilterOperator};
///
/// let site = FilterableField::string("site", "The site to search, such as docs.rs")
///     .with_operators([FilterOperator::Eq]);
/// assert!(site.offered_to_model);
/// assert_eq!(site.schema, serde_json::json!({ "type": "string" }));
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct FilterableField {
    /// The name in filters.
    pub name: String,
    /// A sentence for people and models.
    pub description: String,
    /// The JSON schema of one value.
    pub schema: Value,
    /// The operators that the connector can apply.
    pub operators: Vec<FilterOperator>,
    /// Whether a search used as a tool offers the field to the model by default; true in serde.
    #[serde(default = "is_offered")]
    pub offered_to_model: bool,
}

impl FilterableField {
    /// Creates a field with values of `schema`, offered to models. A filter may only compare it with
    /// `=` until [`with_operators`](Self::with_operators) declares more.
    pub fn new(name: impl Into<String>, description: impl Into<String>, schema: Value) -> Self {
        Self {
            name: name.into(),
            description: description.into(),
            schema,
            operators: vec![FilterOperator::Eq],
            offered_to_model: true,
        }
    }

    /// Creates a field that holds text.
    pub fn string(name: impl Into<String>, description: impl Into<String>) -> Self {
        Self::new(name, description, json!({ "type": "string" }))
    }

    /// Creates a field that holds an integer.
    pub fn integer(name: impl Into<String>, description: impl Into<String>) -> Self {
        Self::new(name, description, json!({ "type": "integer" }))
    }

    /// Creates a field that holds a number.
    pub fn number(name: impl Into<String>, description: impl Into<String>) -> Self {
        Self::new(name, description, json!({ "type": "number" }))
    }

    /// Creates a field that is true or false.
    pub fn boolean(name: impl Into<String>, description: impl Into<String>) -> Self {
        Self::new(name, description, json!({ "type": "boolean" }))
    }

    /// Creates a field that holds an instant as text.
    pub fn date_time(name: impl Into<String>, description: impl Into<String>) -> Self {
        Self::new(name, description, json!({ "type": "string", "format": "date-time" }))
    }

    /// Creates a field that holds a day as text, such as `2025-03-31`.
    pub fn day(name: impl Into<String>, description: impl Into<String>) -> Self {
        Self::new(name, description, json!({ "type": "string", "format": "date" }))
    }

    /// Creates a field with a few possible texts.
    pub fn one_of(
        name: impl Into<String>,
        description: impl Into<String>,
        values: &[impl AsRef<str>],
    ) -> Self {
        let values: Vec<&str> = values.iter().map(AsRef::as_ref).collect();
        Self::new(name, description, json!({ "type": "string", "enum": values }))
    }

    /// Sets `examples` in the schema, of a member if the field holds lists. Models see them. Without
    /// examples, the schema has none.
    #[must_use]
    pub fn with_examples(mut self, examples: impl IntoIterator<Item = Value>) -> Self {
        let examples: Vec<Value> = examples.into_iter().collect();
        let schema = match self.schema.get_mut("items") {
            Some(items) => items,
            None => &mut self.schema,
        };
        if let Value::Object(schema) = schema {
            schema.remove("examples");
            if !examples.is_empty() {
                schema.insert("examples".to_owned(), Value::Array(examples));
            }
        }
        self
    }

    /// Sets the operators. Default: `Eq`.
    #[must_use]
    pub fn with_operators(mut self, operators: impl AsRef<[FilterOperator]>) -> Self {
        self.operators = operators.as_ref().to_vec();
        self
    }

    /// Sets all operators of the field's type, for searches that evaluate filters as
    /// [`Filter::matches`] does:
    ///
    /// | type | operators |
    /// |---|---|
    /// | `string` | `Eq`, `Ne`, `In`, `Contains`, `StartsWith`, `Exists` |
    /// | `string` of format `date-time` or `date` | `Eq`, `Ne`, `Lt`, `Le`, `Gt`, `Ge`, `In`, `Exists` |
    /// | `integer`, `number` | `Eq`, `Ne`, `Lt`, `Le`, `Gt`, `Ge`, `In`, `Exists` |
    /// | `boolean` | `Eq`, `Ne`, `Exists` |
    /// | `array` | `Eq`, `Ne`, `Contains`, `Exists` |
    /// | any other, or none | `Eq`, `Ne`, `In`, `Exists` |
    ///
    /// A nullable type counts as the type itself.
    #[must_use]
    pub fn with_all_operators(self) -> Self {
        let operators = operators_of_type(&self.schema);
        self.with_operators(operators)
    }

    /// Sets whether a search used as a tool offers the field to the model by default.
    #[must_use]
    pub fn offered_to_model(mut self, offered: bool) -> Self {
        self.offered_to_model = offered;
        self
    }
}

const fn is_offered() -> bool {
    true
}

impl Filter {
    /// Checks that each comparison uses one of `fields` and its operators.
    ///
    /// `And`, `Or` and `Not` belong to no field: a connector that lacks one refuses it itself.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::UnsupportedFilter`](crate::ErrorKind::UnsupportedFilter) for the first
    /// undeclared comparison in text order. For an unknown field, the error lists the known fields.
    ///
    /// ```
    /// use textsearch_core::{Filter, FilterableField, filter::FilterOperator};
    ///
    /// let fields = [FilterableField::string("site", "The site").with_operators([FilterOperator::Eq])];
    /// let error = Filter::ne("site", "docs.rs").check("brave", &fields).unwrap_err();
    /// assert_eq!(error.to_string(), "brave: cannot apply `ne` to `site`: expected eq");
    /// ```
    pub fn check(&self, connector: &str, fields: &[FilterableField]) -> Result<()> {
        self.comparisons().try_for_each(|(field, operator)| {
            match fields.iter().find(|declared| declared.name == field) {
                Some(declared) if declared.operators.contains(&operator) => Ok(()),
                Some(FilterableField { operators, .. }) => {
                    Err(Error::unsupported_filter(connector, field, operator, operators))
                }
                None => {
                    let known = fields.iter().map(|declared| declared.name.as_str());
                    Err(Error::unknown_filter_field(connector, field, operator, known))
                }
            }
        })
    }
}

fn operators_of_type(schema: &Value) -> &'static [FilterOperator] {
    use FilterOperator::{Contains, Eq, Exists, Ge, Gt, In, Le, Lt, Ne, StartsWith};

    match schema_type(schema) {
        Some("string") if is_date(schema) => &[Eq, Ne, Lt, Le, Gt, Ge, In, Exists],
        Some("string") => &[Eq, Ne, In, Contains, StartsWith, Exists],
        Some("integer" | "number") => &[Eq, Ne, Lt, Le, Gt, Ge, In, Exists],
        Some("boolean") => &[Eq, Ne, Exists],
        Some("array") => &[Eq, Ne, Contains, Exists],
        _ => &[Eq, Ne, In, Exists],
    }
}

fn schema_type(schema: &Value) -> Option<&str> {
    match schema.get("type")? {
        Value::String(name) => Some(name),
        Value::Array(names) => {
            let mut names = names.iter().filter_map(Value::as_str).filter(|name| *name != "null");
            names.next().filter(|_| names.next().is_none())
        }
        _ => None,
    }
}

fn is_date(schema: &Value) -> bool {
    matches!(schema.get("format").and_then(Value::as_str), Some("date-time" | "date"))
}
