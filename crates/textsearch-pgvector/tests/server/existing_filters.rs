//! Filters on UUIDs, enumerations and dates of other programs.

use serde_json::json;
use textsearch_conformance::core::{
    Filter,
    vector::{
        DataField, KeyKind, RecordDefinition, ScanOptions, SearchInput, StoredRecord, VectorField,
        VectorSearchOptions, VectorStore,
    },
};
use textsearch_pgvector::{ExistingTable, PgVectorTable};

use crate::{
    existing::{SCHEMA, keys, open, record, scan, table_sql},
    plans, sql,
};

const FIRST: &str = "0190163d-8694-739b-aea5-966c26f8ad91";
const SECOND: &str = "0190163d-8694-739b-aea5-966c26f8ad92";

/// Recreates the table, with an index on each column.
async fn create(table: &str) {
    let mood = mood(table);
    // Drops the table before its type.
    crate::existing::create(table, "id uuid PRIMARY KEY").await;
    let table = table_sql(table);
    let columns = ["state", "mood", "tz", "plain", "day"];
    let indexes = columns.map(|column| format!("CREATE INDEX ON {table} ({column})"));
    sql(&format!(
        "DROP TYPE IF EXISTS {mood}; CREATE TYPE {mood} AS ENUM ('sad', 'ok', 'It''s \"fine\"'); \
         ALTER TABLE {table} ADD state uuid, ADD mood {mood}, ADD tz timestamptz, ADD plain timestamp, \
         ADD day date; {}",
        indexes.join("; ")
    ))
    .await;
}

fn mood(table: &str) -> String {
    table_sql(&format!("Mood of {table}"))
}

fn definition() -> RecordDefinition {
    RecordDefinition::new("id")
        .with_key_kind(KeyKind::Uuid)
        .with_data(DataField::string("state").filterable())
        .with_data(DataField::string("mood").filterable())
        .with_data(DataField::date_time("tz").filterable())
        .with_data(DataField::date_time("plain").filterable())
        .with_data(DataField::date_time("day").filterable())
}

fn records() -> Vec<StoredRecord> {
    let date = |date: &str, time: &str| format!("{date}T{time}Z");
    let full = |id: &str, mood: &str, day: &str| {
        let at = date(day, "10:00:00.000001");
        let day = date(day, "00:00:00");
        let data =
            json!({ "id": id, "state": id, "mood": mood, "tz": at, "plain": at, "day": day });
        record(&definition(), data)
    };
    let empty = json!({ "id": "0190163d-8694-739b-aea5-966c26f8ad93" });
    vec![
        full(FIRST, "sad", "2024-05-01"),
        full(SECOND, "It's \"fine\"", "1969-12-31"),
        record(&definition(), empty),
    ]
}

#[tokio::test]
async fn typed_filters_mean_the_same_as_in_memory() {
    create("typed filters").await;
    let collection = open("typed filters", |table| table, &definition()).await;
    collection.ensure_exists().await.unwrap();
    collection.upsert(records()).await.unwrap();
    // A label that the collection hasn't read.
    let table = table_sql("typed filters");
    let mood = mood("typed filters");
    sql(&format!("ALTER TYPE {mood} ADD VALUE 'new'")).await;
    sql(&format!("UPDATE {table} SET mood = 'new' WHERE state IS NULL")).await;
    let all = scan(collection.as_ref(), &ScanOptions::default()).await;
    let upper = FIRST.to_uppercase();
    let texts =
        [FIRST, SECOND, &upper, "0190163d", "sad", "new", "It's \"fine\"", "no label", "a\0"];
    let dates = ["2024-05-01", "2024-05-01T10:00:00.000001Z", "2024-05-01T10:00:00.0000015Z"];
    let dates = dates.into_iter().chain(["1969-12-31T12:00:00+14:00", "1969-12-31", "0000-06-01"]);
    let mut filters = Vec::new();
    for field in ["id", "state", "mood"] {
        filters.extend(texts.map(|text| (field, json!(text).to_string())));
    }
    for date in dates {
        filters.extend(["tz", "plain", "day"].map(|field| (field, format!("date \"{date}\""))));
    }
    let signs = ["=", "!=", "<", "<=", ">", ">="];
    let mut filters: Vec<String> = filters
        .iter()
        .flat_map(|(field, value)| signs.map(|sign| format!("{field} {sign} {value}")))
        .collect();
    filters.extend([
        format!("state in [\"{FIRST}\", \"{SECOND}\"]"),
        format!("not state in [\"{FIRST}\", \"{upper}\", \"x\"]"),
        "mood in [\"sad\", \"new\", \"no label\"]".to_owned(),
        "mood starts_with \"sa\" or state contains \"92\"".to_owned(),
        "day in [date \"2024-05-01\", date \"0000-06-01\", date \"1969-12-31T12:00:00Z\"]"
            .to_owned(),
        "not tz in [date \"2024-05-01T10:00:00.000001Z\"]".to_owned(),
        "tz = \"2024-05-01T10:00:00.000001Z\"".to_owned(),
    ]);
    for text in filters {
        let filter: Filter = text.parse().unwrap();
        let options = ScanOptions::default().with_filter(filter.clone());
        let records = scan(collection.as_ref(), &options).await;
        let matching = all.iter().filter(|record| filter.matches_object(&record.data));
        assert_eq!(keys(&records), keys(&matching.cloned().collect::<Vec<_>>()), "{text}");
    }
}

#[tokio::test]
async fn ensure_exists_reads_renamed_labels() {
    create("renamed labels").await;
    let collection = open("renamed labels", |table| table, &definition()).await;
    collection.ensure_exists().await.unwrap();
    collection.upsert(records()).await.unwrap();
    let labelled = async |label: &str| {
        let options = ScanOptions::default().with_filter(Filter::eq("mood", label));
        collection.scan(&options).await?.into_vec().await
    };
    assert_eq!(keys(&labelled("sad").await.unwrap()), [FIRST]);
    sql(&format!("ALTER TYPE {} RENAME VALUE 'sad' TO 'blue'", mood("renamed labels"))).await;
    let error = labelled("sad").await.unwrap_err();
    assert!(error.to_string().contains("invalid input value for enum"), "{error}");
    collection.ensure_exists().await.unwrap();
    assert!(labelled("sad").await.unwrap().is_empty());
    assert_eq!(keys(&labelled("blue").await.unwrap()), [FIRST]);
}

#[tokio::test]
async fn typed_filters_use_indexes() {
    create("indexes").await;
    sql(&format!("ALTER TABLE {} ADD v vector(2)", table_sql("indexes"))).await;
    let table = PgVectorTable::from_existing(ExistingTable::new(SCHEMA, "indexes"));
    let store = plans::store("typed-indexes", table).await;
    let definition = definition().with_vector(VectorField::new("v", 2));
    let collection = store.stored_collection("docs", definition).unwrap();
    let time = "2024-05-01T10:00:00.000001Z";
    let day = "2024-05-01";
    for (filter, values, index) in [
        (format!("id = \"{FIRST}\""), &[FIRST][..], "indexes_pkey"),
        (format!("state = \"{FIRST}\""), &[FIRST], "indexes_state_idx"),
        (format!("state in [\"{FIRST}\", \"{SECOND}\"]"), &[FIRST, SECOND], "indexes_state_idx"),
        (format!("state < \"{SECOND}\""), &[SECOND], "indexes_state_idx"),
        ("mood = \"sad\"".to_owned(), &["sad"], "indexes_mood_idx"),
        ("mood in [\"sad\", \"ok\"]".to_owned(), &["sad", "ok"], "indexes_mood_idx"),
        (format!("tz = date \"{time}\""), &[time], "indexes_tz_idx"),
        (format!("plain = date \"{time}\""), &[time], "indexes_plain_idx"),
        (format!("day >= date \"{day}\""), &["10000-01-01", day], "indexes_day_idx"),
    ] {
        let options = VectorSearchOptions::top(3).with_filter(filter.parse::<Filter>().unwrap());
        let query = SearchInput::from(vec![1.0, 0.0]);
        collection.search(&query, &options).await.unwrap();
        let values = values.iter().map(|value| ("text", *value));
        let values: Vec<_> = [("real[]", "{1,0}")].into_iter().chain(values).collect();
        let plan = plans::explained("typed-indexes", &values).await;
        let (_, scan) = plan.split_once(index).unwrap_or_else(|| panic!("{filter}: {plan}"));
        let condition = scan.lines().find(|line| line.contains("Index Cond: ")).unwrap();
        assert!(values.iter().skip(1).all(|(_, value)| condition.contains(value)), "{plan}");
    }
}
