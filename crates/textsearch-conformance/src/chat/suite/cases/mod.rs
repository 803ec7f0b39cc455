//! The cases, each for a promise of `ChatCompletion`.

mod answers;
mod faults;
mod requests;

pub(crate) use answers::*;
pub(crate) use faults::*;
pub(crate) use requests::*;

use textsearch_core::chat::{ChatMessage, ChatResponse};

/// With white space at its ends, escapes, and characters of one to four bytes.
const TEXT: &str =
    "  Größe: 21\u{a0}°C – \"東京\" 🌍\n\ta\\b </p> {\"not\": \"read\"} data: [DONE] \n";

fn saying(text: impl Into<String>) -> ChatResponse {
    ChatResponse::new(ChatMessage::assistant(text))
}
