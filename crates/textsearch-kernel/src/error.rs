//! Kernel errors.

use textsearch_core::BoxError;

use crate::{
    chat::{ChatOutcome, ChatRun},
    function::ReadError,
    text::{names_or, shorten},
};

/// A prompt as a function counts as two, so four can nest. Each level can multiply the requests by
/// the number of rounds.
pub(crate) const MAX_NESTED_RUNS: usize = 8;

/// The result of any fallible kernel operation.
pub type Result<T, E = KernelError> = std::result::Result<T, E>;

/// A kernel error.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum KernelError {
    /// No such function is registered.
    #[error("there is no function `{name}`: {known}")]
    #[non_exhaustive]
    FunctionNotFound {
        /// The requested name.
        name: String,
        /// The known functions, as text.
        known: String,
    },
    /// A function's argument is missing or invalid.
    #[error("the argument `{parameter}` of `{function}` {message}")]
    #[non_exhaustive]
    InvalidArgument {
        /// The called function.
        function: String,
        /// The parameter, or the unknown name that the call passed.
        parameter: String,
        /// The value found and the values allowed.
        message: String,
    },
    /// The arguments of a call are not a JSON object, or the function can't read them as a whole.
    #[error("the arguments of `{function}` {message}")]
    #[non_exhaustive]
    InvalidArguments {
        /// The called function.
        function: String,
        /// What is wrong, and the value found.
        message: String,
    },
    /// The name of a plugin, function, parameter or service is invalid or taken.
    #[error("`{name}` {message}")]
    #[non_exhaustive]
    InvalidName {
        /// The name.
        name: String,
        /// The problem and the expected fix.
        message: String,
    },
    /// A function cannot be created from the given definition.
    #[error("the function `{function}` cannot be made: {message}")]
    #[non_exhaustive]
    InvalidFunction {
        /// The function to be created.
        function: String,
        /// The problem and the expected fix.
        message: String,
        /// The cause, if any.
        source: Option<BoxError>,
    },
    /// A search, a store or another backend failed. In a filter, `?` converts such an error; from a
    /// function's body, it becomes [`FunctionFailed`](Self::FunctionFailed).
    #[error(transparent)]
    Search(#[from] textsearch_core::Error),
    /// A function failed; its own error is the source.
    #[error("the function `{function}` failed")]
    #[non_exhaustive]
    FunctionFailed {
        /// The function that failed.
        function: String,
        /// The function's own error.
        source: BoxError,
    },
    /// A function reported an error that its caller, even a model, may read; create it with
    /// [`reported`](Self::reported).
    #[error("the function `{function}` reported: {message}")]
    #[non_exhaustive]
    Reported {
        /// The function that reported it.
        function: String,
        /// The message, untrusted if it comes from outside.
        message: String,
    },
    /// The result of a function can't be read as the wanted type.
    #[error("the result of `{function}` cannot be read: {source}")]
    #[non_exhaustive]
    WrongType {
        /// The function.
        function: String,
        /// The part that doesn't fit, and why.
        source: ReadError,
    },
    /// A filter refused the call.
    #[error("the call of `{function}` was refused: {reason}")]
    #[non_exhaustive]
    Refused {
        /// The function to be called.
        function: String,
        /// The filter's reason.
        reason: String,
    },
    /// A prompt's configuration cannot be read.
    #[error("the prompt configuration cannot be read: {message}")]
    #[non_exhaustive]
    InvalidPromptConfig {
        /// The problem and its position.
        message: String,
    },
    /// No such service is registered.
    #[error("there is no chat service `{service}`: {known}")]
    #[non_exhaustive]
    ServiceNotFound {
        /// The requested identifier.
        service: String,
        /// The known services, as text.
        known: String,
    },
    /// An execution setting cannot be used.
    #[error("the execution setting `{setting}` {message}")]
    #[non_exhaustive]
    InvalidSetting {
        /// The setting.
        setting: String,
        /// The problem.
        message: String,
    },
    /// A chat service failed; its own error is the source.
    #[error("the chat service `{service}` failed")]
    #[non_exhaustive]
    ChatFailed {
        /// The service's identifier.
        service: String,
        /// The service's own error.
        source: Box<textsearch_core::Error>,
        /// The run so far.
        run: Box<ChatRun>,
    },
    /// A model responded, but without a complete text answer.
    #[error("the model gave no answer: {reason}")]
    #[non_exhaustive]
    NoAnswer {
        /// A description of the response.
        reason: String,
        /// The outcome of the run.
        outcome: Box<ChatOutcome>,
    },
    /// A model gave no answer of the required form, even after repairs.
    #[error("the model gave no answer of the required form, in {attempts} attempts: {problem}")]
    #[non_exhaustive]
    WrongAnswer {
        /// The number of answers.
        attempts: usize,
        /// The mistake in the last answer; shortened.
        problem: String,
        /// The outcome of the run, with the last answer.
        outcome: Box<ChatOutcome>,
    },
    /// Prompts, or models that call prompts as functions, nest too deeply.
    #[error(
        "prompts and models call each other too deeply: at most {MAX_NESTED_RUNS} may be nested"
    )]
    NestedTooDeep,
    /// The run around this one has used up its requests, calls or time.
    #[error(
        "the chat was stopped: the outer run has used up `{setting}` ({limit}); raise it unless this is an endless loop"
    )]
    #[non_exhaustive]
    BudgetSpent {
        /// The outer run's setting, such as `max_total_requests`.
        setting: String,
        /// Its value.
        limit: u64,
        /// The run so far.
        run: Box<ChatRun>,
    },
    /// A template cannot be compiled or rendered.
    #[error("{template}:{line}:{column}: {message}")]
    #[non_exhaustive]
    Template {
        /// The template's name, or `template` if it has none.
        template: String,
        /// The line, counted from 1.
        line: usize,
        /// The column in characters, counted from 1.
        column: usize,
        /// The problem and the expected fix.
        message: String,
        /// The cause, if any.
        source: Option<BoxError>,
    },
}

impl KernelError {
    /// Returns the short, stable name of the variant, used as `error.type` in spans.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::FunctionNotFound { .. } => "function_not_found",
            Self::InvalidArgument { .. } => "invalid_argument",
            Self::InvalidArguments { .. } => "invalid_arguments",
            Self::InvalidName { .. } => "invalid_name",
            Self::InvalidFunction { .. } => "invalid_function",
            Self::Search(_) => "search_failed",
            Self::FunctionFailed { .. } => "function_failed",
            Self::Reported { .. } => "reported",
            Self::WrongType { .. } => "wrong_type",
            Self::Refused { .. } => "refused",
            Self::InvalidPromptConfig { .. } => "invalid_prompt_config",
            Self::ServiceNotFound { .. } => "service_not_found",
            Self::InvalidSetting { .. } => "invalid_setting",
            Self::ChatFailed { .. } => "chat_failed",
            Self::NoAnswer { .. } => "no_answer",
            Self::WrongAnswer { .. } => "wrong_answer",
            Self::NestedTooDeep => "nested_too_deep",
            Self::BudgetSpent { .. } => "budget_spent",
            Self::Template { .. } => "template",
        }
    }

    /// Returns the error for a filter's refusal to call `function`.
    pub fn refused(function: impl Into<String>, reason: impl Into<String>) -> Self {
        Self::Refused { function: function.into(), reason: reason.into() }
    }

    /// Returns the error for a failure of `function`; its own error is the source.
    pub fn failed(function: impl Into<String>, source: impl Into<BoxError>) -> Self {
        Self::FunctionFailed { function: function.into(), source: source.into() }
    }

    /// Returns the error for a message of `function` that its caller, even a model, may read. For a
    /// failure that reveals internals, use [`failed`](Self::failed).
    pub fn reported(function: impl Into<String>, message: impl Into<String>) -> Self {
        Self::Reported { function: function.into(), message: message.into() }
    }

    /// Returns the error for an invalid argument. `message` continues the sentence after the
    /// parameter's name, with the value found and the values allowed. A model may read it.
    pub fn invalid_argument(
        function: impl Into<String>,
        parameter: impl Into<String>,
        message: impl Into<String>,
    ) -> Self {
        let function = function.into();
        let parameter = parameter.into();
        Self::InvalidArgument { function, parameter, message: message.into() }
    }

    /// Returns the error for arguments that are invalid as a whole, as when a service refuses them.
    /// `message` continues the sentence after the function's name. A model may read it.
    pub fn invalid_arguments(function: impl Into<String>, message: impl Into<String>) -> Self {
        Self::InvalidArguments { function: function.into(), message: message.into() }
    }

    /// Returns the error for an invalid name of a plugin, function or parameter. `message`
    /// continues the sentence after it.
    pub fn invalid_name(name: impl Into<String>, message: impl Into<String>) -> Self {
        Self::InvalidName { name: name.into(), message: message.into() }
    }

    /// Returns the error for a `function` that cannot be created. `message` names the problem and
    /// the expected fix.
    pub fn invalid_function(function: impl Into<String>, message: impl Into<String>) -> Self {
        Self::InvalidFunction { function: function.into(), message: message.into(), source: None }
    }

    /// Returns the error for an unreadable prompt configuration. `message` names the problem and
    /// its position.
    pub fn invalid_prompt_config(message: impl Into<String>) -> Self {
        Self::InvalidPromptConfig { message: message.into() }
    }

    /// Returns the error at `line` and `column` of `template`, both counted from 1. `message` names
    /// the problem and the expected fix.
    pub fn template(
        template: impl Into<String>,
        (line, column): (usize, usize),
        message: impl Into<String>,
    ) -> Self {
        let template = template.into();
        let message = message.into();
        Self::Template { template, line, column, message, source: None }
    }

    /// Like [`template`](Self::template), for a failed call: its error is the message and the source.
    pub fn template_call(
        template: impl Into<String>,
        (line, column): (usize, usize),
        error: impl Into<BoxError>,
    ) -> Self {
        let template = template.into();
        let error = error.into();
        Self::Template { template, line, column, message: error.to_string(), source: Some(error) }
    }

    /// Returns the search's own error if a search failed, directly or inside a failed function.
    pub fn search_error(&self) -> Option<&textsearch_core::Error> {
        match self {
            Self::Search(error) => Some(error),
            Self::FunctionFailed { source, .. } => {
                source.downcast_ref().or_else(|| source.downcast_ref::<Self>()?.search_error())
            }
            _ => None,
        }
    }

    /// Returns the chat run that this error ended, if any.
    pub fn chat_run(&self) -> Option<&ChatRun> {
        match self {
            Self::ChatFailed { run, .. } | Self::BudgetSpent { run, .. } => Some(run),
            Self::NoAnswer { outcome, .. } | Self::WrongAnswer { outcome, .. } => {
                Some(&outcome.run)
            }
            _ => None,
        }
    }

    /// `as_what` is `registered` or `offered`.
    pub(crate) fn function_not_found(
        name: &str,
        as_what: &str,
        names: impl Iterator<Item = String>,
    ) -> Self {
        let names = names.collect::<Vec<_>>();
        let none = format!("no function is {as_what}");
        let known = names_or(&names, &format!("the {as_what} functions are"), &none);
        Self::FunctionNotFound { name: shorten(name), known }
    }

    pub(crate) fn invalid_setting(setting: impl Into<String>, message: impl Into<String>) -> Self {
        Self::InvalidSetting { setting: setting.into(), message: message.into() }
    }
}
