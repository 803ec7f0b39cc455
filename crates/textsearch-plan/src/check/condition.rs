//! Conditions.

use serde_json::Value;

use super::{CheckedCondition, scope::Scope};
use crate::{
    Condition, Operator, ProblemKind,
    schema::{Kinds, Type, overlaps},
    template::Template,
    text::excerpt_of,
};

const PLACE: &str = "`when`";

impl<'c> Scope<'c, '_> {
    pub(super) fn condition(&mut self, condition: &Condition) -> CheckedCondition {
        let operator = condition.is;
        if operator.takes_other() && condition.other.is_none() {
            let message = format!(
                "`{operator}` needs `other`, the value to compare with; write null to compare with null"
            );
            self.add(ProblemKind::InvalidCondition, PLACE, message);
        }
        let is_other = |other: &Value| !operator.takes_other() && !other.is_null();
        if condition.other.as_ref().is_some_and(is_other) {
            let message = format!("`{operator}` takes no `other`; leave it out");
            self.add(ProblemKind::InvalidCondition, PLACE, message);
        }
        let value = self.parse(&condition.value, "`when` `value`");
        let other = condition.other.as_ref().map(|other| self.parse(other, "`when` `other`"));
        let value_type = self.type_of_template(&value, "`when` `value`");
        let other_type = other
            .as_ref()
            .map_or(Type::Any, |other| self.type_of_template(other, "`when` `other`"));
        if let Some(message) = self.undecidable(condition, &value_type, &other_type) {
            self.add(ProblemKind::InvalidCondition, PLACE, message);
        }
        CheckedCondition { value, operator, other }
    }

    fn undecidable(
        &mut self,
        condition: &Condition,
        value: &Type<'_>,
        other: &Type<'_>,
    ) -> Option<String> {
        let operator = condition.is;
        let kinds = value.kinds();
        if operator.needs_order() {
            let common = |ordered: Kinds| kinds.meets(ordered) && other.kinds().meets(ordered);
            if common(Kinds::NUMBER) || common(Kinds::TEXT) {
                return None;
            }
            let value = value.describe();
            let other = other.describe();
            return Some(format!(
                "`{operator}` compares numbers or texts: found {value} and {other}"
            ));
        }
        if operator == Operator::Contains {
            let value = value.describe();
            let is_decidable = kinds.meets(Kinds::LIST) || kinds.meets(Kinds::TEXT);
            return (!is_decidable)
                .then(|| format!("`{operator}` looks into lists and texts: found {value}"));
        }
        if operator.takes_other() && !overlaps(value, other, &mut self.work) {
            let value = value.describe();
            let other = other.describe();
            let shown = excerpt_of(&condition.value);
            return Some(format!("{shown} is {value}, which never equals {other}"));
        }
        None
    }

    /// Any, if it has a mistake or references inside.
    pub(super) fn type_of_template<'t>(&mut self, template: &'t Template, place: &str) -> Type<'t>
    where
        'c: 't,
    {
        match template {
            Template::Malformed => Type::Any,
            Template::Literal(value) => Type::Literal(value),
            Template::Reference(reference) => {
                self.type_of(reference, place, "").unwrap_or(Type::Any)
            }
            Template::List(_) | Template::Object(_) => {
                self.check(template, &Type::Any, place, "");
                let is_list = matches!(template, Template::List(_));
                if is_list { Type::Any.list_of() } else { Type::Any }
            }
        }
    }
}
