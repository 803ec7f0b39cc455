//! Turns any text search into plugins and functions.

mod fields;
mod function;
mod options;
mod values;

use std::sync::Arc;

use serde_json::{Value, json};
use textsearch_core::TextSearch;

use self::function::{Kind, SearchFunction};
pub use self::options::{OfferedFields, SearchFunctionOptions, ShownMetadata};
use crate::{KernelFunction, KernelPlugin, Result};

/// Creates plugins and functions from any text search that can be cloned, including `Arc<dyn
/// TextSearch>`.
///
/// # The functions
///
/// - Each takes `query` (required), `count` (2 by default, 1 to 50), `skip` (0 by default), and the
///   [offered](SearchFunctionOptions::with_offered_fields) fields.
/// - An empty query returns an empty list without searching.
/// - A bad argument fails that call with an error that says what is allowed. No call sees another's
///   arguments or can widen the [fixed filter](SearchFunctionOptions::with_fixed_filter).
/// - A failed search returns [`FunctionFailed`](crate::KernelError::FunctionFailed), with the
///   search's own error in [`search_error`](crate::KernelError::search_error).
///
/// ```
/// use textsearch_kernel::{
///     Kernel, KernelArguments, TextSearchPlugins, textsearch_core::{FixedSearch, TextSearchResult},
/// };
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> textsearch_kernel::Result<()> {
/// let search = FixedSearch::new([TextSearchResult::new("A connector is a crate for one backend.")]);
/// let mut kernel = Kernel::new();
/// kernel.add_plugin(search.create_with_search("SearchPlugin")?)?;
///
/// let arguments = KernelArguments::new().with("query", "What is a connector?");
/// let result = kernel.invoke("SearchPlugin", "Search", arguments).await?;
/// assert_eq!(result.text(), "A connector is a crate for one backend.");
/// # Ok(())
/// # }
/// ```
pub trait TextSearchPlugins: TextSearch + Clone + Sized + 'static {
    /// Creates a plugin with the function `Search`, which returns a list of strings.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`create_search`](Self::create_search) and [`KernelPlugin::new`].
    fn create_with_search(&self, plugin_name: &str) -> Result<KernelPlugin> {
        self.create_with_search_options(plugin_name, SearchFunctionOptions::new())
    }

    /// Like [`create_with_search`](Self::create_with_search), with options.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`create_with_search`](Self::create_with_search).
    fn create_with_search_options(
        &self,
        plugin_name: &str,
        options: SearchFunctionOptions,
    ) -> Result<KernelPlugin> {
        plugin(self, plugin_name, self.create_search(options)?)
    }

    /// Creates a plugin with the function `GetSearchResults`, which returns results with `Name`,
    /// `Value` and `Link`.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`create_with_search`](Self::create_with_search).
    fn create_with_get_search_results(&self, plugin_name: &str) -> Result<KernelPlugin> {
        self.create_with_get_search_results_options(plugin_name, SearchFunctionOptions::new())
    }

    /// Like [`create_with_get_search_results`](Self::create_with_get_search_results), with options.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`create_with_search`](Self::create_with_search).
    fn create_with_get_search_results_options(
        &self,
        plugin_name: &str,
        options: SearchFunctionOptions,
    ) -> Result<KernelPlugin> {
        plugin(self, plugin_name, self.create_get_search_results(options)?)
    }

    /// Like [`create_with_get_search_results`](Self::create_with_get_search_results), with Semantic
    /// Kernel's later name `GetTextSearchResults`.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`create_with_search`](Self::create_with_search).
    fn create_with_get_text_search_results(&self, plugin_name: &str) -> Result<KernelPlugin> {
        self.create_with_get_text_search_results_options(plugin_name, SearchFunctionOptions::new())
    }

    /// Like [`create_with_get_text_search_results`](Self::create_with_get_text_search_results),
    /// with options.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`create_with_search`](Self::create_with_search).
    fn create_with_get_text_search_results_options(
        &self,
        plugin_name: &str,
        options: SearchFunctionOptions,
    ) -> Result<KernelPlugin> {
        plugin(self, plugin_name, self.create_get_text_search_results(options)?)
    }

    /// Creates a plugin with the function `function_name`, such as `GetBingWebPages`, which returns
    /// the connector's own records.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`create_with_search`](Self::create_with_search).
    fn create_with_records(&self, plugin_name: &str, function_name: &str) -> Result<KernelPlugin> {
        self.create_with_records_options(plugin_name, function_name, SearchFunctionOptions::new())
    }

    /// Like [`create_with_records`](Self::create_with_records), with options.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`create_with_search`](Self::create_with_search).
    fn create_with_records_options(
        &self,
        plugin_name: &str,
        function_name: &str,
        options: SearchFunctionOptions,
    ) -> Result<KernelPlugin> {
        plugin(self, plugin_name, self.create_records(function_name, options)?)
    }

    /// Creates the function `Search`, which returns a list of strings.
    ///
    /// # Errors
    ///
    /// Returns [`InvalidFunction`](crate::KernelError::InvalidFunction) if the counts contradict
    /// each other, a description names an unknown parameter, or the connector cannot apply the
    /// fixed filter. Returns [`InvalidName`](crate::KernelError::InvalidName) if the connector
    /// lacks an offered field, or can compare it neither with a value nor with a range, or if two
    /// parameters have the same name.
    fn create_search(&self, options: SearchFunctionOptions) -> Result<KernelFunction> {
        create(self, Kind::Texts, "Search", options)
    }

    /// Creates the function `GetSearchResults`, which returns results with `Name`, `Value` and
    /// `Link`.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`create_search`](Self::create_search).
    fn create_get_search_results(&self, options: SearchFunctionOptions) -> Result<KernelFunction> {
        create(self, Kind::Results, "GetSearchResults", options)
    }

    /// Like [`create_get_search_results`](Self::create_get_search_results), with Semantic Kernel's
    /// later name `GetTextSearchResults`.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`create_search`](Self::create_search).
    fn create_get_text_search_results(
        &self,
        options: SearchFunctionOptions,
    ) -> Result<KernelFunction> {
        create(self, Kind::Results, "GetTextSearchResults", options)
    }

    /// Creates the function `function_name`, which returns the connector's own records.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`create_search`](Self::create_search).
    fn create_records(
        &self,
        function_name: &str,
        options: SearchFunctionOptions,
    ) -> Result<KernelFunction> {
        create(self, Kind::Records, function_name, options)
    }
}

impl<S: TextSearch + Clone + 'static> TextSearchPlugins for S {}

fn create<S: TextSearch + Clone + 'static>(
    search: &S,
    kind: Kind,
    name: &str,
    options: SearchFunctionOptions,
) -> Result<KernelFunction> {
    let search: Arc<dyn TextSearch> = Arc::new(search.clone());
    SearchFunction::create(search, kind, name, options)
}

fn plugin(
    search: &impl TextSearch,
    plugin_name: &str,
    function: KernelFunction,
) -> Result<KernelPlugin> {
    let description = ["Searches with ", search.name(), "."].concat();
    KernelPlugin::new(plugin_name, description, [function])
}

fn list_of(items: Value) -> Value {
    json!({ "type": "array", "items": items })
}
