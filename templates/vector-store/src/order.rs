//! The order of a scan.

use std::{borrow::Cow, cmp::Ordering};

use serde_json::Value;
use textsearch_core::{
    Result,
    filter::lookup,
    vector::{DataKind, OrderBy, RecordDefinition, SortValue, StoredRecord},
};

use crate::refused;

/// The fields to order by, each with whether it holds dates.
pub(crate) struct Order(Vec<(OrderBy, bool)>);

impl Order {
    /// # Errors
    /// Returns `InvalidOptions` if a field doesn't exist.
    pub(crate) fn new(fields: &[OrderBy], definition: &RecordDefinition) -> Result<Self> {
        let field = |order: &OrderBy| {
            let data = definition.data_field(&order.field);
            if data.is_none() && order.field != definition.key.name {
                let data = definition.data.iter().map(|field| field.name.as_str());
                let names: Vec<_> = data.chain([definition.key.name.as_str()]).collect();
                return Err(refused("order_by", &order.field, &names.join(", ")));
            }
            let is_date = data.is_some_and(|field| field.kind == DataKind::DateTime);
            Ok((order.clone(), is_date))
        };
        Ok(Self(fields.iter().map(field).collect::<Result<_>>()?))
    }

    /// Sorts records that are in the order of their keys.
    pub(crate) fn sort(&self, records: &mut [StoredRecord]) {
        records.sort_by(|one, other| {
            let orders = self.0.iter().map(|(order, is_date)| {
                compare(value(one, order, *is_date), value(other, order, *is_date), order)
            });
            orders.fold(Ordering::Equal, Ordering::then)
        });
    }
}

fn value<'a>(record: &'a StoredRecord, order: &OrderBy, is_date: bool) -> Option<SortValue<'a>> {
    let value = lookup(&record.data, &order.field).unwrap_or(&Value::Null);
    SortValue::new(Cow::Borrowed(value), is_date)
}

/// A missing value comes last in both directions.
fn compare(one: Option<SortValue<'_>>, other: Option<SortValue<'_>>, order: &OrderBy) -> Ordering {
    match (one, other) {
        (Some(one), Some(other)) if order.is_descending => other.order(&one),
        (Some(one), Some(other)) => one.order(&other),
        (one, other) => one.is_none().cmp(&other.is_none()),
    }
}
