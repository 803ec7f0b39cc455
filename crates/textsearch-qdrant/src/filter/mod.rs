//! Translates a filter into Qdrant conditions with the same meaning.
//!
//! See [`columns`](crate::columns) for why conditions read a field in two places.

mod date;
mod expression;
mod list;
mod number;
mod text;
mod unindexed;

use qdrant_client::qdrant::{self, Condition, PointId, r#match::MatchValue};
use textsearch_core::{
    Error, Filter, Result,
    filter::{Comparison, FilterOperator, FilterValue},
    vector::{DataKind, KeyKind, RecordDefinition, RecordKey},
};

use self::expression::Expression;
pub(crate) use self::unindexed::check_readable;
use crate::{CONNECTOR, columns, key, path};

/// # Errors
/// Returns `UnsupportedFilter` if a field isn't filterable, if the definition stores no order for a
/// text field, if an order comparison needs more bytes of a text than are stored, or if a list
/// contains dates.
pub(crate) fn translate(filter: &Filter, definition: &RecordDefinition) -> Result<qdrant::Filter> {
    definition.check_filter(Some(filter), CONNECTOR)?;
    Ok(expression(filter, definition)?.into_filter())
}

fn expression(filter: &Filter, definition: &RecordDefinition) -> Result<Expression> {
    Ok(match filter {
        Filter::Compare { field, operator, value } => {
            Field::new(field, definition).compared(*operator, value)?
        }
        Filter::In { field, values } => Field::new(field, definition).one_of(values)?,
        Filter::Exists { field } => Field::new(field, definition).exists(),
        Filter::And(filters) => Expression::all(expressions(filters, definition)?),
        Filter::Or(filters) => Expression::any(expressions(filters, definition)?),
        Filter::Not(filter) => expression(filter, definition)?.negated(),
    })
}

fn expressions(filters: &[Filter], definition: &RecordDefinition) -> Result<Vec<Expression>> {
    filters.iter().map(|filter| expression(filter, definition)).collect()
}

struct Field<'a> {
    name: &'a str,
    kind: DataKind,
    key: Option<KeyKind>,
}

impl<'a> Field<'a> {
    fn new(name: &'a str, definition: &RecordDefinition) -> Self {
        if definition.key.name == name {
            let kind = kind_of_key(definition.key.kind);
            return Self { name, kind, key: Some(definition.key.kind) };
        }
        let kind = definition.data_field(name).map_or(DataKind::Json, path::kind);
        Self { name, kind, key: None }
    }

    /// Returns the path of the field itself if its plain values are stored there.
    fn plain(&self, kinds: &[DataKind]) -> Option<String> {
        (path::is_plain(self.name) && kinds.contains(&self.kind)).then(|| path::native(self.name))
    }

    fn column(&self, column: &str) -> String {
        path::column(self.name, column)
    }

    /// Applies to values stored in columns. The list of such fields is indexed, so the server reads
    /// no other records.
    fn in_columns(&self, condition: impl Into<Expression>) -> Expression {
        let is_in_columns = keyword(path::column_fields(), self.name.to_owned());
        Expression::all([is_in_columns.into(), condition.into()])
    }

    fn compared(&self, operator: Comparison, value: &FilterValue) -> Result<Expression> {
        Ok(match operator {
            Comparison::Ne => self.compared(Comparison::Eq, value)?.negated(),
            Comparison::Eq => self.equal(value)?,
            Comparison::Contains => self.contains(value)?,
            Comparison::StartsWith => match value {
                FilterValue::String(prefix) => self.starts_with(prefix)?,
                _ => Expression::False,
            },
            Comparison::Lt => self.ordered(Order::Less, value)?,
            Comparison::Le => self.ordered(Order::LessOrEqual, value)?,
            Comparison::Gt => self.ordered(Order::Greater, value)?,
            Comparison::Ge => self.ordered(Order::GreaterOrEqual, value)?,
        })
    }

    fn equal(&self, value: &FilterValue) -> Result<Expression> {
        if let Some(kind) = self.key {
            return Ok(identified(kind, std::slice::from_ref(value)));
        }
        Ok(match value {
            FilterValue::Bool(value) => self.equal_boolean(*value),
            FilterValue::Integer(_) | FilterValue::Float(_) => self.number(Order::Equal, value),
            FilterValue::String(text) => self.equal_text(vec![text.clone()]),
            FilterValue::DateTime(date) => self.date(Order::Equal, *date),
            value => self.equal_list(value)?,
        })
    }

    fn ordered(&self, order: Order, value: &FilterValue) -> Result<Expression> {
        Ok(match value {
            FilterValue::Integer(_) | FilterValue::Float(_) => self.number(order, value),
            FilterValue::String(text) => self.ordered_text(order, text)?,
            FilterValue::DateTime(date) => self.date(order, *date),
            _ => Expression::False,
        })
    }

    fn equal_boolean(&self, value: bool) -> Expression {
        let plain = self.plain(&[DataKind::Boolean]);
        let plain = plain.map(|path| Condition::matches(path, value).into());
        let in_columns = self.in_columns(Condition::matches(self.column(columns::BOOLEAN), value));
        Expression::any(plain.into_iter().chain([in_columns]))
    }

    fn one_of(&self, values: &[FilterValue]) -> Result<Expression> {
        if let Some(kind) = self.key {
            return Ok(identified(kind, values));
        }
        let mut texts = Vec::new();
        let mut parts = Vec::new();
        for value in values {
            match value {
                FilterValue::String(text) => texts.push(text.clone()),
                other => parts.push(self.equal(other)?),
            }
        }
        if !texts.is_empty() {
            parts.push(self.equal_text(texts));
        }
        Ok(Expression::any(parts))
    }

    fn exists(&self) -> Expression {
        if self.key.is_some() {
            return Expression::True;
        }
        let in_columns = keyword(path::column_fields(), self.name.to_owned()).into();
        let plain = path::is_plain(self.name).then(|| path::native(self.name));
        let plain = plain.map(|path| Expression::from(Condition::is_empty(path)).negated());
        Expression::any(plain.into_iter().chain([in_columns]))
    }

    fn unsupported(&self, operator: FilterOperator, reason: &str) -> Error {
        let supported: Vec<FilterOperator> = FilterOperator::ALL_COMPARISONS
            .iter()
            .copied()
            .filter(|other| *other != operator)
            .collect();
        Error::unsupported_filter_because(CONNECTOR, self.name, operator, &supported, reason)
    }
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Order {
    Less,
    LessOrEqual,
    Equal,
    GreaterOrEqual,
    Greater,
}

impl From<Order> for FilterOperator {
    fn from(order: Order) -> Self {
        match order {
            Order::Less => Self::Lt,
            Order::LessOrEqual => Self::Le,
            Order::Equal => Self::Eq,
            Order::GreaterOrEqual => Self::Ge,
            Order::Greater => Self::Gt,
        }
    }
}

pub(crate) fn kind_of_key(kind: KeyKind) -> DataKind {
    match kind {
        KeyKind::Integer => DataKind::Integer,
        KeyKind::String | KeyKind::Uuid => DataKind::String,
    }
}

/// Compares the whole text. The client would treat a text with spaces as words to search for.
fn keyword(path: String, text: String) -> Condition {
    Condition::matches(path, MatchValue::Keyword(text))
}

/// Matches by identifier, whatever the payload contains.
fn identified(kind: KeyKind, values: &[FilterValue]) -> Expression {
    let points: Vec<PointId> = values.iter().filter_map(|value| identifier(kind, value)).collect();
    if points.is_empty() { Expression::False } else { Condition::has_id(points).into() }
}

fn identifier(kind: KeyKind, value: &FilterValue) -> Option<PointId> {
    let field = RecordDefinition::new("key").with_key_kind(kind).key;
    let key = match value {
        FilterValue::String(text) => RecordKey::String(text.clone()),
        FilterValue::Integer(number) => RecordKey::Integer(u64::try_from(*number).ok()?),
        FilterValue::Float(number) => RecordKey::Integer(whole(*number)?),
        _ => return None,
    };
    // Don't canonicalize: a filter compares with the record's text, which is canonical.
    field.accepts(&key).then(|| key::point(kind, &key))
}

fn whole(number: f64) -> Option<u64> {
    // 2^64, the first float beyond 64 bits.
    let is_whole = number.fract() == 0.0 && (0.0..18_446_744_073_709_551_616.0).contains(&number);
    is_whole.then_some(number as u64)
}

#[cfg(test)]
mod tests;
