//! What is known at one step of a plan, and the mistakes so far.

use serde_json::Value;
use textsearch_kernel::KernelFunction;

use super::{CheckedStep, Compiled, Report};
use crate::{
    Plan, ProblemKind,
    schema::{Type, Work},
    template::Template,
    text::excerpt,
};

pub(super) struct Scope<'c, 'r> {
    pub(super) plan: &'c Plan,
    /// For each step, its function or why it has none.
    pub(super) functions: &'c [Result<KernelFunction, String>],
    /// Whether a reference inside a text is a mistake.
    pub(super) is_for_model: bool,
    pub(super) max_calls: usize,
    pub(super) report: &'r mut Report,
    /// The position of the step; one after the last for the rest of the plan.
    pub(super) at: usize,
    /// The type of `$.item`, in a loop.
    pub(super) item: Option<Type<'c>>,
    pub(super) work: Work,
}

impl Scope<'_, '_> {
    /// The steps are complete only if no mistake is reported.
    pub(super) fn check_plan(mut self) -> Compiled {
        self.check_inputs();
        let mut steps: Vec<CheckedStep> = Vec::with_capacity(self.plan.steps.len());
        for (at, step) in self.plan.steps.iter().enumerate() {
            self.at = at;
            self.item = None;
            steps.extend(self.check_step(step));
        }
        self.at = self.plan.steps.len();
        self.item = None;
        self.work = Work::default();
        let result = self.parse(&self.plan.result, "result");
        self.check(&result, &Type::Any, "result", "");
        Compiled { steps, result }
    }

    pub(super) fn add(&mut self, kind: ProblemKind, place: &str, message: impl Into<String>) {
        let step = self.plan.steps.get(self.at).map(|step| step.id.as_str());
        self.report.add(kind, step, place, message);
    }

    /// Adds a mistake in a part of the value at `place`.
    pub(super) fn add_at(&mut self, kind: ProblemKind, place: &str, path: &str, message: String) {
        let shown = excerpt(path);
        let place = match place.strip_suffix('`') {
            _ if path.is_empty() => place.to_owned(),
            Some(named) if path.starts_with('[') => format!("{named}{shown}`"),
            Some(named) => format!("{named}.{shown}`"),
            None => format!("{place} at `{shown}`"),
        };
        self.add(kind, &place, message);
    }

    pub(super) fn parse(&mut self, value: &Value, place: &str) -> Template {
        let mut mistakes = Vec::new();
        let check = |text: &str| {
            let reference = self.reference_inside(text).filter(|_| self.is_for_model)?;
            Some(format!(
                "has `{reference}` inside a text, which isn't replaced; a reference must be the whole value: \
                 pass it as an argument or a list item of its own"
            ))
        };
        let template = Template::parse(value, &check, &mut mistakes);
        for (path, message) in mistakes {
            self.add_at(ProblemKind::InvalidReference, place, &path, message);
        }
        template
    }

    /// Returns the first reference that isn't at the start of `text`. A function would get it as it is
    /// written, so it is a model's mistake.
    fn reference_inside(&self, text: &str) -> Option<String> {
        let mut starts = text.match_indices("$.").filter(|(start, _)| *start > 0);
        starts.find_map(|(start, dollar)| {
            let (root, rest) = word(text.get(start + dollar.len()..)?);
            let name = rest.strip_prefix('.').map_or("", |rest| word(rest).0);
            match root {
                "steps" => self.plan.place(name).map(|_| format!("$.steps.{name}")),
                "inputs" => self.plan.inputs.get(name).map(|_| format!("$.inputs.{name}")),
                "item" => Some("$.item".to_owned()),
                _ => None,
            }
        })
    }
}

/// Splits after the letters, digits and `_` at the start.
fn word(text: &str) -> (&str, &str) {
    let is_end = |character: char| !character.is_ascii_alphanumeric() && character != '_';
    text.split_at(text.find(is_end).unwrap_or(text.len()))
}
