//! Inputs and steps.

use serde_json::Value;

use super::{CheckedStep, scope::Scope};
use crate::{
    ProblemKind, Step,
    reference::{Reference, Root, is_name},
    schema::{Type, Work},
    template::Template,
    text::excerpt,
};

const LIST: &str = "`for_each`";
const LONGEST_ID: usize = 64;

impl<'c> Scope<'c, '_> {
    pub(super) fn check_inputs(&mut self) {
        let inputs = &self.plan.inputs;
        for (name, schema) in inputs {
            let place = format!("input `{}`", excerpt(name));
            if !is_name(name) {
                let message = "is no name; use letters, digits and `_`, not starting with a digit";
                self.add(ProblemKind::InvalidId, &place, message);
            }
            let is_same = |other: &&String| other.eq_ignore_ascii_case(name);
            let before = inputs.keys().take_while(|other| *other != name);
            if let Some(other) = before.into_iter().find(is_same) {
                let message = format!("differs from `{}` only in case; rename one", excerpt(other));
                self.add(ProblemKind::InvalidId, &place, message);
            }
            if !schema.is_object() && !schema.is_boolean() {
                let message =
                    "needs a JSON schema, such as {\"type\": \"string\"}, or true for any value";
                self.add(ProblemKind::TypeMismatch, &place, message);
            }
        }
    }

    /// Returns `None` if its function is unknown.
    pub(super) fn check_step(&mut self, step: &'c Step) -> Option<CheckedStep> {
        self.work = Work::default();
        self.check_id(step);
        let function = self.functions.get(self.at)?.as_ref();
        if let Err(message) = function {
            let message = format!("`{}` is unknown; {message}", excerpt(&step.function));
            self.add(ProblemKind::UnknownFunction, "function", message);
        }
        let function = function.ok();
        let for_each = step.for_each.as_ref().map(|list| self.list(list));
        let when = step.when.as_ref().map(|condition| self.condition(condition));
        let arguments = self.arguments(step, function.map(|function| &**function.metadata()));
        let mut needs = Vec::new();
        let mut visit = |reference: &Reference| {
            if let Root::Step(id) = &reference.root
                && let Some(place) = self.plan.place(id)
                && !needs.contains(&place)
            {
                needs.push(place);
            }
        };
        let compared = when.iter().flat_map(|when| [&when.value].into_iter().chain(&when.other));
        let values = arguments.iter().map(|(_, value)| value).chain(&for_each).chain(compared);
        values.for_each(|value| value.for_each_reference(&mut visit));
        Some(CheckedStep { function: function?.clone(), arguments, for_each, when, needs })
    }

    fn check_id(&mut self, step: &Step) {
        if !is_name(&step.id) || step.id.len() > LONGEST_ID {
            let message = format!(
                "is no name; use up to {LONGEST_ID} letters, digits and `_`, not starting with a digit"
            );
            self.add(ProblemKind::InvalidId, "", message);
        }
        if self.plan.place(&step.id) != Some(self.at) {
            let message = "is the name of two steps; give each its own";
            self.add(ProblemKind::InvalidId, "", message);
        }
    }

    /// Sets the type of `$.item`, which is any value if the list has a mistake.
    fn list(&mut self, list: &'c Value) -> Template {
        let template = self.parse(list, LIST);
        let list_type = match &template {
            Template::Reference(reference) => {
                self.type_of(reference, LIST, "").unwrap_or(Type::Any)
            }
            Template::Malformed => Type::Any,
            Template::List(_) => {
                self.check(&template, &Type::Any, LIST, "");
                Type::Any.list_of()
            }
            // The text `$$.a` is no list, so the plan's own value serves as well.
            Template::Literal(_) | Template::Object(_) => {
                self.check(&template, &Type::Any, LIST, "");
                Type::Literal(list)
            }
        };
        let items = list_type.items();
        if items.is_none() {
            let message = format!("must be a list: found {}", list_type.describe());
            self.add(ProblemKind::NotAList, LIST, message);
        }
        self.item = Some(items.unwrap_or(Type::Any));
        // The run checks the lists that references select.
        let count = list.as_array().map_or(0, Vec::len);
        if count > self.max_calls {
            let max = self.max_calls;
            let message = format!("has too many items ({count}); a run makes at most {max} calls");
            self.add(ProblemKind::TooLarge, LIST, message);
        }
        template
    }
}
