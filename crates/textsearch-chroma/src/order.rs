//! The order of a scan.

use std::{borrow::Cow, cmp::Ordering};

use serde_json::Value;
use textsearch_core::{
    Result,
    filter::lookup,
    vector::{DataKind, OrderBy, RecordDefinition, SortValue, StoredRecord},
};

use crate::error::refused;

/// The fields to order by, each with whether it holds dates.
pub(crate) struct Order(Vec<(OrderBy, bool)>);

/// What a record is ordered by.
pub(crate) type Values = Vec<Option<SortValue<'static>>>;

impl Order {
    /// # Errors
    /// Returns `InvalidOptions` with the names of all fields if one doesn't exist.
    pub(crate) fn new(fields: &[OrderBy], definition: &RecordDefinition) -> Result<Self> {
        let field = |order: &OrderBy| {
            let data = definition.data_field(&order.field);
            if data.is_none() && order.field != definition.key.name {
                let names = definition.data.iter().map(|field| field.name.as_str());
                let names: Vec<_> = names.chain([definition.key.name.as_str()]).collect();
                let found = format_args!("`{}`", order.field);
                return Err(refused("order_by", found, &names.join(", ")));
            }
            let is_date = data.is_some_and(|field| field.kind == DataKind::DateTime);
            Ok((order.clone(), is_date))
        };
        Ok(Self(fields.iter().map(field).collect::<Result<_>>()?))
    }

    /// Returns whether the key alone decides.
    pub(crate) fn is_by_key(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn values(&self, record: &StoredRecord) -> Values {
        let value = |(order, is_date): &(OrderBy, bool)| {
            let value = lookup(&record.data, &order.field).cloned().unwrap_or(Value::Null);
            SortValue::new(Cow::Owned(value), *is_date)
        };
        self.0.iter().map(value).collect()
    }

    /// A missing value comes last in both directions.
    pub(crate) fn compare(&self, one: &Values, other: &Values) -> Ordering {
        let pairs = one.iter().zip(other).zip(&self.0);
        let each = pairs.map(|((one, other), (order, _))| match (one, other) {
            (Some(one), Some(other)) if order.is_descending => other.order(one),
            (Some(one), Some(other)) => one.order(other),
            (one, other) => one.is_none().cmp(&other.is_none()),
        });
        each.fold(Ordering::Equal, Ordering::then)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use textsearch_core::vector::DataField;

    use super::*;

    #[test]
    fn a_dotted_name_orders_by_the_nested_value() {
        let definition = RecordDefinition::new("id").with_data(DataField::integer("place.rank"));
        let order = Order::new(&[OrderBy::ascending("place.rank")], &definition).unwrap();
        let values = |data: Value| {
            let record = StoredRecord::new(data.as_object().cloned().unwrap(), &definition);
            order.values(&record.unwrap())
        };
        let low = values(json!({ "id": "b", "place": { "rank": 1 } }));
        let high = values(json!({ "id": "a", "place": { "rank": 2 } }));
        assert_eq!(order.compare(&low, &high), Ordering::Less);
    }
}
