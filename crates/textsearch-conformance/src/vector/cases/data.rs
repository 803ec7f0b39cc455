//! Data are returned unchanged.

use serde_json::{Value, json};
use textsearch_core::{
    ErrorKind,
    vector::{DataField, DataKind, RecordDefinition},
};

use crate::{
    case::skipped,
    vector::{
        VectorFeature, VectorSubject,
        fixture::{TestCollection, record, refused_record},
    },
};

async fn of_json(subject: &VectorSubject) -> TestCollection {
    let definition = RecordDefinition::new("id")
        .with_data(DataField::new("value", DataKind::Json))
        .with_data(DataField::new("asked", DataKind::Json).filterable());
    subject.collection(definition).await
}

/// From a filterable field and from another.
async fn check(subject: &VectorSubject, values: Vec<Value>) {
    let docs = of_json(subject).await;
    let records = values.iter().enumerate().map(|(number, value)| {
        record(
            &format!("{number:03}"),
            json!({ "value": value, "asked": value, "undefined": value }),
        )
    });
    docs.upsert(records.collect()).await;
    let read = docs.try_scan(&Default::default()).await.expect("the scan succeeds");
    assert_eq!(read.len(), values.len());
    for (record, value) in read.iter().zip(&values) {
        for field in ["value", "asked", "undefined"] {
            let actual =
                record.data.get(field).unwrap_or_else(|| panic!("no `{field}` for {value}"));
            // `Value` treats -0.0 and 0.0 as equal.
            assert_eq!(actual.to_string(), value.to_string(), "`{field}`");
        }
        assert_eq!(record.data.len(), 4, "{:?}", record.data);
    }
}

/// Numbers keep their value and form.
pub(crate) async fn numbers_come_back_bit_for_bit(subject: &VectorSubject) {
    let floats = [0.1, -0.0, 1.0, 1e-7, 5e-324, f64::MAX, f64::MIN_POSITIVE, 0.1 + 0.2, 1.0 / 3.0];
    let whole = [0, 1, -1, i64::from(i32::MAX) + 1, (1 << 53) + 1, i64::MAX, i64::MIN];
    let mut numbers = floats.map(Value::from).to_vec();
    numbers.extend(whole.map(Value::from));
    numbers.push(json!(u64::MAX));
    check(subject, numbers).await;
}

/// Whatever their content.
pub(crate) async fn texts_come_back_bit_for_bit(subject: &VectorSubject) {
    let texts = [
        "".to_owned(),
        " \t\r\n".to_owned(),
        "\u{0}\u{1}\u{7f}\u{feff}".to_owned(),
        "cafe\u{301} \u{10ffff} 日本語 🦀".to_owned(),
        r#"{"not": "read"}"#.to_owned(),
        "2024-01-01T00:00:00+02:00".to_owned(),
        "67E55044-10B1-426F-9247-BB680E5FE0C8".to_owned(),
        "12345678901234567890123".to_owned(),
    ];
    check(subject, texts.map(Value::from).into()).await;
    let long = json!("long ".repeat(40_000));
    if subject.capabilities.has(VectorFeature::LargeRecords) {
        return check(subject, vec![long]).await;
    }
    let docs = of_json(subject).await;
    let refused = docs.collection.upsert(vec![record("a", json!({ "value": long }))]).await;
    refused_record(refused, "a large record");
    skipped("large_records");
}

/// Includes empty lists, empty objects and nulls.
pub(crate) async fn nested_data_come_back_bit_for_bit(subject: &VectorSubject) {
    let deep = (0..12).fold(json!([null]), |inner, level| json!({ "level": level, "in": [inner] }));
    check(
        subject,
        vec![
            Value::Null,
            json!(true),
            json!([]),
            json!({}),
            json!([[], {}, null, [null]]),
            json!([1, "1", 1.0, true, null, { "a": [1.5] }]),
            json!({ "": 1, " ": 2, "a.b": { "c.d": 3 }, "$set": 4, "Ünï": null, "a\"b": [] }),
            json!({ "id": "inner", "key": 1, "vector": [0.5, 0.25], "payload": {}, "_id": 2, "score": 3 }),
            deep,
        ],
    )
    .await;
}

/// The store returns them unchanged, or rejects them when stored.
pub(crate) async fn very_deep_data_come_back_or_are_refused(subject: &VectorSubject) {
    for levels in [60, 100, 120] {
        let docs = of_json(subject).await;
        let deep = (0..levels).fold(Value::Null, |inner, _| json!([inner]));
        let written = record("a", json!({ "value": deep }));
        match docs.collection.upsert(vec![written.clone()]).await {
            Ok(()) => assert_eq!(docs.get("a").await.map(|stored| stored.data), Some(written.data)),
            Err(error) => {
                let is_refused = matches!(error.kind(), ErrorKind::InvalidRecord { .. });
                assert!(is_refused, "{levels} levels are refused as another error: {error:?}");
            }
        }
    }
}

/// Fields may lie outside the definition.
pub(crate) async fn undefined_fields_are_stored_with_the_rest(subject: &VectorSubject) {
    let docs = of_json(subject).await;
    let data = json!({ "anything": [1, 2], "a.b": 1, "": 2, "Name": "n", "vectors": { "x": 1 } });
    docs.upsert(vec![record("a", data.clone())]).await;
    let mut fields = docs.get("a").await.expect("the record is there").data;
    fields.remove("id");
    assert_eq!(Value::Object(fields), data);
}
