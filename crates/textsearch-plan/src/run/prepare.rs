//! Makes the values of a step: its condition, the items of its loop, the arguments of its calls.

use serde_json::Value;
use textsearch_kernel::{KernelArguments, KernelFunction};
use tracing::Span;

use super::{
    book::Progress,
    call::Unit,
    engine::Engine,
    failure::{Failure, Limit},
};
use crate::{
    Operator, StepError,
    check::{CheckedCondition, CheckedStep},
    reference::Root,
    schema::{Kinds, Type, Work, validate},
    template::Template,
    text::excerpt_of,
};

type Prepared<'a> = (&'a KernelFunction, KernelArguments, Span);

impl<'a> Engine<'a, '_> {
    /// The calls that are left.
    pub(super) async fn units(
        &mut self,
        place: usize,
        step: &CheckedStep,
        items: Option<&[Value]>,
    ) -> Result<Vec<Unit>, Failure> {
        let Some(items) = items else {
            return Ok(vec![Unit { place, item: None }]);
        };
        if let Some(Progress::Waiting(results)) = self.book.steps.get(place)
            && let Some((position, _)) = results.last_key_value()
            && *position >= items.len()
        {
            return Err(Failure::InvalidState(format!(
                "its state has item {position} of step `{}`, whose list has {} items",
                self.book.id(place),
                items.len()
            )));
        }
        let mut units = Vec::new();
        for (position, item) in items.iter().enumerate() {
            let results = match self.book.steps.get(place) {
                Some(Progress::Waiting(results)) => results,
                _ => break,
            };
            if !results.contains_key(&position) && self.holds(place, step, Some(item)).await? {
                units.push(Unit { place, item: Some(position) });
            }
            self.give_way().await?;
        }
        Ok(units)
    }

    pub(super) async fn items(&self, place: usize, list: &Template) -> Result<Vec<Value>, Failure> {
        match self.build(place, list, None).await? {
            // A condition may drop most items, but is itself work for each.
            Value::Array(items) if items.len() > self.shared.limits.max_calls => {
                Err(Failure::Limit(Limit::Calls, Some(self.book.id(place).to_owned())))
            }
            Value::Array(items) => Ok(items),
            other => Err(self.value_failure(
                (place, None),
                "`for_each`",
                format!("must be a list: found {}", excerpt_of(&other)),
            )),
        }
    }

    pub(super) async fn holds(
        &self,
        place: usize,
        step: &CheckedStep,
        item: Option<&Value>,
    ) -> Result<bool, Failure> {
        let Some(CheckedCondition { value, operator, other }) = &step.when else {
            return Ok(true);
        };
        let value = self.compared(place, value, *operator, item).await?;
        let other = match other {
            Some(other) => self.compared(place, other, *operator, item).await?,
            None => Value::Null,
        };
        operator.holds(&value, &other).ok_or_else(|| {
            let (value, other) = (excerpt_of(&value), excerpt_of(&other));
            let message = format!("can't tell whether {value} is {operator} {other}");
            self.value_failure((place, None), "`when`", message)
        })
    }

    /// Returns one side of a comparison. A reference to nothing would make `not_equal_to` true by
    /// accident, so only `empty` and `not_empty` take it for null.
    async fn compared(
        &self,
        place: usize,
        side: &Template,
        operator: Operator,
        item: Option<&Value>,
    ) -> Result<Value, Failure> {
        let value = self.build(place, side, item).await?;
        let root = |root: &Root| self.book.value(root, item);
        if value.is_null()
            && operator.takes_other()
            && let Some(reference) = side.unmatched(&root)
        {
            let message = format!(
                "can't compare {reference}, which matches nothing; use `empty` or `not_empty`, or refer to a value that exists"
            );
            return Err(self.value_failure((place, None), "`when`", message));
        }
        Ok(value)
    }

    async fn build(
        &self,
        place: usize,
        template: &Template,
        item: Option<&Value>,
    ) -> Result<Value, Failure> {
        let root = |root: &Root| self.book.value(root, item);
        let built = template.build(&root, &mut self.shared.budget()).await;
        built.map_err(|exceeded| Failure::of(exceeded, Some(self.book.id(place))))
    }

    /// The values exist now, so they are checked against the parameters' schemas.
    pub(super) async fn arguments(&mut self, unit: Unit) -> Result<Option<Prepared<'a>>, Failure> {
        self.give_way().await?;
        let step = self.shared.compiled.steps.get(unit.place);
        let function = self.shared.functions.get(unit.place);
        let (Some(step), Some(function), Some(Progress::Running(running))) =
            (step, function, self.book.steps.get(unit.place))
        else {
            return Ok(None);
        };
        let item = unit.item.and_then(|position| running.items.as_ref()?.get(position));
        let mut arguments = KernelArguments::new();
        let root = |root: &Root| self.book.value(root, item);
        let mut budget = self.shared.budget();
        for (position, template) in &step.arguments {
            let Some(parameter) = function.metadata().parameters.get(*position) else {
                continue;
            };
            let before = budget.bytes();
            let built = template.build(&root, &mut budget).await;
            let value =
                built.map_err(|exceeded| Failure::of(exceeded, Some(self.book.id(unit.place))))?;
            let wrong = |message: String| {
                let place = format!("argument `{}`", parameter.name);
                self.value_failure((unit.place, unit.item), &place, message)
            };
            let is_literal = matches!(template, Template::Literal(_));
            let schema = Type::of_schema(&parameter.schema);
            let unmatched = template.unmatched(&root);
            if value.is_null() && !parameter.is_required {
                // The plan itself says so.
                if is_literal {
                    continue;
                }
                // The kernel leaves a null out, and a search whose filter is left out finds everything.
                if !names_null(&schema) {
                    return Err(wrong(match unmatched {
                        Some(reference) => format!(
                            "{reference} matches nothing; refer to a value that exists, or leave the argument out"
                        ),
                        None => "is null; refer to a value, or leave the argument out".to_owned(),
                    }));
                }
                if unmatched.is_some() {
                    continue;
                }
            }
            if !is_literal {
                let mut work = Work::for_value(before.saturating_sub(budget.bytes()));
                validate(&value, &schema, &mut work).map_err(|message| match unmatched {
                    Some(reference) => wrong(format!("{message}; {reference} matches nothing")),
                    None => wrong(message.to_string()),
                })?;
            }
            arguments.insert(parameter.name.as_str(), value);
        }
        Ok(Some((function, arguments, running.span.clone())))
    }

    pub(super) fn value_failure(
        &self,
        (place, item): (usize, Option<usize>),
        at: &str,
        message: String,
    ) -> Failure {
        let source = StepError::Value { place: at.to_owned(), message };
        self.failure_of(Unit { place, item }, source)
    }
}

/// A schema that allows every value doesn't name null.
fn names_null(schema: &Type<'_>) -> bool {
    let kinds = schema.kinds();
    kinds != Kinds::ALL && validate(&Value::Null, schema, &mut Work::default()).is_ok()
}
