//! Finds references inside literal texts, such as "see $.steps.a.result". A function would get them as
//! they are written, so they are a model's mistake.

use serde_json::Value;

use super::{
    places::Places,
    report::{Report, at, field_of},
};
use crate::{
    Plan, ProblemKind, Step,
    template::{is_reference, unescaped},
    text::excerpt,
};

/// The names that references may have.
pub(super) struct Embedded<'c> {
    pub(super) plan: &'c Plan,
    pub(super) places: &'c Places<'c>,
}

impl Embedded<'_> {
    pub(super) fn check_step(&self, step: &Step, report: &mut Report) {
        let id = Some(step.id.as_str());
        for (name, value) in &step.arguments {
            self.check(value, (id, &format!("argument `{}`", excerpt(name))), "", report);
        }
        if let Some(list) = &step.for_each {
            self.check(list, (id, "`for_each`"), "", report);
        }
        if let Some(condition) = &step.when {
            self.check(&condition.value, (id, "`when` `value`"), "", report);
            let other = condition.other.as_ref().unwrap_or(&Value::Null);
            self.check(other, (id, "`when` `other`"), "", report);
        }
    }

    pub(super) fn check_result(&self, report: &mut Report) {
        self.check(&self.plan.result, (None, "result"), "", report);
    }

    fn check(
        &self,
        value: &Value,
        (step, place): (Option<&str>, &str),
        path: &str,
        report: &mut Report,
    ) {
        match value {
            Value::String(text) if !is_reference(text) => {
                if let Some(found) = self.find(unescaped(text)) {
                    let message = format!(
                        "has `{found}` inside a text, which isn't replaced; a reference must be the whole value: \
                         pass it as an argument or a list item of its own"
                    );
                    report.add(ProblemKind::InvalidReference, step, &at(place, path), message);
                }
            }
            Value::Array(items) => items.iter().enumerate().for_each(|(position, item)| {
                self.check(item, (step, place), &format!("{path}[{position}]"), report);
            }),
            Value::Object(fields) => fields.iter().for_each(|(name, field)| {
                self.check(field, (step, place), &field_of(path, name), report);
            }),
            _ => {}
        }
    }

    /// Returns the start of the first reference that isn't at the start of `text`.
    fn find<'t>(&self, text: &'t str) -> Option<&'t str> {
        text.match_indices("$.").filter(|(start, _)| *start > 0).find_map(|(start, _)| {
            let rest = text.get(start..)?;
            let named = |root: &str| {
                let after = rest.strip_prefix(root)?;
                let end = after.find(|one: char| !one.is_ascii_alphanumeric() && one != '_');
                let end = end.unwrap_or(after.len());
                Some((after.get(..end)?, rest.get(..root.len() + end)?))
            };
            let known = |root: &str, is_known: &dyn Fn(&str) -> bool| {
                named(root).filter(|(name, _)| is_known(name)).map(|(_, found)| found)
            };
            known("$.steps.", &|id| self.places.get(id).is_some())
                .or_else(|| known("$.inputs.", &|name| self.plan.inputs.contains_key(name)))
                .or_else(|| known("$.", &|name| name == "item"))
        })
    }
}
