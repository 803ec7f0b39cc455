//! Functions: metadata, return values, call filters, and manuals for models.

mod check;
mod field_order;
mod filter;
mod json_type;
mod manual;
mod metadata;
mod prepare;
mod search_records;
mod typed;
mod value;

pub(crate) use self::{check::ValueCheck, filter::run_filtered, json_type::describe_type};
pub use self::{
    filter::{FunctionInvocationContext, FunctionInvocationFilter, Next},
    manual::{functions_manual, openai_tools, tool_definitions},
    metadata::{FunctionMetadata, ParameterMetadata, ReturnMetadata},
    search_records::SearchRecords,
    typed::NoArguments,
    value::FunctionValue,
};
pub use crate::{
    read::{ReadError, read_value},
    text::value_to_text,
};

use std::{borrow::Cow, fmt, sync::Arc};

use futures_util::future::{BoxFuture, FutureExt};
use serde::de::DeserializeOwned;
use serde_json::Value;
use textsearch_core::results::Metadata;

use crate::{Kernel, KernelArguments, KernelError, Result};

/// A function for templates, models and applications.
///
/// Cheap to clone. [`Kernel::invoke_function`] calls it through the kernel's filters.
#[derive(Clone)]
pub struct KernelFunction {
    metadata: Arc<FunctionMetadata>,
    implementation: Arc<Implementation>,
}

/// Shared by the clones in different plugins.
struct Implementation {
    body: Box<Body>,
    // One per parameter, in order: each schema is parsed once.
    checks: Vec<ValueCheck>,
}

type Body = dyn Fn(Invocation) -> BoxFuture<'static, Result<Returned>> + Send + Sync;

pub(crate) struct Returned {
    pub(crate) value: FunctionValue,
    pub(crate) metadata: Metadata,
}

/// The input of a function's body.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Invocation {
    /// The kernel that calls the function.
    pub kernel: Kernel,
    /// The function that is called.
    pub function: Arc<FunctionMetadata>,
    /// The declared arguments, with defaults filled in and checked against the parameters.
    pub arguments: KernelArguments,
}

/// The result of a function call.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct FunctionResult {
    /// The function that returned it.
    pub function: Arc<FunctionMetadata>,
    /// The value.
    pub value: FunctionValue,
    /// Metadata about the value, such as the cost of a prompt's answer.
    pub metadata: Metadata,
}

impl KernelFunction {
    /// Creates a function that runs `body` and is described only by `metadata`.
    ///
    /// # Errors
    ///
    /// Returns [`InvalidName`](crate::KernelError::InvalidName) if the name has characters outside
    /// `[0-9A-Za-z_-]`, a parameter's name is not 1 to 64 characters of `[0-9A-Za-z_.-]`, or two
    /// parameters have the same name.
    pub fn new<B, F>(metadata: FunctionMetadata, body: B) -> Result<Self>
    where
        B: Fn(Invocation) -> F + Send + Sync + 'static,
        F: Future<Output = Result<Value>> + Send + 'static,
    {
        Self::with_returned(metadata, move |invocation| {
            let running = body(invocation);
            async move { running.await.map(Returned::from) }
        })
    }

    pub(crate) fn with_returned<B, F>(metadata: FunctionMetadata, body: B) -> Result<Self>
    where
        B: Fn(Invocation) -> F + Send + Sync + 'static,
        F: Future<Output = Result<Returned>> + Send + 'static,
    {
        metadata.validate()?;
        let schemas = metadata.parameters.iter().map(|parameter| &parameter.schema);
        let implementation = Implementation {
            body: Box::new(move |invocation| body(invocation).boxed()),
            checks: schemas.map(ValueCheck::of_schema).collect(),
        };
        Ok(Self { metadata: Arc::new(metadata), implementation: Arc::new(implementation) })
    }

    /// Returns the function's metadata.
    pub fn metadata(&self) -> &Arc<FunctionMetadata> {
        &self.metadata
    }

    /// Returns the function's name, without its plugin's.
    pub fn name(&self) -> &str {
        &self.metadata.name
    }

    /// Sets the description of the return value, instead of the doc comment of its type.
    #[must_use]
    pub fn with_return_description(mut self, description: impl Into<String>) -> Self {
        Arc::make_mut(&mut self.metadata).return_parameter.description = description.into();
        self
    }

    pub(crate) fn into_plugin(mut self, plugin_name: &str) -> Self {
        Arc::make_mut(&mut self.metadata).plugin_name = Some(plugin_name.to_owned());
        self
    }

    /// Bypasses the filters.
    pub(crate) async fn run(&self, kernel: Kernel, arguments: KernelArguments) -> Result<Returned> {
        let arguments = self.prepare(arguments)?;
        let function = Arc::clone(&self.metadata);
        let running = (self.implementation.body)(Invocation { kernel, function, arguments });
        running.await.map_err(|error| match error {
            KernelError::Search(error) => {
                KernelError::failed(self.metadata.qualified_name(), error)
            }
            error => error,
        })
    }
}

impl<V: Into<FunctionValue>> From<V> for Returned {
    fn from(value: V) -> Self {
        Self { value: value.into(), metadata: Metadata::new() }
    }
}

impl FunctionResult {
    /// Returns the value as prompt text: see [`value_to_text`].
    pub fn text(&self) -> Cow<'_, str> {
        self.value.text()
    }

    /// Reads the value as a `T`.
    ///
    /// The value of a prompt without an output schema is a text: for a type, use
    /// [`invoke_prompt_as`](Kernel::invoke_prompt_as).
    ///
    /// # Errors
    ///
    /// Returns [`WrongType`](KernelError::WrongType) if the value is no `T`; it names the function
    /// and the wrong part.
    ///
    /// ```
    /// use textsearch_kernel::prelude::*;
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> textsearch_kernel::Result<()> {
    /// let search = FixedSearch::new([TextSearchResult::new("A text.").with_name("Page")]);
    /// let mut kernel = Kernel::new();
    /// kernel.add_plugin(search.create_with_get_search_results("Docs")?)?;
    ///
    /// let arguments = KernelArguments::new().with("query", "text");
    /// let value = kernel.invoke("Docs", "GetSearchResults", arguments).await?;
    /// let results: Vec<TextSearchResult> = value.result()?;
    /// assert_eq!(results[0].name.as_deref(), Some("Page"));
    /// # Ok(())
    /// # }
    /// ```
    pub fn result<T: DeserializeOwned>(&self) -> Result<T> {
        read_value(&self.value.to_json()).map_err(|source| KernelError::WrongType {
            function: self.function.qualified_name(),
            source,
        })
    }
}

impl fmt::Debug for KernelFunction {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("KernelFunction")
            .field("metadata", &self.metadata)
            .finish_non_exhaustive()
    }
}
