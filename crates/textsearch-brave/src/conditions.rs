//! A filter as conditions on single fields that all have to hold: what a query and its parameters can say.

use std::borrow::Cow;

use textsearch_core::{
    Error, Filter, FilterOperator, FilterValue, FilterableField, Result, filter::Comparison,
};

use crate::CONNECTOR;

/// One field compared with one value or several, of which one has to fit, or none where it is negated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Condition {
    pub(crate) field: String,
    pub(crate) operator: FilterOperator,
    pub(crate) values: Vec<String>,
    pub(crate) is_negated: bool,
}

/// Conditions that all have to hold.
#[derive(Debug, Default)]
pub(crate) struct Conditions {
    pub(crate) all: Vec<Condition>,
    /// Whether the filter is false whatever is compared, as `In` of nothing is.
    pub(crate) are_never_met: bool,
}

impl Conditions {
    /// Takes the filter apart.
    ///
    /// # Errors
    /// `UnsupportedFilter` for a field or an operator that is not among `fields`, and for an `or` or a `not` that is
    /// not on a single field; `InvalidOptions` for a value that is not text.
    pub(crate) fn of(filter: &Filter, fields: &[FilterableField]) -> Result<Self> {
        filter.check(CONNECTOR, fields)?;
        let mut conditions = Self::default();
        conditions.add(filter, false, fields)?;
        Ok(conditions)
    }

    fn add(&mut self, filter: &Filter, is_negated: bool, fields: &[FilterableField]) -> Result<()> {
        match (filter, is_negated) {
            (Filter::Not(inner), _) => self.add(inner, !is_negated, fields),
            (Filter::And(parts), false) | (Filter::Or(parts), true) => {
                parts.iter().try_for_each(|part| self.add(part, is_negated, fields))
            }
            (Filter::Or(parts), false) => self.add_any(parts, false, FilterOperator::Or, fields),
            (Filter::And(parts), true) => self.add_any(parts, true, FilterOperator::And, fields),
            (Filter::Compare { field, operator, value }, _) => {
                self.add_comparison(field, *operator, value, is_negated)
            }
            (Filter::In { field, values }, _) => self.add_membership(field, values, is_negated),
            (other, _) => {
                let field = other.fields().next().unwrap_or_default();
                Err(unsupported(field, FilterOperator::Exists, fields))
            }
        }
    }

    fn add_comparison(
        &mut self,
        field: &str,
        operator: Comparison,
        value: &FilterValue,
        is_negated: bool,
    ) -> Result<()> {
        // `!=` is the negation of `=`, so a negated one is an `=` again.
        let is_ne = operator == Comparison::Ne;
        let operator = if is_ne { FilterOperator::Eq } else { operator.into() };
        let values = vec![text_of(field, value)?.into_owned()];
        let is_negated = is_negated != is_ne;
        self.all.push(Condition { field: field.to_owned(), operator, values, is_negated });
        Ok(())
    }

    fn add_membership(
        &mut self,
        field: &str,
        values: &[FilterValue],
        is_negated: bool,
    ) -> Result<()> {
        let values = values.iter().map(|value| text_of(field, value).map(Cow::into_owned));
        let values = values.collect::<Result<Vec<_>>>()?;
        match (values.is_empty(), is_negated) {
            (true, true) => {}
            (true, false) => self.are_never_met = true,
            (false, _) => {
                let (field, operator) = (field.to_owned(), FilterOperator::Eq);
                self.all.push(Condition { field, operator, values, is_negated });
            }
        }
        Ok(())
    }

    /// Alternatives: the same comparison of the same field with several values.
    fn add_any(
        &mut self,
        parts: &[Filter],
        is_negated: bool,
        operator: FilterOperator,
        fields: &[FilterableField],
    ) -> Result<()> {
        let mut merged: Option<Condition> = None;
        for part in parts {
            let mut alternative = Self::default();
            alternative.add(part, is_negated, fields)?;
            if alternative.are_never_met {
                continue;
            }
            if alternative.all.is_empty() {
                return Ok(());
            }
            let field = part.fields().next().unwrap_or_default();
            merged =
                Some(either(merged, alternative.all, || unsupported(field, operator, fields))?);
        }
        match merged {
            Some(condition) => self.all.push(condition),
            None => self.are_never_met = true,
        }
        Ok(())
    }
}

/// What was merged so far, or the single condition of one more alternative.
fn either(
    merged: Option<Condition>,
    alternative: Vec<Condition>,
    unsupported: impl Fn() -> Error,
) -> Result<Condition> {
    let Ok([condition]) = <[Condition; 1]>::try_from(alternative) else {
        return Err(unsupported());
    };
    let Some(mut merged) = merged else { return Ok(condition) };
    let fits = merged.field == condition.field && merged.operator == condition.operator;
    if !fits || merged.is_negated || condition.is_negated {
        return Err(unsupported());
    }
    merged.values.extend(condition.values);
    Ok(merged)
}

/// The error for an operator that the field does not have.
pub(crate) fn unsupported(
    field: &str,
    operator: FilterOperator,
    fields: &[FilterableField],
) -> Error {
    let declared = fields.iter().find(|declared| declared.name == field);
    let supported = declared.map_or(&[][..], |declared| &declared.operators);
    Error::unsupported_filter(CONNECTOR, field, operator, supported)
}

fn text_of<'value>(field: &str, value: &'value FilterValue) -> Result<Cow<'value, str>> {
    match value {
        FilterValue::String(text) => Ok(Cow::Borrowed(text)),
        FilterValue::DateTime(instant) => Ok(Cow::Owned(instant.to_string())),
        _ => Err(Error::invalid_options(CONNECTOR, field, "not text", "text, in quotes")),
    }
}
