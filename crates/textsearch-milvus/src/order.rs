//! The order of a scan. The server orders by key alone.

use std::{borrow::Cow, cmp::Ordering};

use serde_json::Value;
use textsearch_core::{
    Result,
    filter::lookup,
    vector::{DataKind, OrderBy, RecordDefinition, RecordKey, SortValue, StoredRecord},
};

use crate::error::refused;

/// Checks that the fields exist.
///
/// # Errors
/// Returns `InvalidOptions` with the names of all fields.
pub(crate) fn check(orders: &[OrderBy], definition: &RecordDefinition) -> Result<()> {
    let data = definition.data.iter().map(|field| field.name.as_str());
    let names: Vec<&str> = data.chain([definition.key.name.as_str()]).collect();
    let unknown = orders.iter().find(|order| !names.contains(&order.field.as_str()));
    unknown.map_or(Ok(()), |order| {
        Err(refused("order_by", format_args!("`{}`", order.field), &names.join(", ")))
    })
}

/// The place of a record in a scan.
pub(crate) struct Place {
    values: Vec<Option<SortValue<'static>>>,
    pub(crate) key: RecordKey,
}

impl Place {
    pub(crate) fn new(
        record: StoredRecord,
        orders: &[OrderBy],
        definition: &RecordDefinition,
    ) -> Self {
        let StoredRecord { key, data, .. } = record;
        let value = |order: &OrderBy| {
            let is_date = definition
                .data_field(&order.field)
                .is_some_and(|field| field.kind == DataKind::DateTime);
            let value = lookup(&data, &order.field).cloned().unwrap_or(Value::Null);
            SortValue::new(Cow::Owned(value), is_date)
        };
        Self { values: orders.iter().map(value).collect(), key }
    }

    /// A missing value comes last in both directions.
    pub(crate) fn compare(&self, other: &Self, orders: &[OrderBy]) -> Ordering {
        let values = self.values.iter().zip(&other.values).zip(orders);
        let by_values = values.map(|((one, other), order)| match (one, other) {
            (Some(one), Some(other)) if order.is_descending => other.order(one),
            (Some(one), Some(other)) => one.order(other),
            _ => one.is_none().cmp(&other.is_none()),
        });
        by_values.fold(Ordering::Equal, Ordering::then).then_with(|| self.key.cmp(&other.key))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use textsearch_core::vector::DataField;

    use super::*;

    fn definition() -> RecordDefinition {
        RecordDefinition::new("id")
            .with_data(DataField::integer("year"))
            .with_data(DataField::string("body"))
    }

    #[test]
    fn missing_values_come_last_and_keys_decide() {
        let sorted = |orders: &[OrderBy]| {
            let data = [
                json!({ "id": "d" }),
                json!({ "id": "c", "year": 1 }),
                json!({ "id": "b", "year": 2 }),
                json!({ "id": "a", "year": 1 }),
            ];
            let place = |data: serde_json::Value| {
                let record = StoredRecord::new(data.as_object().cloned().unwrap(), &definition());
                Place::new(record.unwrap(), orders, &definition())
            };
            let mut places: Vec<Place> = data.map(place).into();
            places.sort_by(|one, other| one.compare(other, orders));
            places.iter().map(|place| place.key.to_string()).collect::<String>()
        };
        assert_eq!(sorted(&[OrderBy::ascending("year")]), "acbd");
        assert_eq!(sorted(&[OrderBy::descending("year")]), "bacd");
        assert_eq!(sorted(&[]), "abcd");
    }

    #[test]
    fn a_dotted_name_orders_by_the_nested_value() {
        let definition = RecordDefinition::new("id").with_data(DataField::integer("place.rank"));
        let orders = [OrderBy::ascending("place.rank")];
        let place = |data: serde_json::Value| {
            let record = StoredRecord::new(data.as_object().cloned().unwrap(), &definition);
            Place::new(record.unwrap(), &orders, &definition)
        };
        let low = place(json!({ "id": "b", "place": { "rank": 1 } }));
        let high = place(json!({ "id": "a", "place": { "rank": 2 } }));
        assert_eq!(low.compare(&high, &orders), Ordering::Less);
    }

    #[test]
    fn an_unknown_field_is_refused_with_the_known_ones() {
        let error = check(&[OrderBy::ascending("yaer")], &definition()).unwrap_err();
        assert!(error.message().contains("year, body, id"), "{error}");
    }
}
