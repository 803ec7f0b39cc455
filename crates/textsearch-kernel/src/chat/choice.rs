//! Which functions a model may call, and what is done with its calls.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::Limits;
use crate::prompt::ExecutionSettings;

/// The requests of a run and of those within it, unless set otherwise.
const TOTAL_REQUESTS: usize = 100;

/// The calls of a run and of those within it, unless set otherwise.
const TOTAL_CALLS: usize = 500;

/// The name of the setting that holds the behavior.
pub(super) const SETTING: &str = "function_choice_behavior";

/// Which functions a model may call, whether it has to, and what is done with its calls.
///
/// It is one of the [`ExecutionSettings`], so that a prompt file can say it, in the form of Semantic Kernel:
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
/// Prompt files of Semantic Kernel for Python have `maximum_auto_invoke_attempts` beside the type. It sets `max_rounds`; 0
/// turns `auto_invoke` off.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Written")]
#[non_exhaustive]
pub struct FunctionChoiceBehavior {
    /// Whether the model may call functions, or has to.
    #[serde(rename = "type")]
    pub choice: FunctionChoice,
    /// The functions that are offered, as `Plugin-Function` or `Plugin.Function`; all of the kernel's where it is
    /// `None`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub functions: Option<Vec<String>>,
    /// What is done with the calls.
    pub options: FunctionChoiceOptions,
}

/// A behavior as it is written in a file.
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

/// Whether a model may call functions, or has to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum FunctionChoice {
    /// It calls functions as it likes.
    Auto,
    /// It has to call at least one in the first round. In later rounds none is offered, or it would never answer.
    Required,
    /// It is told of the functions, and may not call any.
    None,
}

/// What is done with the calls of a model, and how many there may be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct FunctionChoiceOptions {
    /// Whether the kernel runs the calls; otherwise they are handed to the caller. True by default.
    pub auto_invoke: bool,
    /// Whether the calls of a round run at the same time; otherwise one after another. True by default.
    pub allow_concurrent_invocation: bool,
    /// Whether the model may ask for several calls at once; what the provider does where it is `None`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allow_parallel_calls: Option<bool>,
    /// Whether the provider is to hold the model to the schemas of the functions, where it can. False by default.
    pub allow_strict_schema_adherence: bool,
    /// How many rounds of calls there may be; then the model is asked once more, without functions. 10 by default.
    pub max_rounds: usize,
    /// How many calls of one round are run. The kernel drops excess calls from the chat, and tells the model how many it
    /// asked for. 16 by default.
    pub max_calls_per_round: usize,
    /// How many requests to models the run may make, together with all runs that its functions begin. 100 if `None`, or
    /// as many as `max_rounds` allows the run itself, if that is more. One is always made.
    ///
    /// When this, `max_total_calls` or `max_total_time` is used up, the run makes one last request, without functions.
    /// It counts in `max_total_requests`. Runs that functions of this one began fail with
    /// [`BudgetSpent`](crate::KernelError::BudgetSpent) instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_total_requests: Option<usize>,
    /// How many calls of functions models may make in the run, together with all runs that its functions begin. 500 if
    /// `None`, or as many as all rounds of the run itself may have, if that is more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_total_calls: Option<usize>,
    /// How long the run may take before its last request; `max_total_seconds` in prompt files. 30 minutes by default.
    /// The time is checked between requests and interrupts none: for a hard limit, drop the future.
    #[serde(rename = "max_total_seconds", with = "seconds")]
    pub max_total_time: Duration,
    /// How long what a model is told of one result may be, in characters of JSON. 16,000 by default: about 4,000
    /// tokens of English.
    pub max_result_characters: usize,
    /// Whether a call that was made before, with equal arguments, runs again; otherwise it is answered with the
    /// earlier result. False by default.
    pub allow_repeated_calls: bool,
    /// Whether search results get a `Citation` such as `[1]`, which the model can refer to. True by default.
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
    /// The limits of the run. Those that are not set leave room for its own rounds.
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
    /// The model calls functions of the kernel as it likes.
    pub fn auto() -> Self {
        Self::new(FunctionChoice::Auto)
    }

    /// The model has to call at least one function before it answers.
    pub fn required() -> Self {
        Self::new(FunctionChoice::Required)
    }

    /// The model is told of the functions, and may not call any.
    pub fn none() -> Self {
        Self::new(FunctionChoice::None)
    }

    fn new(choice: FunctionChoice) -> Self {
        Self { choice, functions: None, options: FunctionChoiceOptions::default() }
    }

    /// Offers these functions alone, named `Plugin-Function` or `Plugin.Function`.
    ///
    /// One that the kernel does not have is an error when the model is asked.
    #[must_use]
    pub fn with_functions(mut self, names: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.functions = Some(names.into_iter().map(Into::into).collect());
        self
    }

    /// Sets what is done with the calls, all at once.
    #[must_use]
    pub fn with_options(mut self, options: FunctionChoiceOptions) -> Self {
        self.options = options;
        self
    }

    /// Sets whether the kernel runs the calls; otherwise they are handed to the caller.
    #[must_use]
    pub fn with_auto_invoke(mut self, enabled: bool) -> Self {
        self.options.auto_invoke = enabled;
        self
    }

    /// Sets whether the calls of a round run at the same time.
    #[must_use]
    pub fn with_allow_concurrent_invocation(mut self, enabled: bool) -> Self {
        self.options.allow_concurrent_invocation = enabled;
        self
    }

    /// Sets whether the model may ask for several calls at once; otherwise the provider decides.
    #[must_use]
    pub fn with_allow_parallel_calls(mut self, enabled: bool) -> Self {
        self.options.allow_parallel_calls = Some(enabled);
        self
    }

    /// Sets whether the provider holds the model to the schemas of the functions, where it can;
    /// false by default.
    #[must_use]
    pub fn with_allow_strict_schema_adherence(mut self, enabled: bool) -> Self {
        self.options.allow_strict_schema_adherence = enabled;
        self
    }

    /// Sets how many rounds of calls there may be.
    #[must_use]
    pub fn with_max_rounds(mut self, rounds: usize) -> Self {
        self.options.max_rounds = rounds;
        self
    }

    /// Sets how many calls of one round are run.
    #[must_use]
    pub fn with_max_calls_per_round(mut self, calls: usize) -> Self {
        self.options.max_calls_per_round = calls;
        self
    }

    /// Sets how many requests to models the run may make, together with all runs that its functions begin.
    #[must_use]
    pub fn with_max_total_requests(mut self, requests: usize) -> Self {
        self.options.max_total_requests = Some(requests);
        self
    }

    /// Sets how many calls of functions models may make in the run, together with all runs that its functions begin.
    #[must_use]
    pub fn with_max_total_calls(mut self, calls: usize) -> Self {
        self.options.max_total_calls = Some(calls);
        self
    }

    /// Sets how long the run may take before its last request.
    #[must_use]
    pub fn with_max_total_time(mut self, time: Duration) -> Self {
        self.options.max_total_time = time;
        self
    }

    /// Sets how long what a model is told of one result may be, in characters of JSON.
    #[must_use]
    pub fn with_max_result_characters(mut self, characters: usize) -> Self {
        self.options.max_result_characters = characters;
        self
    }

    /// Sets whether a call that was made before runs again: for functions whose result changes, or that do something.
    #[must_use]
    pub fn with_allow_repeated_calls(mut self, enabled: bool) -> Self {
        self.options.allow_repeated_calls = enabled;
        self
    }

    /// Sets whether search results get a `Citation` that the model can refer to.
    #[must_use]
    pub fn with_number_results(mut self, enabled: bool) -> Self {
        self.options.number_results = enabled;
        self
    }
}

impl ExecutionSettings {
    /// Sets which functions the model may call: the setting `function_choice_behavior`.
    #[must_use]
    pub fn with_function_choice(self, behavior: &FunctionChoiceBehavior) -> Self {
        // A structure of texts, numbers and lists is always JSON.
        self.with(SETTING, serde_json::to_value(behavior).unwrap_or_default())
    }
}

impl From<FunctionChoiceBehavior> for ExecutionSettings {
    fn from(behavior: FunctionChoiceBehavior) -> Self {
        Self::new().with_function_choice(&behavior)
    }
}

/// Writes a duration as seconds, the form of prompt files.
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
