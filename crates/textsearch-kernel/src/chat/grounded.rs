//! The search results that context providers add to the requests of a run.

use std::{borrow::Cow, sync::Arc};

use futures_util::future::try_join_all;
use textsearch_core::chat::{ChatHistory, ChatMessage, ChatRole, MessagePart};

use crate::{Result, citations::Sources, grounding::TextSearchProvider};

/// A text for the requests, which the history does not store: it would pile up turn after turn.
#[derive(Default)]
pub(super) struct Grounded {
    context: String,
    /// The position of the last user message.
    question: usize,
}

impl Grounded {
    /// Searches with all providers concurrently.
    pub(super) async fn find(
        providers: &[Arc<TextSearchProvider>],
        history: &ChatHistory,
        sources: &mut Sources,
    ) -> Result<Self> {
        let is_user = |message: &ChatMessage| message.role == ChatRole::User;
        let Some(question) = history.messages().iter().rposition(is_user) else {
            return Ok(Self::default());
        };
        let found =
            try_join_all(providers.iter().map(|provider| provider.find_for(history))).await?;
        let mut contexts = Vec::with_capacity(providers.len());
        for (provider, found) in providers.iter().zip(found) {
            contexts.extend(provider.context(found, sources));
        }
        Ok(Self { context: contexts.join("\n\n"), question })
    }

    /// Puts the context at the beginning of the question, not into a message of its own: some models
    /// refuse two messages of the user in a row.
    pub(super) fn with_context<'h>(&self, history: &'h ChatHistory) -> Cow<'h, ChatHistory> {
        if self.context.is_empty() {
            return Cow::Borrowed(history);
        }
        let mut messages = history.messages().to_vec();
        if let Some(message) = messages.get_mut(self.question) {
            match message.parts.first_mut() {
                Some(MessagePart::Text { text }) => {
                    *text = [self.context.as_str(), "\n\n", text].concat();
                }
                _ => message.parts.insert(0, MessagePart::Text { text: self.context.clone() }),
            }
        }
        Cow::Owned(messages.into())
    }
}
