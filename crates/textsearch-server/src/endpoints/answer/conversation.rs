//! The conversation before a question.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use textsearch_core::chat::{ChatCompletion, ChatHistory, ChatMessage};
use textsearch_kernel::transform::{
    HypotheticalAnswer, QueryTransform, Standalone, SubQuestions, Variants,
};
use utoipa::ToSchema;

use crate::problem::{Answer, Problem};

const MAX_MESSAGES: usize = 50;

/// Of all messages together.
const MAX_CHARACTERS: usize = 50_000;

/// An earlier message.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct AnswerMessage {
    role: AnswerRole,
    #[schema(pattern = r"\S")]
    content: String,
}

/// Who wrote a message.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
enum AnswerRole {
    User,
    Assistant,
}

/// What to search for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Rewrite {
    /// The question as it is.
    None,
    /// The question, rewritten so that it stands alone.
    Standalone,
    /// The question and other phrasings.
    Variants,
    /// The question, and by vector a made-up answer.
    HypotheticalAnswer,
    /// Each part of the question.
    SubQuestions,
}

impl Rewrite {
    pub(super) fn is_on(self) -> bool {
        self != Self::None
    }

    pub(super) fn transform(
        self,
        model: &Arc<dyn ChatCompletion>,
    ) -> Option<Arc<dyn QueryTransform>> {
        let model = Arc::clone(model);
        Some(match self {
            Self::None => return None,
            Self::Standalone => Arc::new(Standalone::new(model)),
            Self::Variants => Arc::new(Variants::new(model)),
            Self::HypotheticalAnswer => Arc::new(HypotheticalAnswer::new(model)),
            Self::SubQuestions => Arc::new(SubQuestions::new(model)),
        })
    }
}

pub(super) fn check(messages: &[AnswerMessage]) -> Answer<()> {
    if messages.len() > MAX_MESSAGES {
        let problem = Problem::invalid("messages", "there are too many; send the last ones");
        return Err(problem.with_allowed([format!("at most {MAX_MESSAGES} messages")]));
    }
    if messages.iter().any(|message| message.content.trim().is_empty()) {
        return Err(Problem::invalid("messages", "a message is empty"));
    }
    let characters: usize = messages.iter().map(|message| message.content.chars().count()).sum();
    if characters > MAX_CHARACTERS {
        let problem = Problem::invalid("messages", "they are too long; send the last ones");
        return Err(problem.with_allowed([format!("at most {MAX_CHARACTERS} characters")]));
    }
    Ok(())
}

pub(super) fn history(messages: &[AnswerMessage]) -> ChatHistory {
    let messages = messages.iter().map(|message| match message.role {
        AnswerRole::User => ChatMessage::user(&message.content),
        AnswerRole::Assistant => ChatMessage::assistant(&message.content),
    });
    messages.collect()
}
