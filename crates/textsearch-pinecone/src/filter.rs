//! The part of a filter that Pinecone checks. Each record is checked again here.

use serde_json::{Value, json};
use textsearch_core::{
    Filter,
    filter::{Comparison, FilterValue, PushDown, Pushed, any_equal},
    vector::DataKind,
};

use crate::record::{Column, LARGEST_FLOAT, LAYOUT, Layout, ODD, UNSET, time_of};

/// Beyond this size, a condition is checked here alone.
const MAX_BYTES: usize = 100_000;

/// Which records to ask Pinecone for.
#[derive(Debug, PartialEq)]
pub(crate) enum Selection {
    /// No record matches.
    None,
    /// Any record may match.
    All,
    /// Records that meet the condition may match.
    Where(Value),
}

pub(crate) fn selection(filter: Option<&Filter>, layout: &Layout) -> Selection {
    let Some(filter) = filter else { return Selection::All };
    let condition = match filter.push_down(&Conditions(layout)) {
        Pushed::Never => return Selection::None,
        Pushed::Exact(sides) | Pushed::Superset(sides) => sides.yes,
        Pushed::Always | Pushed::Unknown => None,
    };
    let condition = condition.map(|condition| {
        // Records of another layout lack these values.
        any([condition, json!({ LAYOUT: { "$ne": layout.hash } })])
    });
    match condition.filter(|condition| condition.to_string().len() <= MAX_BYTES) {
        Some(condition) => Selection::Where(condition),
        None => Selection::All,
    }
}

/// Two conditions: records that meet the first may match, and records that meet the second may
/// *not* match. `None` is met by all. A record with an odd value meets both, so neither is the
/// negation of the other; Pinecone has no general negation anyway.
#[derive(Debug, Clone)]
struct Sides {
    yes: Option<Value>,
    no: Option<Value>,
}

struct Conditions<'a>(&'a Layout);

/// [`Pushed::Exact`] only says here that the condition can be negated.
impl PushDown for Conditions<'_> {
    type Condition = Sides;

    fn compare(&self, field: &str, operator: Comparison, value: &FilterValue) -> Pushed<Sides> {
        let Some(column) = self.0.column(field) else { return Pushed::Unknown };
        match (column.kind, value) {
            (_, FilterValue::Float(number)) if !number.is_finite() => Pushed::Never,
            (DataKind::Integer | DataKind::Number, FilterValue::Integer(number)) => {
                numbers(column, operator, *number as f64)
            }
            (DataKind::Integer | DataKind::Number, FilterValue::Float(number)) => {
                numbers(column, operator, *number)
            }
            (DataKind::DateTime, FilterValue::DateTime(date)) => {
                instants(column, operator, date.unix_nanoseconds())
            }
            (DataKind::String | DataKind::DateTime, FilterValue::String(text))
                if operator == Comparison::Eq =>
            {
                equals(column, json!(text))
            }
            (DataKind::Boolean, FilterValue::Bool(value)) if operator == Comparison::Eq => {
                equals(column, json!(value))
            }
            (DataKind::Strings, FilterValue::String(text)) if operator == Comparison::Contains => {
                let yes = json!({ &column.name: { "$in": [text] } });
                exact(Sides { yes: Some(or_odd(column, yes)), no: None })
            }
            _ => Pushed::Unknown,
        }
    }

    fn exists(&self, field: &str) -> Pushed<Sides> {
        let Some(column) = self.0.column(field) else { return Pushed::Unknown };
        let yes = json!({ &column.name: { "$exists": true } });
        exact(Sides { yes: Some(or_odd(column, yes)), no: Some(listed(UNSET, column)) })
    }

    fn is_in(&self, field: &str, values: &[FilterValue]) -> Pushed<Sides> {
        let texts = |value: &FilterValue| match value {
            FilterValue::String(text) => Some(text.clone()),
            _ => None,
        };
        let texts: Option<Vec<String>> = values.iter().map(texts).collect();
        let column = self.0.column(field).filter(|column| {
            !values.is_empty() && matches!(column.kind, DataKind::String | DataKind::DateTime)
        });
        if let (Some(column), Some(texts)) = (column, texts) {
            let no = json!({ &column.name: { "$nin": texts } });
            return exact(sides(column, json!({ &column.name: { "$in": texts } }), no));
        }
        any_equal(self, field, values)
    }

    fn all(&self, conditions: Vec<Sides>) -> Sides {
        let (yes, no): (Vec<_>, Vec<_>) =
            conditions.into_iter().map(|sides| (sides.yes, sides.no)).unzip();
        Sides { yes: every(yes), no: some(no) }
    }

    fn any(&self, conditions: Vec<Sides>) -> Sides {
        let (yes, no): (Vec<_>, Vec<_>) =
            conditions.into_iter().map(|sides| (sides.yes, sides.no)).unzip();
        Sides { yes: some(yes), no: every(no) }
    }

    fn not(&self, condition: Sides) -> Sides {
        Sides { yes: condition.no, no: condition.yes }
    }
}

fn exact(sides: Sides) -> Pushed<Sides> {
    Pushed::Exact(sides)
}

fn equals(column: &Column, value: Value) -> Pushed<Sides> {
    let yes = json!({ &column.name: { "$eq": value } });
    let no = json!({ &column.name: { "$ne": value } });
    exact(sides(column, yes, no))
}

/// Metadata round numbers from 2^53 on, so that both sides may round to the same float.
fn numbers(column: &Column, operator: Comparison, value: f64) -> Pushed<Sides> {
    let is_exact = value.abs() < LARGEST_FLOAT;
    let (yes, no) = match operator {
        Comparison::Eq if is_exact => ("$eq", Some("$ne")),
        Comparison::Eq => ("$eq", None),
        Comparison::Lt if is_exact => ("$lt", Some("$gte")),
        Comparison::Le if is_exact => ("$lte", Some("$gt")),
        Comparison::Gt if is_exact => ("$gt", Some("$lte")),
        Comparison::Ge if is_exact => ("$gte", Some("$lt")),
        Comparison::Lt | Comparison::Le => ("$lte", Some("$gte")),
        Comparison::Gt | Comparison::Ge => ("$gte", Some("$lte")),
        _ => return Pushed::Unknown,
    };
    let condition = |operator: &str| json!({ &column.name: { operator: value } });
    match no {
        Some(no) => exact(sides(column, condition(yes), condition(no))),
        None => exact(Sides { yes: Some(or_odd(column, condition(yes))), no: None }),
    }
}

/// Metadata hold whole milliseconds.
fn instants(column: &Column, operator: Comparison, nanoseconds: i128) -> Pushed<Sides> {
    let floor = nanoseconds.div_euclid(1_000_000) as i64;
    let is_whole = nanoseconds.rem_euclid(1_000_000) == 0;
    let condition = |operator: &str| json!({ time_of(&column.name): { operator: floor } });
    let (yes, no) = match operator {
        Comparison::Eq if is_whole => (condition("$eq"), condition("$ne")),
        // Only an odd value has a fraction of a millisecond.
        Comparison::Eq => {
            return exact(Sides { yes: Some(listed(ODD, column)), no: None });
        }
        Comparison::Lt if is_whole => (condition("$lt"), condition("$gte")),
        Comparison::Ge if is_whole => (condition("$gte"), condition("$lt")),
        Comparison::Lt | Comparison::Le => (condition("$lte"), condition("$gt")),
        Comparison::Gt | Comparison::Ge => (condition("$gt"), condition("$lte")),
        _ => return Pushed::Unknown,
    };
    exact(sides(column, yes, no))
}

/// No comparison is true for a field that is null or missing.
fn sides(column: &Column, yes: Value, no: Value) -> Sides {
    let no = any([no, listed(UNSET, column), listed(ODD, column)]);
    Sides { yes: Some(or_odd(column, yes)), no: Some(no) }
}

fn or_odd(column: &Column, condition: Value) -> Value {
    any([condition, listed(ODD, column)])
}

fn listed(list: &str, column: &Column) -> Value {
    json!({ list: { "$in": [column.name] } })
}

fn any(conditions: impl Into<Vec<Value>>) -> Value {
    json!({ "$or": conditions.into() })
}

/// Requires all conditions. `None` is always met.
fn every(conditions: Vec<Option<Value>>) -> Option<Value> {
    let mut conditions: Vec<Value> = conditions.into_iter().flatten().collect();
    match conditions.len() {
        0 | 1 => conditions.pop(),
        _ => Some(json!({ "$and": conditions })),
    }
}

/// Joins the conditions with `or`.
fn some(conditions: Vec<Option<Value>>) -> Option<Value> {
    let mut conditions: Vec<Value> = conditions.into_iter().collect::<Option<_>>()?;
    match conditions.len() {
        0 | 1 => conditions.pop(),
        _ => Some(any(conditions)),
    }
}

#[cfg(test)]
mod tests {
    use textsearch_core::vector::{DataField, RecordDefinition};

    use super::*;

    fn layout() -> Layout {
        let definition = RecordDefinition::new("id")
            .with_data(DataField::string("title").filterable())
            .with_data(DataField::integer("year").filterable())
            .with_data(DataField::date_time("at").filterable())
            .with_data(DataField::strings("tags").filterable())
            .with_data(DataField::new("extra", DataKind::Json).filterable());
        Layout::new(&definition)
    }

    fn condition(filter: &str) -> Option<Value> {
        let layout = layout();
        match selection(Some(&filter.parse().unwrap()), &layout) {
            Selection::Where(condition) => {
                let [condition, other] = condition["$or"].as_array().unwrap().as_slice() else {
                    panic!("{condition}")
                };
                assert_eq!(*other, json!({ LAYOUT: { "$ne": layout.hash } }));
                Some(condition.clone())
            }
            Selection::All => None,
            Selection::None => panic!("no record matches `{filter}`"),
        }
    }

    fn odd(field: &str) -> Value {
        json!({ ODD: { "$in": [field] } })
    }

    #[test]
    fn comparisons_include_odd_values() {
        let expected = json!({ "$or": [{ "title": { "$eq": "a" } }, odd("title")] });
        assert_eq!(condition(r#"title = "a""#), Some(expected));
        let expected = json!({ "$or": [{ "tags": { "$in": ["a"] } }, odd("tags")] });
        assert_eq!(condition(r#"tags contains "a""#), Some(expected));
        let expected = json!({ "$or": [{ "_textsearch_time_at": { "$lte": 1 } }, odd("at")] });
        assert_eq!(condition(r#"at < date "1970-01-01T00:00:00.0015Z""#), Some(expected));
    }

    #[test]
    fn negations_include_what_is_missing() {
        let unset = json!({ UNSET: { "$in": ["year"] } });
        let expected = json!({ "$or": [{ "year": { "$ne": 5.0 } }, unset, odd("year")] });
        assert_eq!(condition("year != 5"), Some(expected.clone()));
        assert_eq!(condition("not (year = 5)"), Some(expected));
        assert_eq!(condition("not (year exists)"), Some(unset));
    }

    #[test]
    fn rounded_numbers_are_compared_loosely() {
        let expected = json!({ "$or": [{ "year": { "$lte": 9007199254740992.0 } }, odd("year")] });
        assert_eq!(condition("year < 9007199254740993"), Some(expected));
        assert_eq!(condition("year != 9007199254740993"), None);
    }

    #[test]
    fn unknown_parts_of_a_conjunction_are_left_out() {
        let year = json!({ "$or": [{ "year": { "$gte": 5.0 } }, odd("year")] });
        assert_eq!(condition(r#"year >= 5 and title contains "a""#), Some(year));
        assert_eq!(condition(r#"year >= 5 or title contains "a""#), None);
        assert_eq!(condition("extra = 1"), None);
    }

    #[test]
    fn impossible_filters_select_nothing() {
        for filter in ["false", "title in []", "year = 1 and false"] {
            let filter: Filter = filter.parse().unwrap();
            assert_eq!(selection(Some(&filter), &layout()), Selection::None, "{filter}");
        }
    }

    #[test]
    fn long_conditions_are_checked_here() {
        let texts: Vec<String> = (0..10_000).map(|number| format!("text {number}")).collect();
        assert_eq!(selection(Some(&Filter::is_in("title", texts)), &layout()), Selection::All);
    }
}
