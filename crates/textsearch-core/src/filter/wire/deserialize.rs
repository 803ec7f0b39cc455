//! Reads filters. A format bounds how deep it reads; [`Filter::MAX_DEPTH`] bounds what comes out.

use std::fmt;

use serde::{
    Deserialize, Deserializer,
    de::{
        Error, MapAccess, SeqAccess, Visitor,
        value::{MapAccessDeserializer, SeqAccessDeserializer},
    },
};

use super::OPERATORS;
use crate::filter::{Comparison, DateTime, Filter, FilterOperator, FilterValue};

impl<'de> Deserialize<'de> for Filter {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // A derived struct would also be read from an array.
        deserializer.deserialize_map(FilterVisitor)
    }
}

struct FilterVisitor;

impl<'de> Visitor<'de> for FilterVisitor {
    type Value = Filter;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(
            "a filter: an object with `field` and `operator`, or with one of `and`, `or`, `not`",
        )
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Filter, A::Error> {
        let filter = Parts::deserialize(MapAccessDeserializer::new(map))?.into_filter()?;
        check_depth(filter.depth())?;
        Ok(filter)
    }
}

fn check_depth<E: Error>(depth: usize) -> Result<(), E> {
    let max = Filter::MAX_DEPTH;
    if depth <= max {
        return Ok(());
    }
    Err(E::custom(format_args!("a filter may be nested at most {max} levels deep")))
}

/// The content of an object.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Parts {
    #[serde(deserialize_with = "not_null")]
    field: Option<String>,
    #[serde(deserialize_with = "comparison")]
    operator: Option<FilterOperator>,
    #[serde(deserialize_with = "not_null")]
    value: Option<FilterValue>,
    #[serde(deserialize_with = "not_null")]
    values: Option<Vec<FilterValue>>,
    #[serde(deserialize_with = "not_null")]
    and: Option<Vec<Filter>>,
    #[serde(deserialize_with = "not_null")]
    or: Option<Vec<Filter>>,
    #[serde(deserialize_with = "not_null")]
    not: Option<Box<Filter>>,
}

fn not_null<'de, D, T>(deserializer: D) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    T::deserialize(deserializer).map(Some)
}

fn comparison<'de, D>(deserializer: D) -> Result<Option<FilterOperator>, D::Error>
where
    D: Deserializer<'de>,
{
    let name = String::deserialize(deserializer)?;
    let mut operators = FilterOperator::ALL_COMPARISONS.iter().copied();
    let operator = operators.find(|operator| operator.name() == name);
    operator.map(Some).ok_or_else(|| D::Error::unknown_variant(&name, OPERATORS))
}

impl Parts {
    fn into_filter<E: Error>(mut self) -> Result<Filter, E> {
        let groups = [
            self.and.take().map(Filter::And),
            self.or.take().map(Filter::Or),
            self.not.take().map(Filter::Not),
        ];
        let mut groups = groups.into_iter().flatten();
        let has_comparison = self.field.is_some() || self.operator.is_some();
        match (groups.next(), groups.next()) {
            (Some(_), Some(_)) => Err(E::custom("a filter has only one of `and`, `or` and `not`")),
            (Some(_), None) if has_comparison || self.value.is_some() || self.values.is_some() => {
                Err(E::custom(
                    "`and`, `or` and `not` stand alone: no other key is allowed beside them",
                ))
            }
            (Some(group), None) => Ok(group),
            (None, _) if has_comparison => self.into_comparison(),
            (None, _) => Err(E::custom(
                "a filter has the keys `field` and `operator`, or one of `and`, `or` and `not`",
            )),
        }
    }

    fn into_comparison<E: Error>(self) -> Result<Filter, E> {
        let field = self.field.ok_or_else(|| E::missing_field("field"))?;
        let operator = self.operator.ok_or_else(|| E::missing_field("operator"))?;
        let mut comparisons = Comparison::ALL.iter().copied();
        let comparison = comparisons.find(|each| FilterOperator::from(*each) == operator);
        let expected = match (operator, comparison, self.value, self.values) {
            (FilterOperator::In, _, None, Some(values)) => return Ok(Filter::In { field, values }),
            (FilterOperator::In, ..) => "`values`, an array, and no `value`",
            (FilterOperator::Exists, _, None, None) => return Ok(Filter::Exists { field }),
            (FilterOperator::Exists, ..) => "neither `value` nor `values`",
            (_, Some(operator), Some(value), None) => {
                return Ok(Filter::Compare { field, operator, value });
            }
            _ => "`value` and no `values`",
        };
        Err(E::custom(format_args!("the operator `{operator}` takes {expected}")))
    }
}

impl<'de> Deserialize<'de> for FilterValue {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = deserializer.deserialize_any(ValueVisitor)?;
        // The comparison with it is a level.
        check_depth(1 + value.depth())?;
        Ok(value)
    }
}

struct ValueVisitor;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Instant {
    date_time: DateTime,
}

impl<'de> Visitor<'de> for ValueVisitor {
    type Value = FilterValue;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .write_str("a boolean, a number, a string, {\"date_time\":\"…\"} or an array of these")
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<FilterValue, E> {
        Ok(FilterValue::Bool(value))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<FilterValue, E> {
        Ok(FilterValue::Integer(value))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<FilterValue, E> {
        i64::try_from(value).map(FilterValue::Integer).map_err(|_| {
            E::custom(format_args!(
                "{value} does not fit a signed integer of 64 bits: write {value}.0 to compare as a float"
            ))
        })
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<FilterValue, E> {
        if value.is_finite() {
            return Ok(FilterValue::Float(value));
        }
        Err(E::custom(format_args!("{value} is not finite: no field can equal it")))
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<FilterValue, E> {
        Ok(FilterValue::String(value.to_owned()))
    }

    fn visit_unit<E: Error>(self) -> Result<FilterValue, E> {
        Err(E::custom("null isn't a value of a filter: use the operator `exists`"))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, items: A) -> Result<FilterValue, A::Error> {
        Vec::deserialize(SeqAccessDeserializer::new(items)).map(FilterValue::List)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<FilterValue, A::Error> {
        let instant = Instant::deserialize(MapAccessDeserializer::new(map))?;
        Ok(FilterValue::DateTime(instant.date_time))
    }
}
