//! Filters as the service's [OData
//! expressions](https://learn.microsoft.com/azure/search/search-query-odata-filter), as far as they
//! mean the same. Each record that the service finds is checked again.
//!
//! An index field holds only values of its type, so a comparison with another type never matches.
//! The service compares null as unequal to everything, as a missing field is here.

mod literal;

pub(crate) use literal::any_text;

use textsearch_core::{
    Error, Filter, Result,
    filter::{
        Comparison, DateTime, FilterOperator, FilterValue, FloatBound, IntegerBound, PushDown,
        Pushed, any_equal,
    },
    vector::{KeyKind, RecordDefinition, RecordKey},
};

use crate::{
    CONNECTOR,
    columns::{Edm, LONGEST_TERM, column, milliseconds},
    key::document_key,
};

/// The service limits the clauses of a filter without documenting the limit. Filters with more
/// clauses are evaluated here.
const MAX_CLAUSES: usize = 250;

/// Of a whole request, the service accepts 16 MB.
const MAX_BYTES: usize = 1 << 20;

/// The part of a filter that the service evaluates.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Preselection {
    /// `None` lets every record through.
    pub(crate) odata: Option<String>,
    /// Whether the service finds exactly the records that match.
    pub(crate) is_exact: bool,
    /// Whether no record matches.
    pub(crate) is_empty: bool,
}

/// Returns the part of `filter` that the service evaluates.
///
/// # Errors
/// Returns `UnsupportedFilter` if the definition doesn't allow the filter.
pub(crate) fn preselection(
    filter: Option<&Filter>,
    definition: &RecordDefinition,
) -> Result<Preselection> {
    let Some(filter) = filter else { return Ok(all(true)) };
    definition.check_filter(Some(filter), CONNECTOR)?;
    Ok(match filter.push_down(&OData { definition }) {
        Pushed::Never => Preselection { odata: None, is_exact: true, is_empty: true },
        Pushed::Always => all(true),
        Pushed::Unknown => all(false),
        Pushed::Exact(condition) if condition.is_accepted() => {
            Preselection { odata: Some(condition.odata), is_exact: true, is_empty: false }
        }
        Pushed::Superset(condition) if condition.is_accepted() => {
            Preselection { odata: Some(condition.odata), is_exact: false, is_empty: false }
        }
        Pushed::Exact(_) | Pushed::Superset(_) => all(false),
    })
}

fn all(is_exact: bool) -> Preselection {
    Preselection { odata: None, is_exact, is_empty: false }
}

/// Returns the error for a ranking that the service makes as a whole, so that records can't be
/// checked here.
pub(crate) fn unsupported(filter: &Filter, definition: &RecordDefinition, what: &str) -> Error {
    let (field, operator) = first_unknown(filter, &OData { definition })
        .unwrap_or_else(|| (String::new(), FilterOperator::Or));
    let supported = [FilterOperator::Eq, FilterOperator::Ne, FilterOperator::In];
    let reason = format!(
        "{what} needs a filter that the service evaluates as a whole, and it does not evaluate this \
         comparison, or not so many"
    );
    Error::unsupported_filter_because(CONNECTOR, field, operator, &supported, reason)
}

fn first_unknown(filter: &Filter, odata: &OData<'_>) -> Option<(String, FilterOperator)> {
    let (field, operator) = match filter {
        Filter::And(parts) | Filter::Or(parts) => {
            return parts.iter().find_map(|part| first_unknown(part, odata));
        }
        Filter::Not(inner) => return first_unknown(inner, odata),
        Filter::Compare { field, operator, .. } => (field, FilterOperator::from(*operator)),
        Filter::In { field, .. } => (field, FilterOperator::In),
        Filter::Exists { field } => (field, FilterOperator::Exists),
    };
    (!filter.push_down(odata).is_exact()).then(|| (field.clone(), operator))
}

struct OData<'a> {
    definition: &'a RecordDefinition,
}

struct Condition {
    odata: String,
    clauses: usize,
}

impl Condition {
    fn new(odata: String) -> Self {
        Self { odata, clauses: 1 }
    }

    fn is_accepted(&self) -> bool {
        self.clauses <= MAX_CLAUSES && self.odata.len() <= MAX_BYTES
    }
}

fn exact(odata: String) -> Pushed<Condition> {
    Pushed::Exact(Condition::new(odata))
}

fn exact_any(field: &str, values: &[&str]) -> Pushed<Condition> {
    let (odata, clauses) = any_text(field, values);
    Pushed::Exact(Condition { odata, clauses })
}

fn superset(odata: String) -> Pushed<Condition> {
    Pushed::Superset(Condition::new(odata))
}

impl OData<'_> {
    /// The index field of `field`; the key has none here.
    fn column(&self, field: &str) -> Option<Edm> {
        self.definition.data_field(field).and_then(column)
    }

    fn is_key(&self, field: &str) -> bool {
        field == self.definition.key.name
    }

    fn compare_key(&self, operator: Comparison, value: &FilterValue) -> Pushed<Condition> {
        match operator {
            Comparison::Eq => self.key_in(std::slice::from_ref(value)),
            _ => Pushed::Unknown,
        }
    }

    fn key_in(&self, values: &[FilterValue]) -> Pushed<Condition> {
        let field = &self.definition.key;
        let mut documents = Vec::new();
        for value in values {
            let key = match (value, field.kind) {
                (FilterValue::Integer(number), KeyKind::Integer) => {
                    u64::try_from(*number).ok().map(RecordKey::Integer)
                }
                (FilterValue::String(text), KeyKind::String | KeyKind::Uuid) => {
                    Some(RecordKey::from(text.as_str()))
                }
                // A number with a point may equal a key, and a key may be a date.
                _ => return Pushed::Unknown,
            };
            documents.extend(key.filter(|key| field.accepts(key)).as_ref().map(document_key));
        }
        if documents.is_empty() {
            return Pushed::Never;
        }
        let documents: Vec<&str> = documents.iter().map(String::as_str).collect();
        exact_any(&field.name, &documents)
    }
}

impl PushDown for OData<'_> {
    type Condition = Condition;

    fn compare(&self, field: &str, operator: Comparison, value: &FilterValue) -> Pushed<Condition> {
        if self.is_key(field) {
            return self.compare_key(operator, value);
        }
        match (self.column(field), value) {
            (None, _) => Pushed::Unknown,
            (Some(Edm::Int64), _) => integers(field, operator, value),
            (Some(Edm::Double), _) => floats(field, operator, value),
            (Some(Edm::Boolean), FilterValue::Bool(value)) if operator == Comparison::Eq => {
                exact(format!("{field} eq {value}"))
            }
            (Some(Edm::Boolean), _) => Pushed::Never,
            (Some(Edm::String), FilterValue::String(text)) => texts(field, operator, text),
            (Some(Edm::Strings), FilterValue::String(text)) => members(field, operator, text),
            (Some(Edm::DateTimeOffset), FilterValue::DateTime(date)) => {
                dates(field, operator, *date)
            }
            // A text may be a date, a date is compared as a text, and a list as a whole.
            (Some(Edm::String | Edm::Strings), FilterValue::DateTime(_))
            | (Some(Edm::DateTimeOffset), FilterValue::String(_))
            | (Some(Edm::Strings), FilterValue::List(_)) => Pushed::Unknown,
            (Some(Edm::String | Edm::Strings | Edm::DateTimeOffset), _) => Pushed::Never,
        }
    }

    fn exists(&self, field: &str) -> Pushed<Condition> {
        match self.column(field) {
            _ if self.is_key(field) => Pushed::Always,
            // The service doesn't tell an empty list from none.
            None | Some(Edm::Strings) => Pushed::Unknown,
            Some(_) => exact(format!("{field} ne null")),
        }
    }

    fn is_in(&self, field: &str, values: &[FilterValue]) -> Pushed<Condition> {
        if self.is_key(field) {
            return self.key_in(values);
        }
        let is_text = self.column(field) == Some(Edm::String);
        let texts: Option<Vec<&str>> = values
            .iter()
            .map(|value| match value {
                // The service may cut white space around a listed value, and reads no empty one.
                FilterValue::String(text)
                    if text.trim() == text && !text.is_empty() && text.len() <= LONGEST_TERM =>
                {
                    Some(text.as_str())
                }
                _ => None,
            })
            .collect();
        match texts.filter(|texts| is_text && !texts.is_empty()) {
            Some(texts) => exact_any(field, &texts),
            None => any_equal(self, field, values),
        }
    }

    fn all(&self, conditions: Vec<Condition>) -> Condition {
        joined(&conditions, " and ")
    }

    fn any(&self, conditions: Vec<Condition>) -> Condition {
        joined(&conditions, " or ")
    }

    fn not(&self, condition: Condition) -> Condition {
        Condition { odata: format!("not ({})", condition.odata), clauses: condition.clauses }
    }
}

fn joined(conditions: &[Condition], operator: &str) -> Condition {
    let parts: Vec<&str> = conditions.iter().map(|condition| condition.odata.as_str()).collect();
    let clauses = conditions.iter().map(|condition| condition.clauses).sum();
    Condition { odata: format!("({})", parts.join(operator)), clauses }
}

/// The service orders texts in a way that it doesn't document, and finds no parts of texts.
fn texts(field: &str, operator: Comparison, text: &str) -> Pushed<Condition> {
    match operator {
        // The index holds no longer text.
        Comparison::Eq if text.len() > LONGEST_TERM => Pushed::Never,
        Comparison::Eq => exact(format!("{field} eq {}", literal::text(text))),
        // Every text contains the empty one, so that only the others are left.
        Comparison::Contains | Comparison::StartsWith => superset(format!("{field} ne null")),
        _ => Pushed::Unknown,
    }
}

fn members(field: &str, operator: Comparison, text: &str) -> Pushed<Condition> {
    match operator {
        Comparison::Contains if text.len() > LONGEST_TERM => Pushed::Never,
        Comparison::Contains => {
            exact(format!("{field}/any(member: member eq {})", literal::text(text)))
        }
        // A list equals no text, and has no order.
        _ => Pushed::Never,
    }
}

/// The index holds whole milliseconds, rounded down.
fn dates(field: &str, operator: Comparison, date: DateTime) -> Pushed<Condition> {
    let Some(literal) = milliseconds(date) else { return Pushed::Unknown };
    let is_whole = date.unix_nanoseconds() % 1_000_000 == 0;
    match operator {
        Comparison::Lt if is_whole => exact(format!("{field} lt {literal}")),
        Comparison::Ge if is_whole => exact(format!("{field} ge {literal}")),
        Comparison::Lt | Comparison::Le => superset(format!("{field} le {literal}")),
        Comparison::Gt | Comparison::Ge => superset(format!("{field} ge {literal}")),
        Comparison::Eq => superset(format!("{field} eq {literal}")),
        _ => Pushed::Never,
    }
}

fn integers(field: &str, operator: Comparison, value: &FilterValue) -> Pushed<Condition> {
    let (sign, number) = match IntegerBound::new(operator, value) {
        IntegerBound::Never => return Pushed::Never,
        IntegerBound::Any => return exact(format!("{field} ne null")),
        IntegerBound::Equal(number) => ("eq", number),
        IntegerBound::AtMost(number) => ("le", number),
        IntegerBound::AtLeast(number) => ("ge", number),
    };
    exact(format!("{field} {sign} {number}"))
}

fn floats(field: &str, operator: Comparison, value: &FilterValue) -> Pushed<Condition> {
    let Some(bound) = FloatBound::new(operator, value) else { return Pushed::Never };
    let sign = match bound.operator {
        Comparison::Eq => "eq",
        Comparison::Lt => "lt",
        Comparison::Gt => "gt",
        Comparison::Le => "le",
        Comparison::Ge => "ge",
        _ => return Pushed::Never,
    };
    bound.pushed(Condition::new(format!("{field} {sign} {}", literal::float(bound.value))))
}

#[cfg(test)]
mod tests;
