//! What can go wrong in the kernel.

use textsearch_core::BoxError;

use crate::{
    chat::{ChatOutcome, ChatRun},
    prompt::TemplateError,
    text::shorten,
};

/// How many prompts and runs of a model may be under way in each other. A function made of a prompt
/// counts as two, so that is four of them: more than is of use, and each level may multiply the
/// requests by the number of rounds.
pub(crate) const MAX_NESTED_RUNS: usize = 8;

/// The result of everything in the kernel that can fail.
pub type Result<T, E = KernelError> = std::result::Result<T, E>;

/// What went wrong in the kernel: with a name, an argument, a function or a template.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum KernelError {
    /// No such function is registered.
    #[error("there is no function `{name}`: {known}")]
    #[non_exhaustive]
    FunctionNotFound {
        /// The name that was looked for.
        name: String,
        /// The functions that there are, for the reader.
        known: String,
    },
    /// A function's argument is missing, or is not what the parameter allows.
    #[error("the argument `{parameter}` of `{function}` {message}")]
    #[non_exhaustive]
    InvalidArgument {
        /// The function that was called.
        function: String,
        /// The parameter, or the unknown name that was given.
        parameter: String,
        /// What was found and what is allowed.
        message: String,
    },
    /// The arguments of a call are not a JSON object.
    #[error("the arguments of `{function}` must be a JSON object: {message}")]
    #[non_exhaustive]
    InvalidArguments {
        /// The function that was called.
        function: String,
        /// What was found instead.
        message: String,
    },
    /// A plugin, a function or a parameter was registered under a name that cannot be used.
    #[error("`{name}` {message}")]
    #[non_exhaustive]
    InvalidName {
        /// The name.
        name: String,
        /// What is wrong with it, and what would be right.
        message: String,
    },
    /// A function cannot be made of what it was given.
    #[error("the function `{function}` cannot be made: {message}")]
    #[non_exhaustive]
    InvalidFunction {
        /// The function that was to be made.
        function: String,
        /// What is wrong, and what would be right.
        message: String,
        /// The cause, where there is one.
        source: Option<BoxError>,
    },
    /// A search, a store or another backend failed: `?` in a filter makes it of that error.
    ///
    /// The kernel turns it into [`FunctionFailed`](Self::FunctionFailed) if the body of a function returns it.
    #[error(transparent)]
    Search(#[from] textsearch_core::Error),
    /// A function failed: its own error is the source.
    #[error("the function `{function}` failed")]
    #[non_exhaustive]
    FunctionFailed {
        /// The function that failed.
        function: String,
        /// The function's own error.
        source: BoxError,
    },
    /// A filter refused the call.
    #[error("the call of `{function}` was refused: {reason}")]
    #[non_exhaustive]
    Refused {
        /// The function that was to be called.
        function: String,
        /// Why, as the filter said.
        reason: String,
    },
    /// A prompt's configuration cannot be read.
    #[error("the prompt configuration cannot be read: {message}")]
    #[non_exhaustive]
    InvalidPromptConfig {
        /// What is wrong, and where.
        message: String,
    },
    /// No such service is registered.
    #[error("there is no chat service `{service}`: {known}")]
    #[non_exhaustive]
    ServiceNotFound {
        /// The identifier that was looked for.
        service: String,
        /// The services that there are, for the reader.
        known: String,
    },
    /// An execution setting cannot be used.
    #[error("the execution setting `{setting}` {message}")]
    #[non_exhaustive]
    InvalidSetting {
        /// The setting.
        setting: String,
        /// What is wrong with it.
        message: String,
    },
    /// A chat service failed: its own error is the source.
    #[error("the chat service `{service}` failed")]
    #[non_exhaustive]
    ChatFailed {
        /// The service's identifier.
        service: String,
        /// The service's own error.
        source: Box<textsearch_core::Error>,
        /// What had happened before: the history, the calls, what they cost.
        run: Box<ChatRun>,
    },
    /// A model answered, but not with the whole text of an answer.
    #[error("the model gave no answer: {reason}")]
    #[non_exhaustive]
    NoAnswer {
        /// What it did instead.
        reason: String,
        /// What came of the run.
        outcome: Box<ChatOutcome>,
    },
    /// Prompts, or models that call prompts as functions, call each other without end.
    #[error(
        "prompts and models call each other too deep: at most {MAX_NESTED_RUNS} may be under way in each other"
    )]
    NestedTooDeep,
    /// A function began a run, and the run that called the function has used up its requests, calls or time.
    #[error(
        "the chat was stopped: the run around it has used up its budget, `{setting}` ({limit}); raise it if this is no \
         endless loop"
    )]
    #[non_exhaustive]
    BudgetSpent {
        /// The setting of the run around that limits it, such as `max_total_requests`.
        setting: String,
        /// The value of the setting.
        limit: u64,
        /// The run up to this point: its history, calls and usage.
        run: Box<ChatRun>,
    },
    /// A template cannot be compiled or rendered.
    #[error(transparent)]
    Template(#[from] TemplateError),
}

impl KernelError {
    /// The short stable name of the variant, used as `error.type` in spans.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::FunctionNotFound { .. } => "function_not_found",
            Self::InvalidArgument { .. } => "invalid_argument",
            Self::InvalidArguments { .. } => "invalid_arguments",
            Self::InvalidName { .. } => "invalid_name",
            Self::InvalidFunction { .. } => "invalid_function",
            Self::Search(_) => "search_failed",
            Self::FunctionFailed { .. } => "function_failed",
            Self::Refused { .. } => "refused",
            Self::InvalidPromptConfig { .. } => "invalid_prompt_config",
            Self::ServiceNotFound { .. } => "service_not_found",
            Self::InvalidSetting { .. } => "invalid_setting",
            Self::ChatFailed { .. } => "chat_failed",
            Self::NoAnswer { .. } => "no_answer",
            Self::NestedTooDeep => "nested_too_deep",
            Self::BudgetSpent { .. } => "budget_spent",
            Self::Template(_) => "template",
        }
    }

    /// Returns a filter's refusal of the call of `function`, and why.
    pub fn refused(function: impl Into<String>, reason: impl Into<String>) -> Self {
        Self::Refused { function: function.into(), reason: reason.into() }
    }

    /// Returns the failure of `function` with its own error.
    pub fn failed(function: impl Into<String>, source: impl Into<BoxError>) -> Self {
        Self::FunctionFailed { function: function.into(), source: source.into() }
    }

    /// Returns the error for an argument that `function` cannot take. `message` goes on after the parameter's name: what
    /// was found and what is allowed. A model that called the function reads it.
    pub fn invalid_argument(
        function: impl Into<String>,
        parameter: impl Into<String>,
        message: impl Into<String>,
    ) -> Self {
        let (function, parameter) = (function.into(), parameter.into());
        Self::InvalidArgument { function, parameter, message: message.into() }
    }

    /// Returns the error for a name that a plugin, function or parameter cannot have. `message` goes on after the name.
    pub fn invalid_name(name: impl Into<String>, message: impl Into<String>) -> Self {
        Self::InvalidName { name: name.into(), message: message.into() }
    }

    /// Returns the error for a `function` that cannot be made: what is wrong, and what would be right.
    pub fn invalid_function(function: impl Into<String>, message: impl Into<String>) -> Self {
        Self::InvalidFunction { function: function.into(), message: message.into(), source: None }
    }

    /// Returns the error for a prompt configuration that cannot be read: what is wrong, and where.
    pub fn invalid_prompt_config(message: impl Into<String>) -> Self {
        Self::InvalidPromptConfig { message: message.into() }
    }

    /// Returns the search's own error, if a search is what failed: here, or in the function that failed.
    pub fn search_error(&self) -> Option<&textsearch_core::Error> {
        match self {
            Self::Search(error) => Some(error),
            Self::FunctionFailed { source, .. } => {
                source.downcast_ref().or_else(|| source.downcast_ref::<Self>()?.search_error())
            }
            _ => None,
        }
    }

    /// What had happened in a chat before this error ended it, where it is one of a chat.
    pub fn chat_run(&self) -> Option<&ChatRun> {
        match self {
            Self::ChatFailed { run, .. } | Self::BudgetSpent { run, .. } => Some(run),
            Self::NoAnswer { outcome, .. } => Some(&outcome.run),
            _ => None,
        }
    }

    /// A function that is not one of `names`, which are `registered` or `offered`.
    pub(crate) fn function_not_found(
        name: &str,
        as_what: &str,
        names: impl Iterator<Item = String>,
    ) -> Self {
        let names: Vec<String> = names.collect();
        let known = match names.as_slice() {
            [] => format!("no function is {as_what}"),
            names => format!("{as_what} are {}", names.join(", ")),
        };
        Self::FunctionNotFound { name: shorten(name), known }
    }

    pub(crate) fn invalid_setting(setting: impl Into<String>, message: impl Into<String>) -> Self {
        Self::InvalidSetting { setting: setting.into(), message: message.into() }
    }
}
