#![doc = include_str!("../README.md")]

mod arguments;
mod chat;
mod error;
mod filter;
mod function;
mod kernel;
#[cfg(feature = "macros")]
#[doc(hidden)]
pub mod macro_support;
mod manual;
mod metadata;
mod plugin;
pub mod prompt;
mod schema;
mod search_plugin;
mod text;

pub use arguments::{ExecutionSettings, KernelArguments};
pub use chat::{
    AutoFunctionInvocationContext, AutoFunctionInvocationFilter, CallError, CallErrorKind,
    CallRecord, ChatEnd, ChatEvent, ChatEvents, ChatOutcome, ChatRun, FunctionChoice,
    FunctionChoiceBehavior, FunctionChoiceOptions, NextAutoInvocation, OfferedFunctions, Source,
    Sources,
};
#[cfg(feature = "citations")]
pub use chat::{Citation, CitationKind, check_citations};
pub use error::{KernelError, Result};
pub use filter::{FunctionInvocationContext, FunctionInvocationFilter, Next};
pub use function::{
    FoundRecords, FunctionResult, FunctionValue, Invocation, KernelFunction, NoArguments,
};
pub use kernel::Kernel;
pub use manual::{functions_manual, openai_tools, tool_definitions};
pub use metadata::{FunctionMetadata, ParameterMetadata, ReturnMetadata};
pub use plugin::KernelPlugin;
pub use search_plugin::{OfferedFields, SearchFunctionOptions, ShownMetadata, TextSearchPlugins};
pub use text::value_to_text;

#[cfg(feature = "macros")]
pub use textsearch_macros::{kernel_function, kernel_plugin};

/// The search abstractions that plugins are made of.
pub use textsearch_core;
