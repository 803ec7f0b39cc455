//! The conversation before a question.

use serde::{Deserialize, Serialize};
use textsearch_core::chat::{ChatHistory, ChatMessage};
use textsearch_kernel::transform::Rewrite;
use utoipa::{
    ToSchema,
    openapi::{
        Schema,
        schema::{ObjectBuilder, Type},
    },
};

use crate::problem::{Answer, Problem};

const MAX_MESSAGES: usize = 50;

/// Of all messages together.
const MAX_CHARACTERS: usize = 50_000;

/// An earlier message.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct AnswerMessage {
    /// Who wrote it.
    role: AnswerRole,
    /// Its text.
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

/// The names of the kernel's `Rewrite`.
pub(super) fn rewrite_schema() -> Schema {
    let names = Rewrite::ALL.map(Rewrite::as_str);
    ObjectBuilder::new().schema_type(Type::String).enum_values(Some(names)).build().into()
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
