//! What an application can say of a search function when it makes one.

use textsearch_core::Filter;

/// How a search function is called and described, what it may find, and what a caller may ask of it.
///
/// Options are read when the function is made, and never changed by a call.
///
/// ```
/// use textsearch_kernel::{search::SearchFunctionOptions, textsearch_core::Filter};
///
/// let options = SearchFunctionOptions::new()
///     .with_description("Searches the blogs of Microsoft's developers.")
///     .with_parameter_description("query", "What to look for in the blogs")
///     .with_fixed_filter(Filter::eq("site", "devblogs.microsoft.com"))
///     .with_default_count(5);
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct SearchFunctionOptions {
    /// The function's name; the one of its kind if `None`, such as `Search`.
    pub name: Option<String>,
    /// What the function does; a text of its kind if `None`.
    pub description: Option<String>,
    /// What parameters mean, by name: `query`, `count`, `skip`, and the parameters of offered
    /// fields.
    pub parameter_descriptions: Vec<(String, String)>,
    /// What the function returns; a text of its kind if `None`.
    pub return_description: Option<String>,
    /// The number of results where a call does not give it; 2 by default.
    pub default_count: usize,
    /// The largest number of results that a call may ask for; 50 by default.
    pub max_count: usize,
    /// A condition that holds for every call, whatever the call says; none by default.
    pub fixed_filter: Option<Filter>,
    /// The fields that a caller may filter on; those that the connector offers by default.
    pub offered_fields: OfferedFields,
    /// The entries of a result's `Metadata` that the function returns; those without errors by
    /// default.
    pub shown_metadata: ShownMetadata,
}

/// The fields that a caller of a search function may filter on.
///
/// Each becomes optional parameters: equality is the field's name, which also takes a list of up to 100 values where the
/// connector can compare with several; a smallest and a largest value are `field_min` and `field_max`; and a field that holds a
/// list is asked for one of its values. Characters other than letters, digits and `_` become `_`. Which of them there
/// are is what the connector's operators for the field say; one that has only others is not offered.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum OfferedFields {
    /// Those that the connector offers to models by default.
    #[default]
    Default,
    /// None.
    None,
    /// These, in this order.
    List(Vec<String>),
}

/// The entries in the `Metadata` of a result that a search function returns.
///
/// A model may read these entries. The text of an error can reveal internals, such as the address of an internal host.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum ShownMetadata {
    /// Every entry except those with `error` in the name, in any case.
    #[default]
    WithoutErrors,
    /// Every entry.
    All,
    /// No entry.
    None,
    /// The entries of these names.
    List(Vec<String>),
}

impl ShownMetadata {
    /// The entries of these names.
    pub fn list(names: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self::List(names.into_iter().map(Into::into).collect())
    }

    /// Whether the entry `name` is returned.
    pub(crate) fn shows(&self, name: &str) -> bool {
        match self {
            Self::WithoutErrors => !name.to_ascii_lowercase().contains("error"),
            Self::All => true,
            Self::None => false,
            Self::List(names) => names.iter().any(|shown| shown == name),
        }
    }
}

impl SearchFunctionOptions {
    /// The defaults: 2 results, at most 50, no fixed filter, and the fields that the connector offers.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the function's name.
    #[must_use]
    pub fn with_name(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// Sets what the function is said to do.
    #[must_use]
    pub fn with_description(mut self, description: impl Into<String>) -> Self {
        self.description = Some(description.into());
        self
    }

    /// Sets what `parameter` is said to mean: `query`, `count`, `skip`, or the parameter of an offered field.
    #[must_use]
    pub fn with_parameter_description(
        mut self,
        parameter: impl Into<String>,
        description: impl Into<String>,
    ) -> Self {
        self.parameter_descriptions.push((parameter.into(), description.into()));
        self
    }

    /// Sets what the function is said to return.
    #[must_use]
    pub fn with_return_description(mut self, description: impl Into<String>) -> Self {
        self.return_description = Some(description.into());
        self
    }

    /// Sets the number of results where a call does not give it; 2 otherwise.
    #[must_use]
    pub fn with_default_count(mut self, count: usize) -> Self {
        self.default_count = count;
        self
    }

    /// Sets the largest number of results that a call may ask for; 50 otherwise.
    #[must_use]
    pub fn with_max_count(mut self, count: usize) -> Self {
        self.max_count = count;
        self
    }

    /// Adds a condition that holds for every call, whatever the call says: a second one narrows the first.
    #[must_use]
    pub fn with_fixed_filter(mut self, filter: Filter) -> Self {
        self.fixed_filter = Some(match self.fixed_filter {
            Some(fixed) => fixed.and(filter),
            None => filter,
        });
        self
    }

    /// Sets the fields that a caller may filter on.
    #[must_use]
    pub fn with_offered_fields(mut self, fields: OfferedFields) -> Self {
        self.offered_fields = fields;
        self
    }

    /// Sets which entries of a result's `Metadata` the function returns; otherwise every entry except those with `error`
    /// in the name.
    ///
    /// It holds for every caller of the function. It has no effect on `Search`, which returns texts alone.
    #[must_use]
    pub fn with_shown_metadata(mut self, shown: ShownMetadata) -> Self {
        self.shown_metadata = shown;
        self
    }
}

impl Default for SearchFunctionOptions {
    fn default() -> Self {
        Self {
            name: None,
            description: None,
            parameter_descriptions: Vec::new(),
            return_description: None,
            default_count: 2,
            max_count: 50,
            fixed_filter: None,
            offered_fields: OfferedFields::Default,
            shown_metadata: ShownMetadata::default(),
        }
    }
}

impl OfferedFields {
    /// These fields, in this order.
    pub fn list(names: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self::List(names.into_iter().map(Into::into).collect())
    }
}
