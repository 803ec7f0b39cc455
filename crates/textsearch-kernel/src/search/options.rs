//! Options of a search function.

use std::sync::Arc;

use textsearch_core::{Filter, document::DocumentReader};

/// The name of a search plugin, and the options of its function.
///
/// They are read when the plugin is created; no call changes them. A string converts into options
/// with only a name.
///
/// ```
/// use textsearch_kernel::{search::SearchPluginOptions, textsearch_core::Filter};
///
/// let mut options = SearchPluginOptions::new("SearchPlugin")
///     .with_description("Searches the blogs of Microsoft's developers.")
///     .with_parameter_description("query", "What to look for in the blogs")
///     .with_fixed_filter(Filter::eq("site", "devblogs.microsoft.com"));
/// options.default_count = 5;
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct SearchPluginOptions {
    /// The plugin's name.
    pub plugin_name: String,
    /// The function's name; `None` for the default, such as `Search`.
    pub function_name: Option<String>,
    /// The function's description; `None` for the default.
    pub description: Option<String>,
    /// Descriptions of `query`, `count`, `skip`, and the parameters of offered fields, by name.
    pub parameter_descriptions: Vec<(String, String)>,
    /// The description of the return value; `None` for the default.
    pub return_description: Option<String>,
    /// The `count` of a call that omits it; 2 by default.
    pub default_count: usize,
    /// The maximum `count` of a call; 50 by default.
    pub max_count: usize,
    /// A condition that applies to every call, whatever its arguments; none by default.
    pub fixed_filter: Option<Filter>,
    /// The fields that a caller may filter on; by default those that the connector offers.
    pub offered_fields: OfferedFields,
    /// The entries of a result's `Metadata` to return; by default those without `error` in the
    /// name. Has no effect on `Search`, which returns only strings.
    pub shown_metadata: ShownMetadata,
    /// Whether the search reaches an open world, such as the web, and not only known data; `None` if
    /// unknown. MCP clients see it as a hint.
    pub is_open_world: Option<bool>,
    /// The documents behind the results; none by default.
    pub documents: Option<Arc<dyn DocumentReader>>,
}

/// The fields that a caller of a search function may filter on.
///
/// Each becomes optional parameters:
///
/// - The field's name tests for equality, with one value or, if the connector can, a list of up to
///   100. If the field holds a list, it tests whether the list contains the value.
/// - `field_min` and `field_max` set a smallest and a largest value.
///
/// Characters other than letters, digits and `_` become `_`. The connector's operators for the
/// field decide which parameters exist. A field with none is not offered by default, and listing it
/// is an error.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum OfferedFields {
    /// The fields that the connector offers to models by default.
    #[default]
    Default,
    /// No field.
    None,
    /// These fields, in this order.
    List(Vec<String>),
}

/// The entries of a result's `Metadata` that a search function returns.
///
/// A model may read them. The text of an error can reveal internals, such as an internal host.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum ShownMetadata {
    /// Every entry without `error` in the name, in any case.
    #[default]
    WithoutErrors,
    /// Every entry.
    All,
    /// No entry.
    None,
    /// The entries with these names.
    List(Vec<String>),
}

impl ShownMetadata {
    /// Selects the entries with these names.
    pub fn list(names: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self::List(names.into_iter().map(Into::into).collect())
    }

    pub(crate) fn shows(&self, name: &str) -> bool {
        match self {
            Self::WithoutErrors => !name.to_ascii_lowercase().contains("error"),
            Self::All => true,
            Self::None => false,
            Self::List(names) => names.iter().any(|shown| shown == name),
        }
    }
}

impl SearchPluginOptions {
    /// Creates the default options of the plugin called `plugin_name`.
    pub fn new(plugin_name: impl Into<String>) -> Self {
        Self {
            plugin_name: plugin_name.into(),
            function_name: None,
            description: None,
            parameter_descriptions: Vec::new(),
            return_description: None,
            default_count: 2,
            max_count: 50,
            fixed_filter: None,
            offered_fields: OfferedFields::Default,
            shown_metadata: ShownMetadata::default(),
            is_open_world: None,
            documents: None,
        }
    }

    /// Sets the function's name.
    #[must_use]
    pub fn with_function_name(mut self, name: impl Into<String>) -> Self {
        self.function_name = Some(name.into());
        self
    }

    /// Sets the function's description.
    #[must_use]
    pub fn with_description(mut self, description: impl Into<String>) -> Self {
        self.description = Some(description.into());
        self
    }

    /// Sets the description of the parameter called `parameter`.
    #[must_use]
    pub fn with_parameter_description(
        mut self,
        parameter: impl Into<String>,
        description: impl Into<String>,
    ) -> Self {
        self.parameter_descriptions.push((parameter.into(), description.into()));
        self
    }

    /// Adds a condition that applies to every call. A second condition narrows the first.
    #[must_use]
    pub fn with_fixed_filter(mut self, filter: Filter) -> Self {
        self.fixed_filter = Some(match self.fixed_filter {
            Some(fixed) => fixed.and(filter),
            None => filter,
        });
        self
    }

    /// Adds functions that read the documents behind the results, under the fixed filter:
    ///
    /// - `GetDocument` takes the `id` of a result, or its link if it has none, and an `offset`. It returns a
    ///   page of at most 8,000 bytes of the document's text.
    /// - `ListDocuments` takes `count` and `skip`.
    #[must_use]
    pub fn with_documents(mut self, documents: impl DocumentReader + 'static) -> Self {
        self.documents = Some(Arc::new(documents));
        self
    }

    /// Sets the fields that a caller may filter on.
    #[must_use]
    pub fn with_offered_fields(mut self, fields: OfferedFields) -> Self {
        self.offered_fields = fields;
        self
    }
}

impl From<&str> for SearchPluginOptions {
    fn from(plugin_name: &str) -> Self {
        Self::new(plugin_name)
    }
}

impl From<String> for SearchPluginOptions {
    fn from(plugin_name: String) -> Self {
        Self::new(plugin_name)
    }
}

impl OfferedFields {
    /// Selects these fields, in this order.
    pub fn list(names: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self::List(names.into_iter().map(Into::into).collect())
    }
}
