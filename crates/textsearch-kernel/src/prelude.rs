//! The names that most programs need: `use textsearch_kernel::prelude::*;`.

pub use textsearch_core::{
    Filter, FilterableField, FixedSearch, SearchOptions, TextSearch, TextSearchRecord,
    TextSearchResult, async_trait,
    chat::{ChatCompletion, ChatHistory, ChatMessage, ToolCall},
};

pub use crate::{
    Kernel, KernelArguments, KernelError, KernelFunction, KernelPlugin, TextSearchPlugins,
    chat::{ChatEvent, ChatOutcome, FunctionChoiceBehavior},
    prompt::{Prompt, PromptTemplateConfig},
    search::{OfferedFields, SearchPluginOptions},
};
#[cfg(feature = "macros")]
pub use crate::{kernel_function, kernel_plugin};
