//! Asks a model for a plan.

mod manual;
mod prompt;
mod rank;

use serde_json::{Map, Value};
use textsearch_core::chat::{ChatHistory, ChatMessage, Usage};
use textsearch_kernel::{
    Kernel, KernelError,
    chat::{AnswerFormat, FunctionChoiceBehavior, SchemaMode},
    function::read_value,
    prompt::ExecutionSettings,
};

use self::manual::Manual;
use crate::{CheckedPlan, Plan, PlanChecker, PlanError, PlanLimits};

/// Asks a chat model to plan how to reach a goal with the functions of a kernel.
///
/// The model reads a manual of the functions, the most relevant first. Its plan is checked, and the
/// mistakes are sent back for a few repairs. Show the plan to a person before you run it.
///
/// An [`AutoFunctionInvocationFilter`](textsearch_kernel::chat::AutoFunctionInvocationFilter) sees
/// no step of the plan. To ask a person for single calls, use a
/// [`FunctionInvocationFilter`](textsearch_kernel::function::FunctionInvocationFilter) and
/// [`Kernel::is_for_model`](textsearch_kernel::Kernel::is_for_model).
///
/// ```no_run
/// use textsearch_kernel::{Kernel, KernelArguments};
/// use textsearch_plan::{PlanError, Planner};
///
/// async fn tomorrow(kernel: &Kernel) -> Result<i32, PlanError> {
///     let planner = Planner::new().with_functions(["Dates.GetDate", "Weather.GetForecast"]);
///     let made = planner.plan(kernel, "How warm will it be tomorrow, in degrees Fahrenheit?").await?;
///     println!("{}", made.plan);
///     made.plan.run(kernel, KernelArguments::new()).await?.result()
/// }
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Planner {
    /// The model's settings by its own names, and `service_id` to choose the model.
    pub settings: ExecutionSettings,
    /// The functions that a plan may use; `None` for all of the kernel except the opt-in ones.
    pub functions: Option<Vec<String>>,
    /// The inputs that a plan may use: the JSON schema of each, by name.
    pub inputs: Map<String, Value>,
    /// The maximum length of the manual, in tokens of four bytes; 4,000 by default. Functions that
    /// don't fit are not offered.
    pub max_manual_tokens: usize,
    /// The maximum number of times that the model may repair its plan; 2 by default.
    pub max_repairs: usize,
    /// The limits of the plan and its runs.
    pub limits: PlanLimits,
}

/// A plan that a model made.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct MadePlan {
    /// The plan. Its calls count as a model's, so approvals apply to them.
    pub plan: CheckedPlan,
    /// The number of attempts: 1, and one for each repair.
    pub attempts: usize,
    /// The usage of all attempts.
    pub usage: Usage,
    /// The functions that the manual had no room for.
    pub left_out: Vec<String>,
}

impl Default for Planner {
    fn default() -> Self {
        Self {
            settings: ExecutionSettings::new(),
            functions: None,
            inputs: Map::new(),
            max_manual_tokens: 4_000,
            max_repairs: 2,
            limits: PlanLimits::default(),
        }
    }
}

impl Planner {
    /// Creates a planner that may use all functions of the kernel, except the
    /// [opt-in](textsearch_kernel::function::FunctionMetadata::opt_in) ones.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the model's settings. The planner sets `response_format`, and refuses settings that let
    /// the model call functions or that add search results: `function_choice_behavior`,
    /// `memory_config` and context providers.
    #[must_use]
    pub fn with_settings(mut self, settings: ExecutionSettings) -> Self {
        self.settings = settings;
        self
    }

    /// Sets the functions that a plan may use, named `Plugin.Function` or `Plugin-Function`.
    #[must_use]
    pub fn with_functions(mut self, names: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.functions = Some(names.into_iter().map(Into::into).collect());
        self
    }

    /// Adds an input that a plan may use, with the JSON schema of its values.
    #[must_use]
    pub fn with_input(mut self, name: impl Into<String>, schema: impl Into<Value>) -> Self {
        self.inputs.insert(name.into(), schema.into());
        self
    }

    /// Asks a model of `kernel` for a plan that reaches `goal`. Calls no function.
    ///
    /// A text that has a reference such as `$.steps.date` inside is a mistake here, since the function
    /// would get it as it is. [`PlanChecker`] allows such texts.
    ///
    /// # Errors
    ///
    /// - [`NoPlan`](PlanError::NoPlan) if the model wrote no plan that passes the check.
    /// - [`InvalidSetting`](PlanError::InvalidSetting) if no function fits into the manual, or the
    ///   settings let the model call functions or add search results.
    /// - [`Kernel`](PlanError::Kernel) for the errors of
    ///   [`Kernel::chat`](textsearch_kernel::Kernel::chat), and if the kernel lacks a named function
    ///   or the model refuses.
    pub async fn plan(&self, kernel: &Kernel, goal: &str) -> Result<MadePlan, PlanError> {
        self.check_settings()?;
        let manual = self.manual(kernel, goal)?;
        let checker = PlanChecker::from_functions(&manual.functions)
            .with_limits(self.limits.clone())
            .for_model();
        let inputs = self.inputs.clone();
        let read = move |written| {
            let mut plan: Plan = read_value(&written)
                .map_err(|error| format!("the plan has a mistake at {error}"))?;
            // Only the caller can give values to inputs.
            plan.inputs.clone_from(&inputs);
            checker.check(plan).map_err(|error| error.to_string())
        };
        // The schema can't be strict: arguments have any name.
        let mut format = AnswerFormat::from_reader("plan", prompt::schema(&manual), read);
        format.schema_mode = SchemaMode::Lenient;
        format.max_repairs = self.max_repairs;
        format.max_answer_bytes = self.limits.max_plan_bytes;
        let mut history = ChatHistory::new();
        history.push(ChatMessage::system(prompt::system(&manual, &self.inputs)));
        history.push(ChatMessage::user(goal));
        let answer = kernel.chat_as(history, self.settings.clone(), &format).await;
        let answer = answer.map_err(|error| match error {
            KernelError::WrongAnswer { attempts, problem, .. } => {
                PlanError::NoPlan { attempts, problem }
            }
            error => error.into(),
        })?;
        Ok(MadePlan {
            plan: answer.value.with_for_model(true),
            attempts: answer.attempts,
            usage: answer.outcome.run.usage,
            left_out: manual.left_out,
        })
    }

    /// A model that may call functions calls them before anybody has seen the plan.
    fn check_settings(&self) -> Result<(), PlanError> {
        let values = self.settings.values();
        let refused = ["function_choice_behavior", "memory_config"];
        let named = refused.into_iter().find(|name| values.contains_key(*name));
        // Settings with providers have no JSON.
        let has_providers = serde_json::to_value(&self.settings).is_err();
        match named.or(has_providers.then_some("context providers")) {
            Some(name) => Err(PlanError::InvalidSetting {
                message: format!("its settings have `{name}`, which plans can't use; remove it"),
            }),
            None => Ok(()),
        }
    }

    fn manual(&self, kernel: &Kernel, goal: &str) -> Result<Manual, PlanError> {
        let mut behavior = FunctionChoiceBehavior::auto();
        behavior.functions.clone_from(&self.functions);
        let offered = kernel.offered_functions(&behavior)?;
        let manual = Manual::new(goal, &offered, self.max_manual_tokens);
        if manual.functions.is_empty() {
            let message = match offered.functions().len() {
                0 => "the kernel offers no function; add a plugin".to_owned(),
                count => format!(
                    "none of {count} functions fits into `max_manual_tokens` ({}); raise it",
                    self.max_manual_tokens
                ),
            };
            return Err(PlanError::InvalidSetting { message });
        }
        Ok(manual)
    }
}
