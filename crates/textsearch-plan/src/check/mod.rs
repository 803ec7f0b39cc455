//! Checks a plan before it runs.

mod arguments;
mod checked;
mod condition;
mod embedded;
mod order;
mod places;
mod report;
mod step;

pub use checked::CheckedPlan;
pub(crate) use checked::{CheckedCondition, CheckedStep, Compiled};

use std::{collections::HashMap, sync::Arc};

use serde_json::Value;
use textsearch_kernel::{
    Kernel, KernelFunction, KernelPlugin, chat::OfferedFunctions, function::FunctionMetadata,
};

use self::{places::Places, report::Report};
use crate::{
    InvalidPlan, Plan, PlanLimits, ProblemKind, template, template::Template, text::listed,
};

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
        Self::of(kernel.plugins().iter().flat_map(KernelPlugin::functions))
    }

    /// Creates a checker of plans that may use only the `offered` functions.
    pub fn from_offered(offered: &OfferedFunctions) -> Self {
        Self::of(offered.functions())
    }

    pub(crate) fn of<'a>(functions: impl IntoIterator<Item = &'a KernelFunction>) -> Self {
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
    /// # Errors
    ///
    /// Returns all mistakes, each with its step and place.
    pub fn check(&self, plan: Plan) -> Result<CheckedPlan, InvalidPlan> {
        let mut report = Report::default();
        if !self.is_small_enough(&plan, &mut report) {
            return Err(report.into_error());
        }
        let places = Places::of(&plan);
        let functions: Vec<Option<KernelFunction>> =
            plan.steps.iter().map(|step| self.function(&step.function)).collect();
        let result = parse(&plan.result, &mut report, None, "result");
        let steps = step::check_all(&plan, &functions, &places, &result, &mut report, self);
        match steps.filter(|_| report.is_empty()) {
            Some(steps) => Ok(CheckedPlan::new(plan, steps, result, self.limits.clone())),
            None => Err(report.into_error()),
        }
    }

    fn function(&self, name: &str) -> Option<KernelFunction> {
        self.functions.get(&key(name)).cloned()
    }

    fn describe_unknown(&self, name: &str) -> String {
        let mut known: Vec<String> =
            self.functions.values().map(|one| planned_name(one.metadata())).collect();
        known.sort_unstable();
        let wanted = key(name);
        let last = wanted.rsplit('-').next().unwrap_or_default();
        let is_like = |one: &&String| key(one).rsplit('-').next() == Some(last);
        let like: Vec<&str> = known.iter().filter(is_like).map(String::as_str).collect();
        if known.is_empty() {
            return "the plan may use no function".to_owned();
        }
        if !like.is_empty() {
            return format!("did you mean {}", listed(like));
        }
        format!("use one of {}", listed(known.iter().map(String::as_str)))
    }

    fn is_small_enough(&self, plan: &Plan, report: &mut Report) -> bool {
        let PlanLimits { max_steps, max_plan_bytes, .. } = self.limits;
        let mut too_large = |message| report.add(ProblemKind::TooLarge, None, "", message);
        if plan.steps.len() > max_steps {
            let count = plan.steps.len();
            too_large(format!("the plan has too many steps ({count}); use at most {max_steps}"));
            return false;
        }
        let mut left = max_plan_bytes;
        if weigh(plan, &mut left).is_none() {
            too_large(format!(
                "the plan is larger than {max_plan_bytes} bytes; pass large values as inputs"
            ));
            return false;
        }
        true
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
    let mut key = name.to_ascii_lowercase();
    // A plugin's name has neither; a function's name may have a dash.
    if let Some(place) = key.find(['.', '-']) {
        key.replace_range(place..=place, "-");
    }
    key
}

fn parse(value: &Value, report: &mut Report, step: Option<&str>, place: &str) -> Template {
    let mut mistakes = Vec::new();
    let template = Template::parse(value, &mut mistakes);
    for (at, message) in mistakes {
        report.add(ProblemKind::InvalidReference, step, &report::at(place, &at), message);
    }
    template
}

fn weigh(plan: &Plan, left: &mut usize) -> Option<()> {
    let texts = plan.steps.iter().flat_map(|step| [&step.id, &step.function]);
    let names = plan.steps.iter().flat_map(|step| step.arguments.keys()).chain(plan.inputs.keys());
    let size: usize = texts.chain(names).map(String::len).sum();
    *left = left.checked_sub(size)?;
    let conditions = plan.steps.iter().filter_map(|step| step.when.as_ref());
    let conditions = conditions.flat_map(|one| [Some(&one.value), one.other.as_ref()]).flatten();
    let values = plan.steps.iter().flat_map(|step| step.arguments.values().chain(&step.for_each));
    let values = values.chain(conditions).chain(plan.inputs.values()).chain([&plan.result]);
    values.into_iter().try_for_each(|value| template::weigh(value, left))
}
