//! Calls by models outside a chat of the kernel.

use serde_json::Value;
use textsearch_core::chat::ToolCall;

use super::{CallError, OfferedFunctions, budget, tool_message};
use crate::{Kernel, function::FunctionResult, kernel::tool_arguments};

/// The result of a call, as a model may read it.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ToolAnswer {
    /// The value without control characters. If it was cut, an object: the cut value as `result`,
    /// and `truncated`.
    pub value: Value,
    /// The value as text: a string as it is, anything else as JSON.
    pub text: String,
    /// Whether the value was cut to the maximum length.
    pub truncated: bool,
    /// The complete result, for the application.
    pub result: FunctionResult,
}

impl Kernel {
    /// Runs a call of a model that runs outside this program, such as the model of an MCP client,
    /// and returns only what that model may read.
    ///
    /// `max_characters` is the maximum length of the result, in characters of JSON. Function
    /// filters apply; chat filters don't.
    ///
    /// # Errors
    ///
    /// Returns a [`CallError`] whose message explains the model's own mistakes and hides internal
    /// failures. Its source has the details.
    ///
    /// ```
    /// use textsearch_kernel::{
    ///     Kernel, TextSearchPlugins, chat::{CallErrorKind, FunctionChoiceBehavior},
    ///     textsearch_core::{FixedSearch, TextSearchResult, chat::ToolCall},
    /// };
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> textsearch_kernel::Result<()> {
    /// let search = FixedSearch::new([TextSearchResult::new("A\u{7} text.")]);
    /// let mut kernel = Kernel::new();
    /// kernel.add_plugin(search.create_with_search("Docs")?)?;
    /// let offered = kernel.offered_functions(&FunctionChoiceBehavior::auto())?;
    ///
    /// let call = ToolCall::new("1", "Docs-Search", r#"{"query": "text"}"#);
    /// let answer = kernel.answer_call(&call, &offered, 16_000).await.unwrap();
    /// assert_eq!(answer.text, r#"["A text."]"#);
    ///
    /// let call = ToolCall::new("2", "Docs-Delete", "{}");
    /// let error = kernel.answer_call(&call, &offered, 16_000).await.unwrap_err();
    /// assert_eq!(error.kind, CallErrorKind::UnknownFunction);
    /// # Ok(())
    /// # }
    /// ```
    pub async fn answer_call(
        &self,
        call: &ToolCall,
        offered: &OfferedFunctions,
        max_characters: usize,
    ) -> Result<ToolAnswer, CallError> {
        let function = offered.find(&call.name).map_err(CallError::unknown_function)?;
        let name = || function.metadata().qualified_name();
        let arguments = tool_arguments(function, &call.arguments)
            .map_err(|error| CallError::from_error(error, &name(), |_| true))?;
        let called = self.call(function, arguments.clone().into(), Some(&call.id)).await;
        let result = called.map_err(|error| {
            tool_message::call_error(self, function, arguments, error, |_| true)
        })?;
        let value = tool_message::cleaned(&result.value);
        let fitted = budget::fit(&value, max_characters);
        let truncated = fitted.cut.is_some();
        Ok(ToolAnswer { value: fitted.cut.unwrap_or(value), text: fitted.text, truncated, result })
    }
}
