//! The cases, each for a promise of `ChatCompletion`.

mod answers;
mod at_once;
mod faults;
mod requests;
mod streams;
mod tools;

pub use answers::*;
pub use at_once::*;
pub use faults::*;
pub use requests::*;
pub use streams::*;
pub use tools::*;

use textsearch_core::chat::{ChatMessage, ChatResponse};

/// With white space at its ends, escapes, and characters of one to four bytes.
const TEXT: &str =
    "  Größe: 21\u{a0}°C – \"東京\" 🌍\n\ta\\b </p> {\"not\": \"read\"} data: [DONE] \n";

fn saying(text: impl Into<String>) -> ChatResponse {
    ChatResponse::new(ChatMessage::assistant(text))
}
