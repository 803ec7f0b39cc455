//! The conversation before a question.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use textsearch_core::chat::{ChatHistory, ChatMessage};
use textsearch_kernel::transform::Rewrite;
use utoipa::{
    ToSchema,
    openapi::{
        Schema,
        schema::{ObjectBuilder, SchemaType, Type},
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

/// The names of the kernel's `Rewrite`, or null.
pub(super) fn rewrite_schema() -> Schema {
    let names = Rewrite::ALL.map(|rewrite| Value::from(rewrite.as_str()));
    let description = "What to search for in place of the question: with messages, `standalone` by default if \
         the source is no open world such as the web, else `none`. Only with the mode `results`.";
    ObjectBuilder::new()
        .schema_type(SchemaType::from_iter([Type::String, Type::Null]))
        .enum_values(Some(names.into_iter().chain([Value::Null])))
        .description(Some(description))
        .build()
        .into()
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
