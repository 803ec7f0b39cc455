//! The order of a scan.

use std::{borrow::Cow, cmp::Ordering};

use serde_json::Value;
use textsearch_core::{
    Result,
    filter::lookup,
    vector::{DataKind, OrderBy, RecordDefinition, RecordKey, SortValue, StoredRecord},
};

use crate::error::refused;

/// What decides the place of a record: the values of the fields, then the key.
pub(crate) struct Place {
    values: Vec<Option<SortValue<'static>>>,
    pub(crate) key: RecordKey,
}

/// Checks that the fields exist.
///
/// # Errors
/// Returns `InvalidOptions` with the names of all fields.
pub(crate) fn check(orders: &[OrderBy], definition: &RecordDefinition) -> Result<()> {
    let data = definition.data.iter().map(|field| field.name.as_str());
    let names: Vec<&str> = data.chain([definition.key.name.as_str()]).collect();
    match orders.iter().find(|order| !names.contains(&order.field.as_str())) {
        Some(order) => {
            let found = format_args!("`{}`", order.field);
            Err(refused("order_by", found, &names.join(", ")))
        }
        None => Ok(()),
    }
}

impl Place {
    pub(crate) fn new(
        record: &StoredRecord,
        orders: &[OrderBy],
        definition: &RecordDefinition,
    ) -> Self {
        let value = |order: &OrderBy| {
            let field = definition.data_field(&order.field);
            let is_date = field.is_some_and(|field| field.kind == DataKind::DateTime);
            let value = lookup(&record.data, &order.field).cloned().unwrap_or(Value::Null);
            SortValue::new(Cow::Owned(value), is_date)
        };
        Self { values: orders.iter().map(value).collect(), key: record.key.clone() }
    }

    /// A missing value comes last in both directions.
    pub(crate) fn compare(&self, other: &Self, orders: &[OrderBy]) -> Ordering {
        let pairs = self.values.iter().zip(&other.values).zip(orders);
        let each = pairs.map(|((one, other), order)| match (one, other) {
            (Some(one), Some(other)) if order.is_descending => other.order(one),
            (Some(one), Some(other)) => one.order(other),
            (one, other) => one.is_none().cmp(&other.is_none()),
        });
        each.fold(Ordering::Equal, Ordering::then).then_with(|| self.key.cmp(&other.key))
    }
}
