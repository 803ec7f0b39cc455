//! Checks a plan before it runs.

mod arguments;
mod checked;
mod condition;
mod references;
mod report;
mod scope;
mod step;
mod values;

pub use checked::CheckedPlan;
pub(crate) use checked::{CheckedCondition, CheckedStep, Compiled};
pub(crate) use report::Report;

use std::{collections::HashMap, sync::Arc};

use textsearch_kernel::{
    Kernel, KernelFunction, KernelPlugin, chat::OfferedFunctions, function::FunctionMetadata,
};

use self::scope::Scope;
use crate::{InvalidPlan, Plan, PlanLimits, ProblemKind, schema::Work, text::listed};

/// Checks plans against the functions that they may use.
///
/// ```
/// use textsearch_kernel::{Kernel, TextSearchPlugins, textsearch_core::FixedSearch};
/// use textsearch_plan::{Plan, PlanChecker, Step};
///
/// let search = FixedSearch::<textsearch_core::TextSearchResult>::new([]);
/// let mut kernel = Kernel::new();
/// kernel.add_plugin(search.create_with_get_search_results("Docs")?)?;
/// let checker = PlanChecker::new(&kernel);
///
/// let search = Step::new("found", "Docs.GetSearchResults").with_argument("query", "tides");
/// let plan = |result: &str| Plan::new(result).with_step(search.clone());
/// assert!(checker.check(plan("$.steps.found.result[0].Link")).is_ok());
/// let error = checker.check(plan("$.steps.found.result[0].Url")).unwrap_err();
/// assert!(error.to_string().contains("has no field `Url`"));
/// # Ok::<(), textsearch_kernel::KernelError>(())
/// ```
#[derive(Debug, Clone)]
pub struct PlanChecker {
    functions: Arc<HashMap<String, KernelFunction>>,
    limits: PlanLimits,
    /// Whether a reference inside a text is a mistake.
    is_for_model: bool,
}

impl PlanChecker {
    /// Creates a checker of plans that may use every function of `kernel`, also opt-in ones.
    pub fn new(kernel: &Kernel) -> Self {
        Self::from_functions(kernel.plugins().iter().flat_map(KernelPlugin::functions))
    }

    /// Creates a checker of plans that may use only the `offered` functions.
    pub fn from_offered(offered: &OfferedFunctions) -> Self {
        Self::from_functions(offered.functions())
    }

    pub(crate) fn from_functions<'a>(
        functions: impl IntoIterator<Item = &'a KernelFunction>,
    ) -> Self {
        let named = functions
            .into_iter()
            .map(|function| (key(&planned_name(function.metadata())), function.clone()));
        Self {
            functions: Arc::new(named.collect()),
            limits: PlanLimits::default(),
            is_for_model: false,
        }
    }

    /// Sets the limits of plans and their runs.
    #[must_use]
    pub fn with_limits(mut self, limits: PlanLimits) -> Self {
        self.limits = limits;
        self
    }

    pub(crate) fn for_model(mut self) -> Self {
        self.is_for_model = true;
        self
    }

    /// Checks `plan`, without calling anything.
    ///
    /// A value is a mistake only if it can't fit: a function without a schema may return anything,
    /// and a result that may be null fits a parameter that takes no null. The run checks the values.
    ///
    /// Checking one value against its schema never yields to other tasks, neither here nor in a run. Its
    /// work is bounded by the size of the value.
    ///
    /// # Errors
    ///
    /// Returns all mistakes, each with its step and place.
    pub fn check(&self, plan: Plan) -> Result<CheckedPlan, InvalidPlan> {
        let mut report = Report::default();
        if let Some(message) = self.too_large(&plan) {
            report.add(ProblemKind::TooLarge, None, "", message);
            return Err(report.into_error());
        }
        let functions: Vec<_> =
            plan.steps.iter().map(|step| self.function(&step.function)).collect();
        let scope = Scope {
            plan: &plan,
            functions: &functions,
            is_for_model: self.is_for_model,
            max_calls: self.limits.max_calls,
            report: &mut report,
            at: plan.steps.len(),
            item: None,
            work: Work::default(),
        };
        let compiled = scope.check_plan();
        if report.is_empty() {
            Ok(CheckedPlan::new(plan, compiled, self.limits.clone()))
        } else {
            Err(report.into_error())
        }
    }

    fn function(&self, name: &str) -> Result<KernelFunction, String> {
        let function = self.functions.get(&key(name));
        function.cloned().ok_or_else(|| self.describe_unknown(name))
    }

    fn describe_unknown(&self, name: &str) -> String {
        let mut known: Vec<String> =
            self.functions.values().map(|function| planned_name(function.metadata())).collect();
        known.sort_unstable();
        let last = |name: &str| key(name).rsplit('-').next().unwrap_or_default().to_owned();
        let is_like = |other: &&String| last(other) == last(name);
        let like = listed(known.iter().filter(is_like).map(String::as_str));
        if known.is_empty() {
            return "the plan may use no function".to_owned();
        }
        if !like.is_empty() {
            return format!("did you mean {like}");
        }
        format!("use one of {}", listed(known.iter().map(String::as_str)))
    }

    fn too_large(&self, plan: &Plan) -> Option<String> {
        let PlanLimits { max_steps, max_plan_bytes, .. } = self.limits;
        let count = plan.steps.len();
        if count > max_steps {
            return Some(format!("the plan has too many steps ({count}); use at most {max_steps}"));
        }
        let bytes = serde_json::to_vec(plan).map_or(usize::MAX, |json| json.len());
        (bytes > max_plan_bytes).then(|| {
            format!("the plan is larger than {max_plan_bytes} bytes; pass large values as inputs")
        })
    }
}

/// The name in plans and manuals.
pub(crate) fn planned_name(function: &FunctionMetadata) -> String {
    match &function.plugin_name {
        Some(plugin) => format!("{plugin}.{}", function.name),
        None => function.name.clone(),
    }
}

/// `Plugin.Function` and `Plugin-Function` are the same. Names ignore case.
fn key(name: &str) -> String {
    // A plugin's name has neither; a function's name may have a dash.
    name.to_ascii_lowercase().replacen('.', "-", 1)
}
