//! Checks that references name earlier steps, and finds the types that they select.

use super::scope::Scope;
use crate::{
    ProblemKind,
    reference::{Part, Reference, Root},
    schema::{Missing, Type},
    text::{excerpt, listed},
};

type Mistake = (ProblemKind, String);

impl<'c> Scope<'c, '_> {
    /// Reports a reference to nothing.
    pub(super) fn type_of(
        &mut self,
        reference: &Reference,
        place: &str,
        path: &str,
    ) -> Option<Type<'c>> {
        let selected = self.type_of_root(reference).and_then(|root| {
            let selected = root.select(&reference.parts);
            selected.map_err(|missing| (ProblemKind::UnknownField, describe(reference, &missing)))
        });
        selected.map_err(|(kind, message)| self.add_at(kind, place, path, message)).ok()
    }

    fn type_of_root(&self, reference: &Reference) -> Result<Type<'c>, Mistake> {
        match &reference.root {
            Root::Item => self.item.clone().ok_or_else(|| {
                let message = "`$.item` has no value here; use it in a step with `for_each`";
                (ProblemKind::UnknownReference, message.to_owned())
            }),
            Root::Input(name) => self.plan.inputs.get(name).map(Type::of_schema).ok_or_else(|| {
                unknown("input", reference, name, self.plan.inputs.keys().map(String::as_str))
            }),
            Root::Step(id) => match self.plan.place(id) {
                Some(place) if place < self.at => Ok(self.type_of_step(place)),
                Some(_) => {
                    let message = format!(
                        "{reference} is no result of an earlier step; refer only to steps before this one"
                    );
                    Err((ProblemKind::LaterStep, message))
                }
                None => {
                    let known = self.plan.steps.iter().map(|step| step.id.as_str());
                    Err(unknown("step", reference, id, known))
                }
            },
        }
    }

    fn type_of_step(&self, place: usize) -> Type<'c> {
        let function = self.functions.get(place).and_then(|function| function.as_ref().ok());
        let result = function.map_or(Type::Any, |function| {
            Type::of_schema(&function.metadata().return_parameter.schema)
        });
        let is_loop = self.plan.steps.get(place).is_some_and(|step| step.for_each.is_some());
        if is_loop { result.list_of() } else { result }
    }
}

fn unknown<'a>(
    what: &str,
    reference: &Reference,
    name: &str,
    known: impl Iterator<Item = &'a str>,
) -> Mistake {
    let known = match listed(known) {
        known if known.is_empty() => format!("the plan has no {what}s"),
        known => format!("the {what}s are {known}"),
    };
    let message = format!("{reference} names the unknown {what} `{}`; {known}", excerpt(name));
    (ProblemKind::UnknownReference, message)
}

fn describe(reference: &Reference, missing: &Missing) -> String {
    let within = &missing.within;
    match reference.parts.get(missing.depth) {
        Some(Part::Name(name)) => {
            format!("{reference} selects nothing: {within} has no field `{}`", excerpt(name))
        }
        Some(Part::Filter(..)) => {
            format!("{reference} can't filter {within}; name only fields that its items have")
        }
        _ => format!("{reference} selects nothing: {within} has no items"),
    }
}
