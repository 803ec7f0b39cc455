//! Evaluates conditions on a payload like the server, following [its
//! documentation](https://qdrant.tech/documentation/concepts/filtering/) and its source.

use qdrant_client::qdrant::{
    Condition, FieldCondition, Filter, PointId, PointStruct, condition::ConditionOneOf,
    r#match::MatchValue,
};
use serde_json::Value;
use textsearch_core::filter::DateTime;

pub(super) struct Stored {
    id: PointId,
    payload: Value,
}

impl Stored {
    pub(super) fn new(point: PointStruct) -> Self {
        let payload = serde_json::to_value(&point.payload).unwrap();
        Self { id: point.id.unwrap(), payload }
    }

    pub(super) fn fits(&self, filter: &Filter) -> bool {
        assert!(filter.min_should.is_none());
        let holds = |condition: &Condition| self.holds(condition);
        filter.must.iter().all(holds)
            && !filter.must_not.iter().any(holds)
            && (filter.should.is_empty() || filter.should.iter().any(holds))
    }

    fn holds(&self, condition: &Condition) -> bool {
        match condition.condition_one_of.as_ref().unwrap() {
            ConditionOneOf::Filter(filter) => self.fits(filter),
            ConditionOneOf::HasId(ids) => ids.has_id.contains(&self.id),
            ConditionOneOf::IsEmpty(condition) => match self.lookup(&condition.key) {
                None | Some(Value::Null) => true,
                Some(Value::Array(items)) => items.is_empty(),
                Some(_) => false,
            },
            ConditionOneOf::Field(condition) => match self.lookup(&condition.key) {
                Some(Value::Array(items)) => items.iter().any(|item| holds_for(condition, item)),
                Some(value) => holds_for(condition, value),
                None => false,
            },
            other => panic!("{other:?}"),
        }
    }

    /// Reads keys that are bare or in double quotes.
    fn lookup(&self, path: &str) -> Option<&Value> {
        let mut value = &self.payload;
        let mut rest = path;
        while !rest.is_empty() {
            let (part, after) = match rest.strip_prefix('"') {
                Some(quoted) => quoted.split_once('"').unwrap(),
                None => rest.split_at(rest.find('.').unwrap_or(rest.len())),
            };
            value = value.get(part)?;
            rest = after.strip_prefix('.').unwrap_or(after);
        }
        Some(value)
    }
}

fn holds_for(condition: &FieldCondition, value: &Value) -> bool {
    if let Some(matched) =
        condition.r#match.as_ref().and_then(|matched| matched.match_value.as_ref())
    {
        return match (matched, value) {
            (MatchValue::Keyword(operand), Value::String(text)) => text == operand,
            (MatchValue::Keywords(operand), Value::String(text)) => operand.strings.contains(text),
            (MatchValue::Text(operand), Value::String(text)) => text.contains(operand.as_str()),
            (MatchValue::Integer(operand), Value::Number(number)) => {
                number.as_i64() == Some(*operand)
            }
            (MatchValue::Boolean(operand), Value::Bool(value)) => value == operand,
            _ => false,
        };
    }
    if let Some(range) = &condition.range {
        let Some(number) = value.as_f64() else { return false };
        return range.lt.is_none_or(|bound| number < bound)
            && range.lte.is_none_or(|bound| number <= bound)
            && range.gt.is_none_or(|bound| number > bound)
            && range.gte.is_none_or(|bound| number >= bound);
    }
    let range = condition.datetime_range.as_ref().unwrap();
    let Some(date) = value.as_str().and_then(|text| DateTime::parse(text).ok()) else {
        return false;
    };
    let date = date.unix_nanoseconds().div_euclid(1_000);
    let microseconds =
        |bound: (i64, i32)| i128::from(bound.0) * 1_000_000 + i128::from(bound.1).div_euclid(1_000);
    let bound = |bound: Option<(i64, i32)>, holds: fn(i128, i128) -> bool| {
        bound.is_none_or(|bound| holds(date, microseconds(bound)))
    };
    bound(range.lt.map(|time| (time.seconds, time.nanos)), |date, bound| date < bound)
        && bound(range.lte.map(|time| (time.seconds, time.nanos)), |date, bound| date <= bound)
        && bound(range.gt.map(|time| (time.seconds, time.nanos)), |date, bound| date > bound)
        && bound(range.gte.map(|time| (time.seconds, time.nanos)), |date, bound| date >= bound)
}
