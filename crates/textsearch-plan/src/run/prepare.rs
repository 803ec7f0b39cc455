//! Makes the values of a step: its condition, the items of its loop, the arguments of its calls.

use serde_json::Value;
use textsearch_kernel::{KernelArguments, KernelFunction, function::ParameterMetadata};
use tracing::Span;

use super::{
    failure::{Cause, Failure},
    progress::{Progress, Unit},
    shared::Shared,
};
use crate::{
    Operator,
    budget::Budget,
    check::CheckedCondition,
    limits::Limit,
    reference::Root,
    schema::{Kinds, Type, Work, validate},
    template::Template,
    text::excerpt_of,
};

/// The values of one step, or of one call of a loop.
pub(super) struct Values<'a, 'p> {
    shared: &'a Shared<'a>,
    progress: &'p Progress,
    unit: Unit,
    item: Option<&'p Value>,
}

impl<'a, 'p> Values<'a, 'p> {
    pub(super) fn new(shared: &'a Shared<'a>, progress: &'p Progress, unit: Unit) -> Self {
        let items = progress.running(unit.place).and_then(|running| running.items.as_ref());
        let item = unit.item.and_then(|position| items?.get(position));
        Self { shared, progress, unit, item }
    }

    /// Sets the item of a loop that doesn't run yet.
    pub(super) fn with_item(self, item: &'p Value) -> Self {
        Self { item: Some(item), ..self }
    }

    pub(super) fn failure(&self, cause: Cause) -> Failure {
        let Unit { place, item } = self.unit;
        let step = Some(self.progress.id(place).to_owned());
        Failure { cause, step, item, dropped: false }
    }

    /// Returns the items of a loop.
    pub(super) fn items(&self) -> Result<Option<Vec<Value>>, Failure> {
        let Some(list) = &self.shared.step(self.unit.place).for_each else { return Ok(None) };
        match self.build(list, &mut self.shared.budget())? {
            // A condition may drop most items, but is itself work for each.
            Value::Array(items) if items.len() > self.shared.limits.max_calls => {
                Err(self.failure(Cause::Limit(Limit::Calls)))
            }
            Value::Array(items) => Ok(Some(items)),
            other => {
                let message = format!("`for_each` must be a list: found {}", excerpt_of(&other));
                Err(self.failure(Cause::Value(message)))
            }
        }
    }

    /// Decides the condition. Its failure is the step's, also in a loop.
    pub(super) fn hold(&self) -> Result<bool, Failure> {
        let Some(condition) = &self.shared.step(self.unit.place).when else { return Ok(true) };
        let CheckedCondition { value, operator, other } = condition;
        let value = self.compared(value, *operator)?;
        let other = match other {
            Some(other) => self.compared(other, *operator)?,
            None => Value::Null,
        };
        operator.holds(&value, &other).ok_or_else(|| {
            let value = excerpt_of(&value);
            let other = excerpt_of(&other);
            self.wrong_condition(format!("can't tell whether {value} is {operator} {other}"))
        })
    }

    /// Returns one side of a comparison. A reference to nothing would make `not_equal_to` true by
    /// accident, so only `empty` and `not_empty` take it for null.
    fn compared(&self, side: &Template, operator: Operator) -> Result<Value, Failure> {
        let value = self.build(side, &mut self.shared.budget())?;
        if value.is_null()
            && operator.takes_other()
            && let Some(reference) = side.unmatched(&|root| self.root(root))
        {
            return Err(self.wrong_condition(format!(
                "can't compare {reference}, which matches nothing; use `empty` or `not_empty`, or refer to a value that exists"
            )));
        }
        Ok(value)
    }

    fn wrong_condition(&self, message: String) -> Failure {
        Failure { item: None, ..self.failure(Cause::Value(format!("`when` {message}"))) }
    }

    fn root(&self, root: &Root) -> Option<&'p Value> {
        self.progress.value(root, self.item)
    }

    fn build(&self, template: &Template, budget: &mut Budget<'_>) -> Result<Value, Failure> {
        let built = template.build(&|root| self.root(root), budget);
        built.map_err(|limit| self.failure(Cause::Limit(limit)))
    }

    /// The values exist now, so they are checked against the parameters' schemas.
    pub(super) fn arguments(&self) -> Result<(&'a KernelFunction, KernelArguments, Span), Failure> {
        let function = self.shared.function(self.unit.place);
        let mut arguments = KernelArguments::new();
        let mut budget = self.shared.budget();
        for (position, template) in &self.shared.step(self.unit.place).arguments {
            if let Some(parameter) = function.metadata().parameters.get(*position)
                && let Some(value) = self.argument(parameter, template, &mut budget)?
            {
                arguments.insert(parameter.name.as_str(), value);
            }
        }
        let running = self.progress.running(self.unit.place);
        let span = running.map_or_else(Span::none, |running| running.span.clone());
        Ok((function, arguments, span))
    }

    /// Returns `None` for an argument that is left out.
    fn argument(
        &self,
        parameter: &ParameterMetadata,
        template: &Template,
        budget: &mut Budget<'_>,
    ) -> Result<Option<Value>, Failure> {
        let before = budget.bytes;
        let value = self.build(template, budget)?;
        let is_left_out = value.is_null() && !parameter.is_required;
        if matches!(template, Template::Literal(_)) {
            // The plan itself says so, and was checked.
            return Ok(Some(value).filter(|_| !is_left_out));
        }
        let wrong = |message: String| {
            let message = format!("argument `{}` {message}", parameter.name);
            self.failure(Cause::Value(message))
        };
        let schema = Type::of_schema(&parameter.schema);
        let unmatched = template.unmatched(&|root| self.root(root));
        // The kernel leaves a null out, and a search whose filter is left out finds everything.
        if is_left_out && !names_null(&schema) {
            return Err(wrong(match unmatched {
                Some(reference) => format!(
                    "{reference} matches nothing; refer to a value that exists, or leave the argument out"
                ),
                None => "is null; refer to a value, or leave the argument out".to_owned(),
            }));
        }
        if is_left_out && unmatched.is_some() {
            return Ok(None);
        }
        let mut work = Work::for_value(before.saturating_sub(budget.bytes));
        validate(&value, &schema, &mut work).map_err(|mistake| match unmatched {
            Some(reference) => wrong(format!("{mistake}; {reference} matches nothing")),
            None => wrong(mistake.to_string()),
        })?;
        Ok(Some(value))
    }
}

/// A schema that allows every value doesn't name null.
fn names_null(schema: &Type<'_>) -> bool {
    let kinds = schema.kinds();
    kinds != Kinds::ALL && validate(&Value::Null, schema, &mut Work::default()).is_ok()
}
