//! The order of a scan: by the server if it orders as the core does, or here.

use std::{borrow::Cow, cmp::Ordering};

use serde_json::Value;
use textsearch_core::{
    Result,
    filter::lookup,
    vector::{DataKind, OrderBy, RecordDefinition, SortValue, StoredRecord},
};

use crate::{columns::has_column, error::refused, table::quoted};

pub(crate) type SortValues = Vec<Option<SortValue<'static>>>;

/// Checks that the fields exist.
///
/// # Errors
/// Returns `InvalidOptions` with the names of all fields.
pub(crate) fn check(orders: &[OrderBy], definition: &RecordDefinition) -> Result<()> {
    let data = definition.data.iter().map(|field| field.name.as_str());
    let names: Vec<_> = data.chain([definition.key.name.as_str()]).collect();
    match orders.iter().find(|order| !names.contains(&order.field.as_str())) {
        Some(order) => {
            Err(refused("order_by", format_args!("`{}`", order.field), &names.join(", ")))
        }
        None => Ok(()),
    }
}

/// Returns the SQL, unless a field has no column or its column rounds.
pub(crate) fn sql(orders: &[OrderBy], definition: &RecordDefinition) -> Option<String> {
    let by = |order: &OrderBy| {
        let is_exact = match definition.data_field(&order.field) {
            Some(field) => {
                has_column(field) && ![DataKind::Number, DataKind::DateTime].contains(&field.kind)
            }
            None => true,
        };
        let direction = if order.is_descending { "DESC" } else { "ASC" };
        is_exact.then(|| format!("{} {direction} NULLS LAST, ", quoted(&order.field)))
    };
    let fields: Option<String> = orders.iter().map(by).collect();
    fields.map(|fields| format!("{fields}{}", quoted(&definition.key.name)))
}

/// Returns the record's values to order by.
pub(crate) fn values(
    record: &StoredRecord,
    orders: &[OrderBy],
    definition: &RecordDefinition,
) -> SortValues {
    let value = |order: &OrderBy| {
        let field = definition.data_field(&order.field);
        let is_date = field.is_some_and(|field| field.kind == DataKind::DateTime);
        let value = lookup(&record.data, &order.field).cloned().unwrap_or(Value::Null);
        SortValue::new(Cow::Owned(value), is_date)
    };
    orders.iter().map(value).collect()
}

/// Compares two records. A missing value comes last in both directions.
pub(crate) fn compare(one: &SortValues, other: &SortValues, orders: &[OrderBy]) -> Ordering {
    let pairs = one.iter().zip(other).zip(orders);
    let each = pairs.map(|((one, other), order)| match (one, other) {
        (Some(one), Some(other)) if order.is_descending => other.order(one),
        (Some(one), Some(other)) => one.order(other),
        (one, other) => one.is_none().cmp(&other.is_none()),
    });
    each.fold(Ordering::Equal, Ordering::then)
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use textsearch_core::vector::DataField;

    use super::*;

    fn definition() -> RecordDefinition {
        RecordDefinition::new("id")
            .with_data(DataField::integer("year").filterable())
            .with_data(DataField::number("size").filterable())
            .with_data(DataField::string("body"))
    }

    #[test]
    fn the_server_orders_by_columns_that_do_not_round() {
        let sql = |field: &str| sql(&[OrderBy::descending(field)], &definition());
        assert_eq!(sql("year").as_deref(), Some(r#""year" DESC NULLS LAST, "id""#));
        assert_eq!(sql("id").as_deref(), Some(r#""id" DESC NULLS LAST, "id""#));
        assert_eq!(sql("size"), None);
        assert_eq!(sql("body"), None);
    }

    #[test]
    fn a_dotted_name_orders_by_the_nested_value() {
        let definition = RecordDefinition::new("id").with_data(DataField::number("place.height"));
        let orders = [OrderBy::ascending("place.height")];
        let of = |data: Value| {
            let record = StoredRecord::new(data.as_object().cloned().unwrap(), &definition);
            values(&record.unwrap(), &orders, &definition)
        };
        let low = of(json!({ "id": "b", "place": { "height": 1.5 } }));
        let high = of(json!({ "id": "a", "place": { "height": 2 } }));
        assert_eq!(compare(&low, &high, &orders), Ordering::Less);
    }

    #[test]
    fn an_unknown_field_is_refused_with_the_known_ones() {
        let error = check(&[OrderBy::ascending("yaer")], &definition()).unwrap_err();
        assert!(error.message().contains("year, size, body, id"), "{error}");
    }
}
