//! Settings of function calling.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::Limits;
use crate::prompt::ExecutionSettings;

const TOTAL_REQUESTS: usize = 100;

const TOTAL_CALLS: usize = 500;

pub(super) const SETTING: &str = "function_choice_behavior";

/// The functions a model may call, and how calls are handled.
///
/// A part of the [`ExecutionSettings`], also in prompt files in Semantic Kernel's format:
///
/// ```
/// use textsearch_kernel::{chat::FunctionChoiceBehavior, prompt::PromptTemplateConfig};
///
/// let config = PromptTemplateConfig::from_json(r#"{
///     "template": "What is the Semantic Kernel?",
///     "execution_settings": { "default": { "function_choice_behavior": {
///         "type": "auto",
///         "functions": ["SearchPlugin.Search"],
///         "options": { "max_rounds": 3 }
///     } } }
/// }"#)?;
/// let behavior = FunctionChoiceBehavior::auto().with_functions(["SearchPlugin.Search"]).with_max_rounds(3);
/// let written = config.execution_settings["default"].get("function_choice_behavior").cloned();
/// assert_eq!(written.map(serde_json::from_value).transpose()?, Some(behavior));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// Prompt files of Semantic Kernel for Python set `max_rounds` with `maximum_auto_invoke_attempts`,
/// next to the type; 0 turns `auto_invoke` off.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Written")]
#[non_exhaustive]
pub struct FunctionChoiceBehavior {
    /// Whether the model may, must or must not call functions.
    #[serde(rename = "type")]
    pub choice: FunctionChoice,
    /// The functions to offer, as `Plugin-Function` or `Plugin.Function`; `None` for all of the
    /// kernel except the [opt-in](crate::function::FunctionMetadata::opt_in) ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub functions: Option<Vec<String>>,
    /// How calls are handled.
    pub options: FunctionChoiceOptions,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    #[serde(rename = "type")]
    choice: FunctionChoice,
    #[serde(default)]
    functions: Option<Vec<String>>,
    #[serde(default)]
    options: FunctionChoiceOptions,
    #[serde(default)]
    maximum_auto_invoke_attempts: Option<usize>,
}

impl From<Written> for FunctionChoiceBehavior {
    fn from(written: Written) -> Self {
        let Written { choice, functions, mut options, maximum_auto_invoke_attempts } = written;
        match maximum_auto_invoke_attempts {
            Some(0) => options.auto_invoke = false,
            Some(attempts) => options.max_rounds = attempts,
            None => {}
        }
        Self { choice, functions, options }
    }
}

/// Whether a model may, must or must not call functions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum FunctionChoice {
    /// The model decides whether to call functions.
    Auto,
    /// The model must call at least one function in the first round. Later rounds offer none.
    Required,
    /// The model sees the functions but may not call any.
    None,
}

/// How calls are handled, and how many are allowed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct FunctionChoiceOptions {
    /// Whether the kernel runs the calls or returns them to the caller; true by default.
    pub auto_invoke: bool,
    /// Whether the calls of a round run concurrently or one after another; true by default.
    pub allow_concurrent_invocation: bool,
    /// Whether the model may request several calls at once; the provider decides by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allow_parallel_calls: Option<bool>,
    /// Whether the provider should enforce the functions' schemas, if it can; false by default.
    pub allow_strict_schema_adherence: bool,
    /// The maximum number of rounds of calls, 10 by default. Then the kernel asks once more,
    /// without functions.
    pub max_rounds: usize,
    /// The maximum number of calls in one round, 16 by default. Excess calls are dropped from the
    /// chat, and the model learns how many it requested.
    pub max_calls_per_round: usize,
    /// The maximum number of requests to models in the run and the runs that its functions start,
    /// at least 1. `None` means 100, or as many as `max_rounds` allows, if that is more.
    ///
    /// When this, `max_total_calls` or `max_total_time` is used up, the run makes one last request,
    /// without functions, which counts too. Runs that its functions start fail with
    /// [`BudgetSpent`](crate::KernelError::BudgetSpent).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_total_requests: Option<usize>,
    /// The maximum number of function calls in the run and the runs that its functions start.
    /// `None` means 500, or as many as all rounds allow, if that is more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_total_calls: Option<usize>,
    /// The maximum time before the last request, 30 minutes by default; `max_total_seconds` in
    /// prompt files. No request is interrupted: for a hard limit, drop the future.
    #[serde(rename = "max_total_seconds", with = "seconds")]
    pub max_total_time: Duration,
    /// The maximum length of one result, in characters of JSON; 16,000 by default, about 4,000
    /// tokens of English.
    pub max_result_characters: usize,
    /// Whether a call with the arguments of an earlier one runs again instead of repeating its
    /// result, for functions with changing results or side effects; false by default.
    pub allow_repeated_calls: bool,
    /// Whether search results get a `Citation` such as `[1]` for the model to cite; true by
    /// default.
    pub number_results: bool,
}

impl Default for FunctionChoiceOptions {
    fn default() -> Self {
        Self {
            auto_invoke: true,
            allow_concurrent_invocation: true,
            allow_parallel_calls: None,
            allow_strict_schema_adherence: false,
            max_rounds: 10,
            max_calls_per_round: 16,
            max_total_requests: None,
            max_total_calls: None,
            max_total_time: Duration::from_secs(1_800),
            max_result_characters: 16_000,
            allow_repeated_calls: false,
            number_results: true,
        }
    }
}

impl FunctionChoiceOptions {
    /// Defaults leave room for all of the run's own rounds.
    pub(super) fn limits(&self) -> Limits {
        let own_requests = self.max_rounds.saturating_add(1);
        let own_calls = self.max_rounds.saturating_mul(self.max_calls_per_round);
        Limits {
            requests: self.max_total_requests.unwrap_or(own_requests.max(TOTAL_REQUESTS)),
            calls: self.max_total_calls.unwrap_or(own_calls.max(TOTAL_CALLS)),
            time: self.max_total_time,
        }
    }
}

impl FunctionChoiceBehavior {
    /// Lets the model decide which functions to call.
    pub fn auto() -> Self {
        Self::new(FunctionChoice::Auto)
    }

    /// Requires the model to call a function before it answers.
    pub fn required() -> Self {
        Self::new(FunctionChoice::Required)
    }

    /// Shows the model the functions, but lets it call none.
    pub fn none() -> Self {
        Self::new(FunctionChoice::None)
    }

    fn new(choice: FunctionChoice) -> Self {
        Self { choice, functions: None, options: FunctionChoiceOptions::default() }
    }

    /// Offers only these functions, named `Plugin-Function` or `Plugin.Function`. If the kernel
    /// lacks one, the chat fails when it starts.
    #[must_use]
    pub fn with_functions(mut self, names: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.functions = Some(names.into_iter().map(Into::into).collect());
        self
    }

    /// Sets the maximum number of rounds of calls.
    #[must_use]
    pub fn with_max_rounds(mut self, rounds: usize) -> Self {
        self.options.max_rounds = rounds;
        self
    }
}

impl From<FunctionChoiceBehavior> for ExecutionSettings {
    fn from(behavior: FunctionChoiceBehavior) -> Self {
        // Strings, numbers and lists always serialize.
        Self::new().with(SETTING, serde_json::to_value(behavior).unwrap_or_default())
    }
}

mod seconds {
    use std::time::Duration;

    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub(super) fn serialize<S: Serializer>(
        time: &Duration,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(time.as_secs_f64())
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Duration, D::Error> {
        Duration::try_from_secs_f64(f64::deserialize(deserializer)?).map_err(D::Error::custom)
    }
}
