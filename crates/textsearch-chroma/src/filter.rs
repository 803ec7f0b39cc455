//! The part of a filter that the server checks.
//!
//! The server's [metadata filtering](https://docs.trychroma.com/docs/querying-collections/metadata-filtering).

use serde::Serialize;
use serde_json::{Value, json};
use textsearch_core::{
    Filter,
    filter::{Comparison, FilterValue, PushDown, Pushed},
    vector::{DataKind, RecordDefinition},
};

use crate::{
    condition::Condition,
    metadata::{MIXED, columns, is_column, microseconds, time_of},
    needle,
    record::NO_VECTOR,
};

/// A server crashes at 5,000 conditions side by side, and SQLite refuses 1,000.
const MAX_CONDITIONS: usize = 200;

/// Floats hold every integer up to this one.
const LARGEST: i64 = 1 << 53;

/// The conditions that the server evaluates.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Where {
    /// The condition on metadata.
    #[serde(rename = "where", skip_serializing_if = "Option::is_none")]
    pub(crate) condition: Option<Value>,
    /// The condition on documents. Both must hold.
    #[serde(rename = "where_document", skip_serializing_if = "Option::is_none")]
    pub(crate) document: Option<Value>,
    /// Whether every selected record matches the filter. If not, each is checked again.
    #[serde(skip)]
    pub(crate) is_exact: bool,
    /// Whether no record can match.
    #[serde(skip)]
    pub(crate) is_never: bool,
    /// Whether the condition names fields of the definition.
    #[serde(skip)]
    pub(crate) by_field: bool,
}

impl Where {
    pub(crate) const ALL: Self =
        Self { condition: None, document: None, is_exact: true, is_never: false, by_field: false };

    /// Selects all records. The client checks each.
    const UNKNOWN: Self = Self { is_exact: false, ..Self::ALL };

    /// Returns whether the server selects all records.
    pub(crate) fn is_all(&self) -> bool {
        self.condition.is_none() && self.document.is_none()
    }

    /// Selects only records with a vector.
    pub(crate) fn with_vector(self) -> Self {
        let has_vector = json!({ NO_VECTOR: { "$ne": true } });
        let condition = match self.condition {
            Some(condition) => json!({ "$and": [condition, has_vector] }),
            None => has_vector,
        };
        Self { condition: Some(condition), ..self }
    }
}

pub(crate) fn selection(filter: &Filter, definition: &RecordDefinition) -> Where {
    let written = |condition: Condition| Some(condition.write(false));
    match filter.push_down(&Columns(definition)) {
        Pushed::Never => Where { is_never: true, ..Where::ALL },
        Pushed::Always => Where::ALL,
        Pushed::Exact(condition) if condition.is_small(MAX_CONDITIONS) => {
            Where { condition: written(condition), by_field: true, ..Where::ALL }
        }
        Pushed::Superset(condition) if condition.is_small(MAX_CONDITIONS) => Where {
            condition: written(condition),
            by_field: true,
            ..by_documents(filter, definition)
        },
        _ => by_documents(filter, definition),
    }
}

/// Selects without metadata.
pub(crate) fn by_documents(filter: &Filter, definition: &RecordDefinition) -> Where {
    Where { document: needle::condition(filter, definition), ..Where::UNKNOWN }
}

struct Columns<'a>(&'a RecordDefinition);

impl Columns<'_> {
    /// Returns the kind of a field with metadata.
    fn kind(&self, name: &str) -> Option<DataKind> {
        if name == self.0.key.name {
            // The kind only matters for lists and dates.
            return is_column(name).then_some(DataKind::String);
        }
        columns(self.0).find(|field| field.name == name).map(|field| field.kind)
    }
}

impl PushDown for Columns<'_> {
    type Condition = Condition;

    fn compare(&self, field: &str, operator: Comparison, value: &FilterValue) -> Pushed<Condition> {
        let Some(kind) = self.kind(field) else { return Pushed::Unknown };
        match (operator, value) {
            (Comparison::Eq, FilterValue::DateTime(time)) if kind == DataKind::DateTime => {
                superset(time_of(field), "$eq", microseconds(*time).into())
            }
            (Comparison::Eq, _) => match scalar(value) {
                Scalar::Value(value) if value.is_f64() => superset(field.to_owned(), "$eq", value),
                Scalar::Value(value) => {
                    Pushed::Exact(Condition::Compare(field.to_owned(), "$eq", value))
                }
                Scalar::Nothing => Pushed::Never,
                Scalar::Unknown => Pushed::Unknown,
            },
            (Comparison::Contains, FilterValue::String(_)) if kind == DataKind::Strings => {
                let Scalar::Value(value) = scalar(value) else { return Pushed::Unknown };
                Pushed::Superset(Condition::Any(vec![
                    Condition::Compare(field.to_owned(), "$contains", value),
                    Condition::Compare(MIXED.to_owned(), "$eq", true.into()),
                ]))
            }
            _ => ordered(field, kind, operator, value),
        }
    }

    fn exists(&self, _: &str) -> Pushed<Condition> {
        Pushed::Unknown
    }

    /// A list of the server holds values of one kind.
    fn is_in(&self, field: &str, values: &[FilterValue]) -> Pushed<Condition> {
        if self.kind(field).is_none() {
            return Pushed::Unknown;
        }
        let mut texts = Vec::new();
        let mut integers = Vec::new();
        let mut others = Vec::new();
        for value in values {
            match scalar(value) {
                Scalar::Value(value) if value.is_string() => texts.push(value),
                Scalar::Value(value) if value.is_i64() => integers.push(value),
                Scalar::Value(value) => others.push(value),
                Scalar::Nothing => {}
                Scalar::Unknown => return Pushed::Unknown,
            }
        }
        let is_exact = !others.iter().any(Value::is_f64);
        let lists = [texts, integers].into_iter().filter(|list| !list.is_empty());
        let lists = lists.map(|list| Condition::Compare(field.to_owned(), "$in", list.into()));
        let others = others.into_iter();
        let others = others.map(|value| Condition::Compare(field.to_owned(), "$eq", value));
        let mut parts: Vec<Condition> = lists.chain(others).collect();
        let all = if parts.len() > 1 { Some(Condition::Any(parts)) } else { parts.pop() };
        match all {
            None => Pushed::Never,
            Some(condition) if is_exact => Pushed::Exact(condition),
            Some(condition) => Pushed::Superset(condition),
        }
    }

    fn all(&self, conditions: Vec<Condition>) -> Condition {
        Condition::All(conditions)
    }

    fn any(&self, conditions: Vec<Condition>) -> Condition {
        Condition::Any(conditions)
    }

    fn not(&self, condition: Condition) -> Condition {
        Condition::Not(Box::new(condition))
    }
}

/// A value of a filter.
enum Scalar {
    /// The server compares it as the core does, except that 1.5 equals the integer 1, too.
    Value(Value),
    /// Equals nothing.
    Nothing,
    /// The server may compare it differently.
    Unknown,
}

fn scalar(value: &FilterValue) -> Scalar {
    match value {
        FilterValue::String(text) => Scalar::Value(text.as_str().into()),
        FilterValue::Bool(value) => Scalar::Value((*value).into()),
        FilterValue::Integer(number) if number.abs_diff(0) < LARGEST.unsigned_abs() => {
            Scalar::Value((*number).into())
        }
        FilterValue::Float(number) if !number.is_finite() => Scalar::Nothing,
        FilterValue::Float(number) if number.abs() < LARGEST as f64 => {
            Scalar::Value(if number.fract() == 0.0 {
                (*number as i64).into()
            } else {
                (*number).into()
            })
        }
        _ => Scalar::Unknown,
    }
}

/// Returns a superset, because its opposite would lose records without the field.
fn ordered(
    field: &str,
    kind: DataKind,
    operator: Comparison,
    value: &FilterValue,
) -> Pushed<Condition> {
    let (name, is_below) = match operator {
        Comparison::Lt => ("$lt", true),
        Comparison::Le => ("$lte", true),
        Comparison::Gt => ("$gt", false),
        Comparison::Ge => ("$gte", false),
        _ => return Pushed::Unknown,
    };
    let bound = if is_below { "$lte" } else { "$gte" };
    match (value, scalar(value)) {
        (FilterValue::DateTime(time), _) if kind == DataKind::DateTime => {
            superset(time_of(field), bound, microseconds(*time).into())
        }
        (FilterValue::Float(_), Scalar::Nothing) => Pushed::Never,
        (FilterValue::Integer(_) | FilterValue::Float(_), Scalar::Value(number)) => {
            let compare = |operator, number| Condition::Compare(field.to_owned(), operator, number);
            let Some(float) = number.as_f64().filter(|float| float.fract() != 0.0) else {
                return superset(field.to_owned(), name, number);
            };
            // The server cuts the fraction off before it compares with an integer.
            let whole = if is_below { float.floor() } else { float.ceil() } as i64;
            Pushed::Superset(Condition::Any(vec![
                compare(name, number),
                compare(bound, whole.into()),
            ]))
        }
        _ => Pushed::Unknown,
    }
}

fn superset(field: String, operator: &'static str, value: Value) -> Pushed<Condition> {
    Pushed::Superset(Condition::Compare(field, operator, value))
}

#[cfg(test)]
mod tests {
    use textsearch_core::vector::DataField;

    use super::*;
    use crate::condition::{DEEPEST, MAX_VALUES};

    fn written(filter: &str) -> (Value, bool) {
        let definition = RecordDefinition::new("id")
            .with_data(DataField::string("title").filterable())
            .with_data(DataField::integer("year").filterable())
            .with_data(DataField::strings("tags").filterable())
            .with_data(DataField::date_time("at").filterable())
            .with_data(DataField::string("$x").filterable());
        let selection = selection(&filter.parse().unwrap(), &definition);
        let condition = if selection.is_never {
            json!("never")
        } else {
            selection.condition.unwrap_or_default()
        };
        (condition, selection.is_exact)
    }

    #[test]
    fn equality_and_its_opposite_are_exact() {
        let cases = [
            (r#"title = "x""#, json!({ "title": { "$eq": "x" } })),
            (r#"title != "x""#, json!({ "title": { "$ne": "x" } })),
            ("year = 2020.0", json!({ "year": { "$eq": 2020 } })),
            ("title = true", json!({ "title": { "$eq": true } })),
            (r#"id in ["a", "b"]"#, json!({ "id": { "$in": ["a", "b"] } })),
            (r#"not (id in ["a", "b"])"#, json!({ "id": { "$nin": ["a", "b"] } })),
            ("year in []", json!("never")),
            (
                r#"not (title in ["a", 1, true])"#,
                json!({ "$and": [
                    { "title": { "$nin": ["a"] } },
                    { "title": { "$nin": [1] } },
                    { "title": { "$ne": true } },
                ]}),
            ),
        ];
        for (filter, expected) in cases {
            assert_eq!(written(filter), (expected, true), "{filter}");
        }
    }

    #[test]
    fn orders_dates_and_lists_are_preselected() {
        let cases = [
            ("year > 2020", json!({ "year": { "$gt": 2020 } })),
            ("year = 1.5", json!({ "year": { "$eq": 1.5 } })),
            (
                "year in [1, 1.5]",
                json!({ "$or": [{ "year": { "$in": [1] } }, { "year": { "$eq": 1.5 } }] }),
            ),
            (
                "year < 1.5",
                json!({ "$or": [{ "year": { "$lt": 1.5 } }, { "year": { "$lte": 1 } }] }),
            ),
            (
                "year >= -1.5",
                json!({ "$or": [{ "year": { "$gte": -1.5 } }, { "year": { "$gte": -1 } }] }),
            ),
            (
                r#"at > date "1970-01-01T00:00:01.0000005Z""#,
                json!({ "textsearch_time:at": { "$gte": 1_000_000 } }),
            ),
            (
                r#"tags contains "a""#,
                json!({ "$or": [
                    { "tags": { "$contains": "a" } },
                    { MIXED: { "$eq": true } },
                ]}),
            ),
            (r#"title = "x" and title exists"#, json!({ "title": { "$eq": "x" } })),
        ];
        for (filter, expected) in cases {
            assert_eq!(written(filter), (expected, false), "{filter}");
        }
    }

    #[test]
    fn what_the_server_cannot_say_is_checked_here() {
        let filters = [
            "not (year > 2020)",
            "year != 1.5",
            "year > 9007199254740992",
            "year = 9007199254740993",
            r#"title < "x""#,
            r#"title starts_with "x""#,
            r#"title contains "x""#,
            r#"title = date "2024-01-01""#,
            r#"tags = ["a"]"#,
            "tags contains 1",
            r#"`$x` = "a""#,
            r#"title = "x" or title exists"#,
        ];
        for filter in filters {
            assert_eq!(written(filter), (Value::Null, false), "{filter}");
        }
    }

    #[test]
    fn filters_beyond_the_limits_are_checked_here() {
        let long: Vec<String> = (0..MAX_VALUES + 1).map(|number| number.to_string()).collect();
        assert_eq!(written(&format!("year in [{}]", long.join(", "))), (Value::Null, false));
        let wide = vec![r#"title = "x""#; MAX_CONDITIONS + 1].join(" or ");
        assert_eq!(written(&wide), (Value::Null, false));
        let deep = (0..DEEPEST).fold("year = 1".to_owned(), |inner, level| match level % 2 {
            0 => format!("(year = 2 or {inner})"),
            _ => format!("(year = 2 and {inner})"),
        });
        assert_eq!(written(&deep), (Value::Null, false));
    }
}
