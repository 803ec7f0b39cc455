//! Any text search as a plugin, in one line, and its functions one by one.

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

/// Makes plugins and functions of a text search that templates and models can call: implemented for every text search
/// that can be cloned, `Arc<dyn TextSearch>` included.
///
/// # The functions
///
/// - Each takes `query` (required), `count` (2 by default, 1 to 50) and `skip` (0 by default), and the fields that are
///   [offered](SearchFunctionOptions::with_offered_fields). What they mean and allow is in their schemas.
/// - An empty query gives an empty list, and nothing is searched.
/// - A bad argument is an error for that call that says what is allowed. Nothing that a call passes is remembered by
///   the next, and nothing widens the [fixed filter](SearchFunctionOptions::with_fixed_filter).
/// - A search that fails is [`FunctionFailed`](crate::KernelError::FunctionFailed) with the search's own error behind
///   [`search_error`](crate::KernelError::search_error).
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
    /// A plugin with the function `Search`, which returns a list of texts.
    ///
    /// # Errors
    ///
    /// Those of [`create_search`](Self::create_search), and of [`KernelPlugin::new`].
    fn create_with_search(&self, plugin_name: &str) -> Result<KernelPlugin> {
        self.create_with_search_options(plugin_name, SearchFunctionOptions::new())
    }

    /// Like [`create_with_search`](Self::create_with_search), with options for the function.
    ///
    /// # Errors
    ///
    /// As for [`create_with_search`](Self::create_with_search).
    fn create_with_search_options(
        &self,
        plugin_name: &str,
        options: SearchFunctionOptions,
    ) -> Result<KernelPlugin> {
        plugin(self, plugin_name, self.create_search(options)?)
    }

    /// A plugin with the function `GetSearchResults`, which returns a list of results with `Name`, `Value` and `Link`.
    ///
    /// # Errors
    ///
    /// As for [`create_with_search`](Self::create_with_search).
    fn create_with_get_search_results(&self, plugin_name: &str) -> Result<KernelPlugin> {
        self.create_with_get_search_results_options(plugin_name, SearchFunctionOptions::new())
    }

    /// Like [`create_with_get_search_results`](Self::create_with_get_search_results), with options for the function.
    ///
    /// # Errors
    ///
    /// As for [`create_with_search`](Self::create_with_search).
    fn create_with_get_search_results_options(
        &self,
        plugin_name: &str,
        options: SearchFunctionOptions,
    ) -> Result<KernelPlugin> {
        plugin(self, plugin_name, self.create_get_search_results(options)?)
    }

    /// The same under Semantic Kernel's later name for the function, `GetTextSearchResults`.
    ///
    /// # Errors
    ///
    /// As for [`create_with_search`](Self::create_with_search).
    fn create_with_get_text_search_results(&self, plugin_name: &str) -> Result<KernelPlugin> {
        self.create_with_get_text_search_results_options(plugin_name, SearchFunctionOptions::new())
    }

    /// Like [`create_with_get_text_search_results`](Self::create_with_get_text_search_results), with options for the
    /// function.
    ///
    /// # Errors
    ///
    /// As for [`create_with_search`](Self::create_with_search).
    fn create_with_get_text_search_results_options(
        &self,
        plugin_name: &str,
        options: SearchFunctionOptions,
    ) -> Result<KernelPlugin> {
        plugin(self, plugin_name, self.create_get_text_search_results(options)?)
    }

    /// A plugin with one function of the name `function_name`, such as `GetBingWebPages`, which returns a list of the
    /// connector's own records.
    ///
    /// # Errors
    ///
    /// As for [`create_with_search`](Self::create_with_search).
    fn create_with_records(&self, plugin_name: &str, function_name: &str) -> Result<KernelPlugin> {
        self.create_with_records_options(plugin_name, function_name, SearchFunctionOptions::new())
    }

    /// Like [`create_with_records`](Self::create_with_records), with options for the function.
    ///
    /// # Errors
    ///
    /// As for [`create_with_search`](Self::create_with_search).
    fn create_with_records_options(
        &self,
        plugin_name: &str,
        function_name: &str,
        options: SearchFunctionOptions,
    ) -> Result<KernelPlugin> {
        plugin(self, plugin_name, self.create_records(function_name, options)?)
    }

    /// The function `Search`, which returns a list of texts.
    ///
    /// # Errors
    ///
    /// [`InvalidFunction`](crate::KernelError::InvalidFunction) where the counts contradict each other, a description
    /// is for a parameter that there is not, or the connector cannot hold the fixed filter;
    /// [`InvalidName`](crate::KernelError::InvalidName) where an offered field is not one of the connector's, or its
    /// parameter has the name of another.
    fn create_search(&self, options: SearchFunctionOptions) -> Result<KernelFunction> {
        create(self, Kind::Texts, "Search", options)
    }

    /// The function `GetSearchResults`, which returns a list of results with `Name`, `Value` and `Link`.
    ///
    /// # Errors
    ///
    /// As for [`create_search`](Self::create_search).
    fn create_get_search_results(&self, options: SearchFunctionOptions) -> Result<KernelFunction> {
        create(self, Kind::Results, "GetSearchResults", options)
    }

    /// The same under Semantic Kernel's later name, `GetTextSearchResults`.
    ///
    /// # Errors
    ///
    /// As for [`create_search`](Self::create_search).
    fn create_get_text_search_results(
        &self,
        options: SearchFunctionOptions,
    ) -> Result<KernelFunction> {
        create(self, Kind::Results, "GetTextSearchResults", options)
    }

    /// A function of the name `function_name` that returns a list of the connector's own records.
    ///
    /// # Errors
    ///
    /// As for [`create_search`](Self::create_search).
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
    let description = ["Searches with ", search.connector_name(), "."].concat();
    KernelPlugin::new(plugin_name, description, [function])
}

/// The schema of a list of what `items` describes.
fn list_of(items: Value) -> Value {
    json!({ "type": "array", "items": items })
}
