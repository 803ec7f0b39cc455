//! The search results that context providers add to the requests of a run.

use std::{borrow::Cow, sync::Arc};

use futures_util::future::try_join_all;
use textsearch_core::chat::{ChatHistory, ChatMessage, ChatRole, MessagePart};

use crate::{Result, citations::Sources, grounding::TextSearchProvider};

#[derive(Default)]
pub(super) struct Grounded {
    /// What filters put before the question, and the history contains.
    by_filters: String,
    sources: Sources,
    /// For the requests only: in the history, it would pile up turn after turn.
    context: String,
    /// The position of the last user message.
    question: usize,
}

impl Grounded {
    pub(super) fn by_filters(context: String, sources: Sources) -> Self {
        Self { by_filters: context, sources, ..Self::default() }
    }

    pub(super) fn take_sources(&mut self) -> Sources {
        std::mem::take(&mut self.sources)
    }

    /// Searches with all providers concurrently.
    pub(super) async fn find(
        &mut self,
        providers: &[Arc<TextSearchProvider>],
        history: &ChatHistory,
        sources: &mut Sources,
    ) -> Result<()> {
        let is_user = |message: &ChatMessage| message.role == ChatRole::User;
        let Some(question) = history.messages().iter().rposition(is_user) else {
            return Ok(());
        };
        let searches =
            providers.iter().map(|provider| provider.find_for(history, &self.by_filters));
        let results = try_join_all(searches).await?;
        let mut contexts = Vec::with_capacity(providers.len());
        for (provider, results) in providers.iter().zip(results) {
            contexts.extend(provider.context(results, sources));
        }
        self.context = contexts.join("\n\n");
        self.question = question;
        Ok(())
    }

    /// Puts the context at the beginning of the question. Some models refuse two user messages in a
    /// row, so it gets no separate message.
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
