//! The order of a scan, for backends that don't sort as the core does.

use std::{borrow::Cow, cmp::Ordering};

use serde_json::Value;

use super::{DataKind, OrderBy, RecordDefinition, RecordKey, ScanOptions, SortValue, StoredRecord};
use crate::{Error, Result, filter::lookup};

/// The order of a scan: by fields, then by key. A missing value comes last in both directions.
///
/// ```
/// use textsearch_core::{
///     serde_json::json,
///     vector::{DataField, OrderBy, RecordDefinition, ScanOptions, ScanOrder, StoredRecord},
/// };
///
/// # fn main() -> textsearch_core::Result<()> {
/// let definition = RecordDefinition::new("id").with_data(DataField::integer("year"));
/// let order = ScanOrder::new(&[OrderBy::descending("year")], &definition, "acme")?;
/// let place = |id: &str, year: u32| {
///     let data = json!({ "id": id, "year": year });
///     let record = StoredRecord::new(data.as_object().cloned().unwrap_or_default(), &definition)?;
///     textsearch_core::Result::Ok(order.place(&record))
/// };
/// let places = vec![place("a", 2023)?, place("b", 2025)?, place("c", 2025)?];
/// let keys = order.window(places, &ScanOptions::default().with_top(2));
/// assert_eq!(keys, ["b".into(), "c".into()]);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct ScanOrder {
    /// Each with whether it holds dates.
    fields: Vec<(OrderBy, bool)>,
}

/// The sort key of a record in a [`ScanOrder`]: its field values, then its key.
#[derive(Debug, Clone)]
pub struct Place {
    values: Vec<Option<SortValue<'static>>>,
    /// The key of the record.
    pub key: RecordKey,
}

impl From<RecordKey> for Place {
    /// The place in an order by key alone.
    fn from(key: RecordKey) -> Self {
        Self { values: Vec::new(), key }
    }
}

impl ScanOrder {
    /// Creates the order of `order_by`. Errors name `connector`.
    ///
    /// # Errors
    ///
    /// Returns [`InvalidOptions`](crate::ErrorKind::InvalidOptions) with the names of all fields if
    /// one doesn't exist.
    pub fn new(
        order_by: &[OrderBy],
        definition: &RecordDefinition,
        connector: &str,
    ) -> Result<Self> {
        let field = |order: &OrderBy| {
            let data = definition.data_field(&order.field);
            if data.is_none() && order.field != definition.key.name {
                let names: Vec<&str> = definition.data_names().collect();
                let value = format_args!("`{}`", order.field);
                return Err(Error::invalid_options(connector, "order_by", value, names.join(", ")));
            }
            let is_date = data.is_some_and(|field| field.kind == DataKind::DateTime);
            Ok((order.clone(), is_date))
        };
        Ok(Self { fields: order_by.iter().map(field).collect::<Result<_>>()? })
    }

    /// Returns whether the key alone decides.
    pub fn is_by_key(&self) -> bool {
        self.fields.is_empty()
    }

    /// Returns the place of a record.
    pub fn place(&self, record: &StoredRecord) -> Place {
        let values =
            self.fields.iter().map(|(order, _)| lookup(&record.data, &order.field).cloned());
        let values = self.values(values.map(|value| value.map(Cow::Owned)));
        Place { values, key: record.key.clone() }
    }

    /// Converts the values of the `order_by` fields, in that order, into values that compare.
    pub fn values<'a>(
        &self,
        values: impl IntoIterator<Item = Option<Cow<'a, Value>>>,
    ) -> Vec<Option<SortValue<'a>>> {
        let values = values.into_iter().zip(&self.fields);
        values.map(|(value, (_, is_date))| SortValue::new(value?, *is_date)).collect()
    }

    /// Compares two places.
    pub fn compare(&self, left: &Place, right: &Place) -> Ordering {
        self.compare_values(&left.values, &right.values).then_with(|| left.key.cmp(&right.key))
    }

    /// Compares two records by their sort values, ignoring their keys.
    pub fn compare_values(
        &self,
        left: &[Option<SortValue<'_>>],
        right: &[Option<SortValue<'_>>],
    ) -> Ordering {
        let pairs = left.iter().zip(right).zip(&self.fields);
        let mut orders = pairs.map(|((left, right), (order, _))| match (left, right) {
            (Some(left), Some(right)) if order.descending => right.order(left),
            (Some(left), Some(right)) => left.order(right),
            (left, right) => left.is_none().cmp(&right.is_none()),
        });
        orders.find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
    }

    /// Returns the keys of a window of `places`, in order.
    pub fn window(&self, mut places: Vec<Place>, options: &ScanOptions) -> Vec<RecordKey> {
        places.sort_unstable_by(|left, right| self.compare(left, right));
        let window = places.into_iter().skip(options.skip);
        window.take(options.top.unwrap_or(usize::MAX)).map(|place| place.key).collect()
    }

    /// Returns whole records in order.
    pub fn sorted(&self, records: Vec<StoredRecord>) -> Vec<StoredRecord> {
        let placed = records.into_iter().map(|record| (self.place(&record), record));
        let mut placed: Vec<_> = placed.collect();
        placed.sort_by(|(left, _), (right, _)| self.compare(left, right));
        placed.into_iter().map(|(_, record)| record).collect()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::vector::DataField;

    fn definition() -> RecordDefinition {
        RecordDefinition::new("id")
            .with_data(DataField::integer("year"))
            .with_data(DataField::integer("place.rank"))
    }

    fn order(order_by: &[OrderBy]) -> ScanOrder {
        ScanOrder::new(order_by, &definition(), "test").unwrap()
    }

    fn record(data: Value) -> StoredRecord {
        StoredRecord::new(data.as_object().cloned().unwrap(), &definition()).unwrap()
    }

    #[test]
    fn missing_values_come_last_and_keys_decide() {
        let sorted = |order_by: &[OrderBy]| {
            let data = [
                json!({ "id": "d" }),
                json!({ "id": "c", "year": 1 }),
                json!({ "id": "b", "year": 2 }),
                json!({ "id": "a", "year": 1 }),
            ];
            let records = order(order_by).sorted(data.map(record).into());
            records.iter().map(|record| record.key.to_string()).collect::<String>()
        };
        assert_eq!(sorted(&[OrderBy::ascending("year")]), "acbd");
        assert_eq!(sorted(&[OrderBy::descending("year")]), "bacd");
        assert_eq!(sorted(&[]), "abcd");
    }

    #[test]
    fn a_dotted_name_orders_by_the_nested_value() {
        let order = order(&[OrderBy::ascending("place.rank")]);
        let low = order.place(&record(json!({ "id": "b", "place": { "rank": 1 } })));
        let high = order.place(&record(json!({ "id": "a", "place": { "rank": 2 } })));
        assert_eq!(order.compare(&low, &high), Ordering::Less);
    }

    #[test]
    fn an_unknown_field_is_refused_with_the_known_ones() {
        let wrong = [OrderBy::ascending("yaer")];
        let error = ScanOrder::new(&wrong, &definition(), "test").unwrap_err();
        assert!(error.message().contains("`yaer`; expected id, year, place.rank"), "{error}");
        assert!(ScanOrder::new(&[OrderBy::ascending("id")], &definition(), "test").is_ok());
    }
}
