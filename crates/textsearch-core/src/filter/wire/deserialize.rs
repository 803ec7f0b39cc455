//! Reads filters and counts their depth, which a format may not bound.

use std::fmt;

use serde::{
    Deserialize, Deserializer,
    de::{DeserializeSeed, Error, MapAccess, SeqAccess, Visitor},
};

use super::{
    OPERATORS,
    depth::Depth,
    value::{ValueSeed, ValuesSeed},
};
use crate::filter::{Comparison, Filter, FilterOperator, FilterValue};

impl<'de> Deserialize<'de> for Filter {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        FilterSeed(Depth::ROOT).deserialize(deserializer)
    }
}

struct FilterSeed(Depth);

impl<'de> DeserializeSeed<'de> for FilterSeed {
    type Value = Filter;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Filter, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for FilterSeed {
    type Value = Filter;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(
            "a filter: an object with `field` and `operator`, or with one of `and`, `or`, `not`",
        )
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Filter, A::Error> {
        let mut parts = Parts::default();
        while let Some(key) = map.next_key()? {
            parts.read(key, &mut map, self.0)?;
        }
        parts.into_filter()
    }
}

struct FiltersSeed(Depth);

impl<'de> DeserializeSeed<'de> for FiltersSeed {
    type Value = Vec<Filter>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Vec<Filter>, D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for FiltersSeed {
    type Value = Vec<Filter>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an array of filters")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<Vec<Filter>, A::Error> {
        let mut filters = Vec::new();
        while let Some(filter) = sequence.next_element_seed(FilterSeed(self.0))? {
            filters.push(filter);
        }
        Ok(filters)
    }
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(field_identifier, rename_all = "lowercase")]
enum Key {
    Field,
    Operator,
    Value,
    Values,
    And,
    Or,
    Not,
}

/// The content of an object, whose keys may come in any order.
#[derive(Default)]
struct Parts {
    field: Option<String>,
    operator: Option<FilterOperator>,
    value: Option<FilterValue>,
    values: Option<Vec<FilterValue>>,
    group: Option<Filter>,
}

impl Parts {
    fn read<'de, A: MapAccess<'de>>(
        &mut self,
        key: Key,
        map: &mut A,
        depth: Depth,
    ) -> Result<(), A::Error> {
        match key {
            Key::Field => set(&mut self.field, "field", map.next_value()?),
            Key::Operator => {
                let name: String = map.next_value()?;
                set(&mut self.operator, "operator", operator(&name)?)
            }
            Key::Value => set(&mut self.value, "value", map.next_value_seed(ValueSeed(depth))?),
            Key::Values => set(&mut self.values, "values", map.next_value_seed(ValuesSeed(depth))?),
            Key::And => {
                let filters = map.next_value_seed(FiltersSeed(depth.deeper()?))?;
                self.set_group(Filter::And(filters))
            }
            Key::Or => {
                let filters = map.next_value_seed(FiltersSeed(depth.deeper()?))?;
                self.set_group(Filter::Or(filters))
            }
            Key::Not => {
                let filter = map.next_value_seed(FilterSeed(depth.deeper()?))?;
                self.set_group(Filter::Not(Box::new(filter)))
            }
        }
    }

    fn set_group<E: Error>(&mut self, group: Filter) -> Result<(), E> {
        match self.group.replace(group) {
            None => Ok(()),
            Some(_) => {
                Err(E::custom("a filter has only one of `and`, `or` and `not`, and it once"))
            }
        }
    }

    fn into_filter<E: Error>(mut self) -> Result<Filter, E> {
        let is_named = self.field.is_some() || self.operator.is_some();
        match self.group.take() {
            Some(_) if is_named || self.value.is_some() || self.values.is_some() => Err(E::custom(
                "`and`, `or` and `not` stand alone: no other key is allowed beside them",
            )),
            Some(group) => Ok(group),
            None if is_named => self.into_comparison(),
            None => Err(E::custom(
                "a filter has the keys `field` and `operator`, or one of `and`, `or` and `not`",
            )),
        }
    }

    fn into_comparison<E: Error>(self) -> Result<Filter, E> {
        let field = self.field.ok_or_else(|| E::missing_field("field"))?;
        let operator = self.operator.ok_or_else(|| E::missing_field("operator"))?;
        let wanted = match (operator, self.value, self.values) {
            (FilterOperator::In, None, Some(values)) => return Ok(Filter::In { field, values }),
            (FilterOperator::In, _, _) => "`values`, an array, and no `value`",
            (FilterOperator::Exists, None, None) => return Ok(Filter::Exists { field }),
            (FilterOperator::Exists, _, _) => "neither `value` nor `values`",
            (_, value, None) => match compared_by(operator).zip(value) {
                Some((operator, value)) => {
                    return Ok(Filter::Compare { field, operator, value });
                }
                None => "`value` and no `values`",
            },
            _ => "`value` and no `values`",
        };
        Err(E::custom(format_args!("the operator `{operator}` takes {wanted}")))
    }
}

fn compared_by(operator: FilterOperator) -> Option<Comparison> {
    Comparison::ALL.iter().copied().find(|one| FilterOperator::from(*one) == operator)
}

fn operator<E: Error>(name: &str) -> Result<FilterOperator, E> {
    let mut operators = FilterOperator::ALL_COMPARISONS.iter().copied();
    let found = operators.find(|operator| operator.name() == name);
    found.ok_or_else(|| E::unknown_variant(name, OPERATORS))
}

fn set<T, E: Error>(slot: &mut Option<T>, key: &'static str, value: T) -> Result<(), E> {
    match slot.replace(value) {
        None => Ok(()),
        Some(_) => Err(E::duplicate_field(key)),
    }
}
