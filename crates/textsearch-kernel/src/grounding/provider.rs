//! A context provider: search results for each turn of a chat.

use std::sync::Arc;

use serde_json::{Value, json};
use textsearch_core::{
    Error, TextSearch, TextSearchResult,
    chat::{ChatHistory, ChatMessage, ChatRole},
};

use super::{GroundingOptions, search::Grounding};
use crate::{
    KernelFunction, Result,
    citations::Sources,
    function::{FunctionMetadata, Invocation, ParameterMetadata},
    text::without_context,
    transform::Transformed,
};

/// When a [`TextSearchProvider`] searches.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum TextSearchBehavior {
    /// In each turn, before the first request to the model.
    #[default]
    BeforeAiInvoke,
    /// When the model calls a function.
    OnDemandFunctionCalling,
}

/// Grounds the turns of a chat in search results, as Semantic Kernel's and Agent Framework's
/// `TextSearchProvider` do.
///
/// Add it to the execution settings of [`Kernel::chat`](crate::Kernel::chat) or a prompt. Each call
/// of these is a turn.
///
/// # Behavior
///
/// [Before the first request](TextSearchBehavior::BeforeAiInvoke) of a turn, the default:
///
/// - The query is the text of the last user message, or of
///   [more](Self::with_recent_messages), or [made](Self::from_transformed) from the conversation. Only
///   its last 2,000 characters are searched for.
/// - The results come at the beginning of the last user message, one JSON object per line, in every
///   request of the turn. They are **not in the history** that the run returns: a chat stores no
///   results, and the next turn searches again.
/// - The results are the run's [`sources`](crate::chat::ChatRun::sources). Results of functions
///   count on from their numbers.
/// - Without results, or without a user message, the turn is as without the provider.
/// - A failed search fails the turn before any request, unless
///   [`continue_on_error`](GroundingOptions::continue_on_error) is set.
///
/// [On demand](TextSearchBehavior::OnDemandFunctionCalling), the model gets a function that takes a
/// query. The options apply to its results, except prompts and formatter. The function is offered
/// even if the settings offer no other, and a failed search is the function's failure.
///
/// ```
/// use textsearch_kernel::{
///     Kernel, Result, grounding::{GroundingOptions, TextSearchProvider}, prompt::ExecutionSettings,
///     textsearch_core::{TextSearch, chat::{ChatHistory, ChatMessage}},
/// };
///
/// async fn chat(kernel: &Kernel, search: impl TextSearch + 'static, questions: &[&str]) -> Result<()> {
///     let provider = TextSearchProvider::new(search, GroundingOptions::new())?.with_recent_messages(2);
///     let settings = ExecutionSettings::new().with_context_provider(provider);
///     let mut history = ChatHistory::new();
///     for question in questions {
///         history.push(ChatMessage::user(*question));
///         let outcome = kernel.chat(history, settings.clone()).await?;
///         println!("{}", outcome.answer()?);
///         history = outcome.run.history;
///     }
///     Ok(())
/// }
/// ```
#[derive(Debug, Clone)]
pub struct TextSearchProvider {
    grounding: Grounding,
    behavior: TextSearchBehavior,
    recent_messages: usize,
    function_name: String,
    function_description: String,
}

impl TextSearchProvider {
    /// Creates a provider that searches before the first request of a turn.
    ///
    /// # Errors
    ///
    /// Returns [`Search`](crate::KernelError::Search) if an option is out of range, or the search
    /// cannot apply the fixed filter.
    pub fn new(search: impl TextSearch + 'static, options: GroundingOptions) -> Result<Self> {
        Ok(Self::from_grounding(Grounding::new(Arc::new(search), options)?))
    }

    /// Creates a provider whose queries are made from the conversation: the question is the last user
    /// message, and the messages before it are the history of `search`.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`new`](Self::new), and [`Search`](crate::KernelError::Search) if the
    /// options have a minimum score: scores of several queries are fused.
    pub fn from_transformed(search: Transformed, options: GroundingOptions) -> Result<Self> {
        Ok(Self::from_grounding(Grounding::transformed(search, options)?))
    }

    pub(super) fn from_grounding(grounding: Grounding) -> Self {
        Self {
            grounding,
            behavior: TextSearchBehavior::default(),
            recent_messages: 1,
            function_name: "Search".to_owned(),
            function_description: "Search for more information to answer the user's question."
                .to_owned(),
        }
    }

    /// Sets when the provider searches.
    #[must_use]
    pub fn with_behavior(mut self, behavior: TextSearchBehavior) -> Self {
        self.behavior = behavior;
        self
    }

    /// Sets how many of the last user messages form the query, oldest first; 1 otherwise, and at
    /// least 1. Ignored for a [transformed](Self::from_transformed) search, which gets all messages.
    #[must_use]
    pub fn with_recent_messages(mut self, messages: usize) -> Self {
        self.recent_messages = messages;
        self
    }

    /// Sets the name of the function for a search on demand; `Search` otherwise.
    #[must_use]
    pub fn with_function_name(mut self, name: impl Into<String>) -> Self {
        self.function_name = name.into();
        self
    }

    /// Sets the description of the function for a search on demand. It tells the model which documents the search has.
    #[must_use]
    pub fn with_function_description(mut self, description: impl Into<String>) -> Self {
        self.function_description = description.into();
        self
    }

    pub(crate) fn is_on_demand(&self) -> bool {
        self.behavior == TextSearchBehavior::OnDemandFunctionCalling
    }

    /// `by_filters` is what filters of the prompt put before the last user message.
    pub(crate) async fn find_for(
        &self,
        history: &ChatHistory,
        by_filters: &str,
    ) -> Result<Vec<TextSearchResult>, Error> {
        let messages = history.messages();
        let is_user = |message: &&ChatMessage| message.role == ChatRole::User;
        let last = messages.iter().rposition(|message| is_user(&message)).unwrap_or_default();
        let (before, _) = messages.split_at(last);
        let count = if self.grounding.follows_conversation() { 1 } else { self.recent_messages };
        let users = messages.iter().rev().filter(is_user);
        let mut texts: Vec<String> =
            users.take(count.max(1)).map(|message| message.text()).collect();
        if let Some(last) = texts.first_mut() {
            *last = without_context(last, by_filters).to_owned();
        }
        texts.reverse();
        self.grounding.find_or_continue(before, &texts.join("\n")).await
    }

    pub(crate) fn context(
        &self,
        results: Vec<TextSearchResult>,
        sources: &mut Sources,
    ) -> Option<String> {
        self.grounding.context(results, sources)
    }

    /// The function for a search on demand.
    pub(crate) fn function(&self) -> Result<KernelFunction> {
        let query = json!({ "type": "string" });
        let results = json!({ "type": "array", "items": { "type": "object" } });
        let mut metadata = FunctionMetadata::new(&self.function_name, &self.function_description)
            .with_parameter(ParameterMetadata::required("query", "What to search for", query))
            .with_return("The results found, best first.", results);
        metadata.read_only = Some(true);
        let grounding = self.grounding.clone();
        KernelFunction::new(metadata, move |Invocation { arguments, .. }| {
            let grounding = grounding.clone();
            async move {
                let query = arguments.get("query").and_then(Value::as_str).unwrap_or_default();
                Ok(grounding.values(grounding.find(query).await?))
            }
        })
    }
}
