//! Conditions.

use super::{CheckedCondition, arguments::Values};
use crate::{
    Condition, ProblemKind,
    schema::{Kinds, Type, overlaps},
    template::Template,
    text::excerpt_of,
};

const PLACE: &str = "`when`";

impl<'c> Values<'c, '_> {
    pub(super) fn condition(
        &mut self,
        condition: &Condition,
        value: Template,
        other: Option<Template>,
    ) -> CheckedCondition {
        let operator = condition.is;
        let other_is_null = matches!(other, Some(Template::Literal(serde_json::Value::Null)));
        let problem = match (operator.takes_other(), &other) {
            (true, None) => Some(format!(
                "`{operator}` needs `other`, the value to compare with; write null to compare with null"
            )),
            (false, Some(_)) if !other_is_null => {
                Some(format!("`{operator}` takes no `other`; leave it out"))
            }
            _ => None,
        };
        if let Some(problem) = problem {
            self.add(ProblemKind::InvalidCondition, PLACE, problem);
        }
        let value_type = self.type_of_template(&value, &format!("{PLACE} `value`"));
        let other_type = match &other {
            Some(other) => self.type_of_template(other, &format!("{PLACE} `other`")),
            None => Type::Any,
        };
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
        let (kinds, others) = (value.kinds(), other.kinds());
        if operator.needs_order() {
            let is_ordered = kinds.meets(Kinds::ORDERED) && others.meets(Kinds::ORDERED);
            if is_ordered && overlaps_in_kind(kinds, others) {
                return None;
            }
            let (value, other) = (value.describe(), other.describe());
            return Some(format!(
                "`{operator}` compares numbers or texts: found {value} and {other}"
            ));
        }
        if operator == crate::Operator::Contains {
            if kinds.meets(Kinds::LIST) || kinds.meets(Kinds::TEXT) {
                return None;
            }
            let value = value.describe();
            return Some(format!("`{operator}` looks into lists and texts: found {value}"));
        }
        if operator.takes_other() && !overlaps(value, other, self.work) {
            let (value, other) = (value.describe(), other.describe());
            let shown = excerpt_of(&condition.value);
            return Some(format!("{shown} is {value}, which never equals {other}"));
        }
        None
    }

    /// Any, if it is wrong or has references inside.
    pub(super) fn type_of_template<'t>(&mut self, template: &'t Template, place: &str) -> Type<'t>
    where
        'c: 't,
    {
        match template {
            Template::Wrong => Type::Any,
            Template::Literal(value) => Type::Literal(value),
            Template::Reference(reference) => {
                self.type_of(reference, place, "").unwrap_or(Type::Any)
            }
            Template::List(_) => {
                self.check(template, &Type::Any, place, "");
                Type::Any.list_of()
            }
            Template::Object(_) => {
                self.check(template, &Type::Any, place, "");
                Type::Any
            }
        }
    }
}

fn overlaps_in_kind(one: Kinds, other: Kinds) -> bool {
    let number = |kinds: Kinds| kinds.meets(Kinds::NUMBER);
    let text = |kinds: Kinds| kinds.meets(Kinds::TEXT);
    (number(one) && number(other)) || (text(one) && text(other))
}
