//! Checks that references name earlier steps, and finds the types that they select.

use textsearch_kernel::KernelFunction;

use super::places::Places;
use crate::{
    Plan, ProblemKind,
    reference::{Part, Reference, Root},
    schema::{Missing, Type},
    text::{excerpt, listed},
};

/// What references in one step, or in the plan's result, may name.
pub(super) struct Scope<'c> {
    pub(super) plan: &'c Plan,
    pub(super) functions: &'c [Option<KernelFunction>],
    pub(super) places: &'c Places<'c>,
    /// For each step, the steps that it refers to.
    pub(super) needs: &'c [Vec<usize>],
    /// The position of the step; one after the last for the result.
    pub(super) at: usize,
    pub(super) item: Option<Type<'c>>,
}

pub(super) type Mistake = (ProblemKind, String);

impl<'c> Scope<'c> {
    pub(super) fn type_of(&self, reference: &Reference) -> Result<Type<'c>, Mistake> {
        let root = self.type_of_root(reference)?;
        root.select(&reference.parts)
            .map_err(|missing| (ProblemKind::UnknownField, describe(reference, &missing)))
    }

    fn type_of_root(&self, reference: &Reference) -> Result<Type<'c>, Mistake> {
        match &reference.root {
            Root::Item => self.item.clone().ok_or_else(|| {
                let message = "`$.item` has no value here; use it in a step with `for_each`";
                (ProblemKind::UnknownReference, message.to_owned())
            }),
            Root::Input(name) => match self.plan.inputs.get(name) {
                Some(schema) => Ok(Type::of_schema(schema)),
                None => {
                    let known = self.plan.inputs.keys().map(String::as_str);
                    Err((ProblemKind::UnknownReference, unknown("input", reference, name, known)))
                }
            },
            Root::Step(id) => {
                let place = self.places.get(id).ok_or_else(|| {
                    let known = self.places.ids().into_iter();
                    (ProblemKind::UnknownReference, unknown("step", reference, id, known))
                })?;
                self.is_earlier(place, reference, id)?;
                Ok(self.type_of_step(place))
            }
        }
    }

    fn type_of_step(&self, place: usize) -> Type<'c> {
        let function = self.functions.get(place).and_then(Option::as_ref);
        let schema = function.map(|function| &*function.metadata().return_parameter.schema);
        let result = schema.map_or(Type::Any, Type::of_schema);
        let is_loop = self.plan.steps.get(place).is_some_and(|step| step.for_each.is_some());
        if is_loop { result.list_of() } else { result }
    }

    fn is_earlier(&self, place: usize, reference: &Reference, id: &str) -> Result<(), Mistake> {
        if place < self.at {
            return Ok(());
        }
        let id = excerpt(id);
        if place == self.at {
            let message =
                format!("{reference} is the step's own result; a step can't wait for itself");
            return Err((ProblemKind::Cycle, message));
        }
        if self.waits_for(place, self.at) {
            let message = format!(
                "{reference} is the result of step `{id}`, which waits for this step; a cycle can't run"
            );
            return Err((ProblemKind::Cycle, message));
        }
        let message = format!(
            "{reference} is the result of the later step `{id}`; move that step before this one"
        );
        Err((ProblemKind::LaterStep, message))
    }

    fn waits_for(&self, step: usize, other: usize) -> bool {
        let mut seen = vec![false; self.needs.len()];
        let mut open = vec![step];
        while let Some(step) = open.pop() {
            for needed in self.needs.get(step).into_iter().flatten() {
                match seen.get_mut(*needed) {
                    _ if *needed == other => return true,
                    Some(seen) if !*seen => {
                        *seen = true;
                        open.push(*needed);
                    }
                    _ => {}
                }
            }
        }
        false
    }
}

fn unknown<'a>(
    what: &str,
    reference: &Reference,
    name: &str,
    known: impl Iterator<Item = &'a str>,
) -> String {
    let known = listed(known);
    let known = if known.is_empty() {
        format!("the plan has no {what}s")
    } else {
        format!("the {what}s are {known}")
    };
    format!("{reference} names the unknown {what} `{}`; {known}", excerpt(name))
}

fn describe(reference: &Reference, missing: &Missing) -> String {
    let before = base(reference, missing.depth);
    let within = &missing.within;
    match reference.parts.get(missing.depth) {
        Some(Part::Name(name)) => {
            format!("`{before}` has no field `{}`; it is {within}", excerpt(name))
        }
        Some(Part::Filter(..)) => {
            format!(
                "`{before}` can't be filtered so: it is {within}; name only fields that its items have"
            )
        }
        _ => format!("`{before}` has no items; it is {within}"),
    }
}

/// The reference up to this part, as written if its text can be cut there.
fn base(reference: &Reference, depth: usize) -> String {
    let root = match &reference.root {
        Root::Step(id) => format!("$.steps.{id}.result"),
        Root::Input(name) => format!("$.inputs.{name}"),
        Root::Item => "$.item".to_owned(),
    };
    let parts = reference.parts.iter().take(depth).map(|part| match part {
        Part::Name(name) if crate::reference::is_name(name) => format!(".{name}"),
        Part::Name(name) => format!("['{name}']"),
        Part::Index(index) => format!("[{index}]"),
        Part::All => "[*]".to_owned(),
        Part::Slice(_) => "[…:…]".to_owned(),
        Part::Filter(..) => "[?…]".to_owned(),
    });
    excerpt(&parts.fold(root, |path, part| path + &part))
}
