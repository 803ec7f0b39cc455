//! Filters, whatever Pinecone makes of missing fields, and whatever the values are.

use serde_json::{Value, json};
use textsearch_pinecone::{
    Filter,
    vector::{GetOptions, IndexKind, StoredRecord, VectorStore as _},
};
use textsearch_vector_inmemory::InMemoryVectorStore;

use crate::{
    stand_in::{Behavior, StandIn},
    support::{definition, filtered, notes, record},
};

/// Values that read as parts of a filter, or of JSON.
const HOSTILE: [&str; 9] = [
    "$ne",
    r#"{"$ne": ""}"#,
    r#""}, "$or": [{"title": {"$exists": true}}], "x": {"$eq": ""#,
    "a\"}}]}",
    "\\",
    "\u{0}",
    "$exists",
    "_textsearch_odd",
    "{}",
];

#[tokio::test]
async fn hostile_values_match_nothing_else() {
    let notes = notes(&StandIn::start(Behavior::default()).store()).await;
    let records = HOSTILE.iter().enumerate().map(|(number, text)| {
        record(json!({ "id": text, "title": text, "tags": [text], "year": number }))
    });
    notes
        .upsert(records.chain([record(json!({ "id": "other", "title": "a" }))]).collect())
        .await
        .unwrap();
    for text in HOSTILE {
        for filter in [
            Filter::eq("title", text),
            Filter::eq("id", text),
            Filter::contains("tags", text),
            Filter::is_in("title", [text]),
        ] {
            assert_eq!(filtered(&notes, &filter).await, [text], "{filter}");
        }
        assert_eq!(filtered(&notes, &Filter::ne("title", text)).await.len(), HOSTILE.len());
    }
    notes.delete_matching(&Filter::eq("title", HOSTILE[1])).await.unwrap();
    let keys: Vec<_> = HOSTILE.into_iter().map(Into::into).collect();
    let left = notes.get(&keys, &GetOptions::default()).await.unwrap();
    assert_eq!(left.len(), HOSTILE.len() - 1);
}

fn any_value() -> Value {
    let values = [
        json!(null),
        json!(true),
        json!(false),
        json!(0),
        json!(1),
        json!(1.5),
        json!(9_007_199_254_740_993_i64),
        json!(9_007_199_254_740_992_i64),
        json!("a"),
        json!("b"),
        json!("2024-01-01T00:00:00Z"),
        json!("2024-01-01T00:00:00.0005Z"),
        json!(["a"]),
        json!(["a", "b"]),
        json!(["a", 1]),
        json!([]),
        json!({ "a": 1 }),
    ];
    values[fastrand::usize(..values.len())].clone()
}

fn any_record(number: usize) -> StoredRecord {
    let mut data = json!({ "id": format!("{number:03}") });
    for field in ["title", "year", "size", "flag", "at", "tags", "extra"] {
        if fastrand::u8(..4) > 0 {
            data[field] = any_value();
        }
    }
    record(data)
}

fn any_filter(depth: usize) -> Filter {
    let fields = ["title", "year", "size", "flag", "at", "tags", "extra", "id"];
    let field = fields[fastrand::usize(..fields.len())];
    let values = [
        "0",
        "1",
        "1.5",
        "true",
        "9007199254740993",
        "9007199254740992",
        "\"a\"",
        "\"b\"",
        "\"2024-01-01T00:00:00Z\"",
        "date \"2024-01-01T00:00:00Z\"",
        "date \"2024-01-01T00:00:00.0005Z\"",
        "[\"a\"]",
        "[]",
    ];
    let value = || values[fastrand::usize(..values.len())];
    let operators = ["=", "!=", "<", "<=", ">", ">=", "contains", "starts_with"];
    let compared = |operator: usize| format!("{field} {} {}", operators[operator], value());
    match fastrand::usize(..if depth == 0 { 10 } else { 13 }) {
        operator @ 0..8 => compared(operator).parse().unwrap(),
        8 => format!("{field} in [{}, {}]", value(), value()).parse().unwrap(),
        9 => Filter::exists(field),
        10 => any_filter(depth - 1).and(any_filter(depth - 1)),
        11 => any_filter(depth - 1).or(any_filter(depth - 1)),
        _ => !any_filter(depth - 1),
    }
}

/// Any filter over any values finds here what it finds in memory, for both meanings of `$ne`.
#[tokio::test]
async fn filters_find_what_they_find_in_memory() {
    fastrand::seed(7);
    for unequal_if_missing in [false, true] {
        let stand_in = StandIn::start(Behavior { unequal_if_missing, ..Behavior::default() });
        let notes = notes(&stand_in.store()).await;
        let mut exact = definition();
        exact.vectors.iter_mut().for_each(|field| field.index = IndexKind::Exact);
        let memory = InMemoryVectorStore::new().stored_collection("notes", exact).unwrap();
        memory.ensure_exists().await.unwrap();
        let records: Vec<StoredRecord> = (0..60).map(any_record).collect();
        notes.upsert(records.clone()).await.unwrap();
        memory.upsert(records).await.unwrap();
        for _ in 0..300 {
            let filter = any_filter(3);
            let expected = filtered(&memory, &filter).await;
            assert_eq!(filtered(&notes, &filter).await, expected, "{filter}");
        }
    }
}

#[tokio::test]
async fn records_of_another_layout_are_still_found() {
    let store = StandIn::start(Behavior::default()).store();
    let mut narrow = definition();
    narrow.data.iter_mut().for_each(|field| field.filterable = false);
    let old = store.stored_collection("notes", narrow).unwrap();
    old.ensure_exists().await.unwrap();
    old.upsert(vec![record(json!({ "id": "a", "year": 7 }))]).await.unwrap();
    let new = notes(&store).await;
    new.upsert(vec![record(json!({ "id": "b", "year": 8 }))]).await.unwrap();
    assert_eq!(filtered(&new, &Filter::eq("year", 7)).await, ["a"]);
    assert_eq!(filtered(&new, &Filter::ne("year", 7)).await, ["b"]);
}
