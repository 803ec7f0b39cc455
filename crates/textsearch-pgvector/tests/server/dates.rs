//! Filters on dates, which columns hold with less precision than records.

use serde_json::json;
use textsearch_conformance::core::{
    Filter,
    vector::{DataField, RecordDefinition, ScanOptions, StoredRecord, VectorStore},
};

use crate::{Created, sql};

const DATES: [&str; 9] = [
    "2024-05-01T10:00:00Z",
    "2024-05-01T12:00:00+02:00",
    "2024-05-01T10:00:00.000000001Z",
    "2024-05-01T10:00:00.000000999Z",
    "2024-05-01T10:00:00.000001Z",
    "2024-05-01T09:59:59.999999999Z",
    "1969-12-31T23:59:59.999999999Z",
    "0000-01-01",
    "9999-12-31T23:59:59.999999999Z",
];

#[tokio::test]
async fn filters_on_dates_are_exact() {
    let created = Created::new("dates").await;
    let definition = RecordDefinition::new("id").with_data(DataField::date_time("at").filterable());
    let collection = created.store.stored_collection(created.name(), definition.clone()).unwrap();
    collection.ensure_exists().await.unwrap();
    let dates = DATES.iter().map(|date| json!(date)).chain([json!(null)]);
    let records = dates.enumerate().map(|(number, date)| {
        let data = json!({ "id": number.to_string(), "at": date });
        StoredRecord::new(data.as_object().cloned().unwrap(), &definition).unwrap()
    });
    let records: Vec<StoredRecord> = records.collect();
    collection.upsert(records.clone()).await.unwrap();
    for date in DATES {
        for condition in ["at = ", "at != ", "at < ", "at <= ", "at > ", "at >= ", "not at < "] {
            let filter: Filter = format!("{condition} date \"{date}\"").parse().unwrap();
            let options = ScanOptions::default().with_filter(filter.clone());
            let scanned = collection.scan(&options).await.unwrap().into_vec().await.unwrap();
            let matching = records.iter().filter(|record| filter.matches_object(&record.data));
            let expected: Vec<StoredRecord> = matching.cloned().collect();
            assert_eq!(scanned, expected, "{filter}");
        }
    }
    let column = format!("SELECT at AT TIME ZONE 'UTC' FROM \"{}\" WHERE id = '6'", created.name());
    assert_eq!(sql(&column).await, ["1969-12-31 23:59:59.999999"]);
}
