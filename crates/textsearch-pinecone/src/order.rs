//! The order of a scan, which Pinecone leaves to its callers.

use std::{borrow::Cow, cmp::Ordering};

use serde_json::Value;
use textsearch_core::{
    Result,
    filter::lookup,
    vector::{DataKind, OrderBy, RecordDefinition, SortValue, StoredRecord},
};

use crate::error::refused;

/// Checks that the fields exist.
///
/// # Errors
/// Returns `InvalidOptions` with the names of all fields.
pub(crate) fn check(orders: &[OrderBy], definition: &RecordDefinition) -> Result<()> {
    let key = &definition.key.name;
    let is_known = |name: &String| name == key || definition.data_field(name).is_some();
    let Some(unknown) = orders.iter().map(|order| &order.field).find(|name| !is_known(name)) else {
        return Ok(());
    };
    let names = definition.data.iter().map(|field| field.name.as_str()).chain([key.as_str()]);
    let names: Vec<&str> = names.collect();
    Err(refused("order_by", format_args!("`{unknown}`"), &names.join(", ")))
}

/// Sorts by one field after another, then by key.
pub(crate) fn sort(
    records: &mut [StoredRecord],
    orders: &[OrderBy],
    definition: &RecordDefinition,
) {
    records.sort_by(|one, other| {
        let by_field = |order: &OrderBy| {
            let is_date = definition
                .data_field(&order.field)
                .is_some_and(|field| field.kind == DataKind::DateTime);
            let found = [one, other].map(|record| {
                let value = lookup(&record.data, &order.field).unwrap_or(&Value::Null);
                SortValue::new(Cow::Borrowed(value), is_date)
            });
            in_direction(found, order.is_descending)
        };
        let fields = orders.iter().map(by_field).find(|ordering| ordering.is_ne());
        fields.unwrap_or(Ordering::Equal).then_with(|| one.key.cmp(&other.key))
    });
}

/// A missing value comes last in both directions.
fn in_direction(values: [Option<SortValue<'_>>; 2], is_descending: bool) -> Ordering {
    match values {
        [Some(one), Some(other)] if is_descending => other.order(&one),
        [Some(one), Some(other)] => one.order(&other),
        [one, other] => one.is_none().cmp(&other.is_none()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use textsearch_core::vector::DataField;

    use super::*;

    #[test]
    fn an_unknown_field_is_refused_with_the_known_ones() {
        let definition = RecordDefinition::new("id").with_data(DataField::integer("year"));
        let error = check(&[OrderBy::ascending("yaer")], &definition).unwrap_err();
        assert!(error.message().contains("`yaer`; expected year, id"), "{error}");
        assert!(check(&[OrderBy::ascending("id")], &definition).is_ok());
    }

    #[test]
    fn nested_fields_sort() {
        let definition = RecordDefinition::new("id").with_data(DataField::string("author.name"));
        let record = |(id, name): (&str, &str)| {
            let data = json!({ "id": id, "author": { "name": name } });
            StoredRecord::new(data.as_object().cloned().unwrap(), &definition).unwrap()
        };
        let mut records = [("1", "Cy"), ("2", "Ada"), ("3", "Bo")].map(record);
        sort(&mut records, &[OrderBy::ascending("author.name")], &definition);
        assert_eq!(records.map(|record| record.key.to_string()), ["2", "3", "1"]);
    }
}
