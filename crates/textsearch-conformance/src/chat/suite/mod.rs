//! The suite for chat services. [`chat_suite!`](crate::chat_suite) generates one test per case.

mod cases;
mod contract;
mod subject;

pub use contract::chat_cases;
pub use subject::{ChatAnswer, ChatSubject};
