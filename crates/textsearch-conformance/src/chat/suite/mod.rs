//! The suite for chat services. [`chat_suite!`](crate::chat_suite) generates one test per case.

mod capabilities;
#[doc(hidden)]
pub mod cases;
mod contract;
mod macros;
mod subject;

pub use capabilities::ChatCapabilities;
pub use contract::chat_cases;
pub use subject::{ChatAnswer, ChatSubject};
