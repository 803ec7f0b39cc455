//! Chats with a model that may call functions.

mod answer;
mod argument_limits;
pub(crate) mod budget;
mod calls;
mod choice;
pub(crate) mod control_characters;
mod debug;
mod dropped_calls;
mod engine;
mod events;
mod filter;
mod grounded;
mod identifiers;
mod meter;
mod offered;
mod outcome;
mod prompt;
mod service;
mod settings;
mod span;
mod tool_message;
mod typed;

pub use answer::ToolAnswer;
pub use choice::{FunctionChoice, FunctionChoiceBehavior, FunctionChoiceOptions};
pub use events::{ChatEvent, ChatEvents};
pub use filter::{AutoFunctionInvocationContext, AutoFunctionInvocationFilter, NextAutoInvocation};
pub(crate) use meter::{Limits, Meter};
pub use offered::OfferedFunctions;
pub use outcome::{CallError, CallErrorKind, CallRecord, ChatEnd, ChatOutcome, ChatRun};
pub use typed::{AnswerFormat, SchemaMode, TypedAnswer};
