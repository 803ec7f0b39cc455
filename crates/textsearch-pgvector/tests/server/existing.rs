//! Tables that other programs created.

use std::sync::Arc;

use serde_json::{Value, json};
use textsearch_conformance::core::{
    Error, ErrorKind, Filter,
    vector::{
        DataField, DataKind, GetOptions, HnswParameters, KeyKind, OrderBy, RecordDefinition,
        RecordKey, ScanOptions, SearchInput, StoredRecord, VectorCollection, VectorField,
        VectorSearchOptions, VectorStore,
    },
};
use textsearch_pgvector::{ExistingTable, FullTextRanking, PgVectorStore, PgVectorTable};

use crate::{config, sql};

/// Sets the columns of a table.
pub(crate) type Mapping = fn(ExistingTable) -> ExistingTable;

pub(crate) const SCHEMA: &str = "pgvector existing \"x\"";

/// Recreates the table, whose columns have names that need quotes.
pub(crate) async fn create(table: &str, columns: &str) {
    let schema = quoted(SCHEMA);
    sql(&format!(
        "SELECT pg_advisory_lock(7); CREATE EXTENSION IF NOT EXISTS vector; CREATE SCHEMA IF NOT EXISTS {schema}; \
         DROP TABLE IF EXISTS {schema}.{table}; CREATE TABLE {schema}.{table} ({columns})",
        table = quoted(table)
    ))
    .await;
}

fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

pub(crate) fn table_sql(table: &str) -> String {
    format!("{}.{}", quoted(SCHEMA), quoted(table))
}

pub(crate) async fn open(
    table: &str,
    settings: Mapping,
    definition: &RecordDefinition,
) -> Arc<dyn VectorCollection> {
    store(table, settings).await.stored_collection("docs", definition.clone()).unwrap()
}

pub(crate) async fn store(table: &str, settings: Mapping) -> PgVectorStore {
    let config = config().with_full_text_ranking(FullTextRanking::TsRank).with_table(
        "docs",
        PgVectorTable::from_existing(settings(ExistingTable::new(SCHEMA, table))),
    );
    PgVectorStore::connect(config).await.unwrap()
}

pub(crate) fn record(definition: &RecordDefinition, data: Value) -> StoredRecord {
    StoredRecord::new(data.as_object().cloned().unwrap(), definition).unwrap()
}

pub(crate) async fn scan(
    collection: &dyn VectorCollection,
    options: &ScanOptions,
) -> Vec<StoredRecord> {
    collection.scan(options).await.unwrap().into_vec().await.unwrap()
}

pub(crate) fn keys(records: &[StoredRecord]) -> Vec<String> {
    records.iter().map(|record| record.key.to_string()).collect()
}

const ARTICLES: &str = r#"
    "the ""key""" text PRIMARY KEY, headline varchar(20), "published; DROP" timestamptz, pages smallint,
    size double precision, draft boolean, tags text[], extra jsonb, state uuid, day date,
    price numeric(10, 2), "vec'tor" vector(2), written timestamptz NOT NULL DEFAULT now(), note text
"#;

pub(crate) fn articles(table: ExistingTable) -> ExistingTable {
    table
        .with_column("id", "the \"key\"")
        .with_column("title", "headline")
        .with_column("at", "published; DROP")
        .with_column("embedding", "vec'tor")
}

pub(crate) fn article() -> RecordDefinition {
    RecordDefinition::new("id")
        .with_data(DataField::string("title").filterable())
        .with_data(DataField::date_time("at").filterable())
        .with_data(DataField::integer("pages").filterable())
        .with_data(DataField::number("size").filterable())
        .with_data(DataField::boolean("draft").filterable())
        .with_data(DataField::strings("tags").filterable())
        .with_data(DataField::new("extra", DataKind::Json).filterable())
        .with_data(DataField::string("extra.page").filterable())
        .with_data(DataField::string("state").filterable())
        .with_data(DataField::date_time("day").filterable())
        .with_data(DataField::number("price").filterable())
        .with_vector(VectorField::new("embedding", 2))
}

fn some() -> Vec<StoredRecord> {
    let record =
        |data: Value, vector: [f32; 2]| record(&article(), data).with_vector("embedding", vector);
    vec![
        record(
            json!({
                "id": "B'\"\\", "title": "a' OR 1; --", "at": "2024-05-01T10:00:00.000001Z", "pages": 3,
                "size": 0.1, "draft": true, "tags": ["x", "a,\"b", ""], "extra": { "page": "p1", "n": [1, null] },
                "state": "0190163d-8694-739b-aea5-966c26f8ad91", "day": "2024-05-01T00:00:00Z", "price": 12.5,
            }),
            [1.0, 0.0],
        ),
        record(
            json!({ "id": "a", "title": "Zebra", "pages": -1, "size": 7.5, "draft": false }),
            [0.0, 1.0],
        ),
        record(
            json!({ "id": "ä", "title": "äpfel", "at": "1969-12-31T23:59:59.999999Z", "tags": [] }),
            [1.0, 1.0],
        ),
        record(json!({ "id": "c" }), [-1.0, 0.5]),
    ]
}

pub(crate) async fn filled(table: &str) -> Arc<dyn VectorCollection> {
    create(table, ARTICLES).await;
    let collection = open(table, articles, &article()).await;
    collection.ensure_exists().await.unwrap();
    collection.upsert(some()).await.unwrap();
    collection
}

#[tokio::test]
async fn records_come_back_from_columns_of_other_names() {
    let collection = filled("round trip").await;
    let options = GetOptions::default().with_vectors(true);
    let all_keys: Vec<RecordKey> = some().into_iter().map(|record| record.key).collect();
    assert_eq!(collection.get(&all_keys, &options).await.unwrap(), some());
    let column =
        format!(r#"SELECT headline FROM {} WHERE "the ""key""" = 'a'"#, table_sql("round trip"));
    assert_eq!(sql(&column).await, ["Zebra"]);
    collection.delete(&["a".into()]).await.unwrap();
    assert_eq!(
        keys(&scan(collection.as_ref(), &ScanOptions::default()).await),
        ["B'\"\\", "c", "ä"]
    );
}

#[tokio::test]
async fn an_update_keeps_other_columns() {
    let collection = filled("other columns").await;
    let table = table_sql("other columns");
    sql(&format!("UPDATE {table} SET note = 'mine', written = '2020-01-01'")).await;
    collection.upsert(vec![record(&article(), json!({ "id": "a", "pages": 9 }))]).await.unwrap();
    let row = format!(
        r#"SELECT concat_ws(' ', note, written::date, pages, headline IS NULL) FROM {table} WHERE "the ""key""" = 'a'"#
    );
    assert_eq!(sql(&row).await, ["mine 2020-01-01 9 t"]);
}

#[tokio::test]
async fn filters_mean_the_same_as_in_memory() {
    let collection = filled("filters").await;
    sql(&format!(
        r#"INSERT INTO {} ("the ""key""", size, "published; DROP", extra)
           VALUES ('odd', 'NaN', 'infinity', 'null')"#,
        table_sql("filters")
    ))
    .await;
    let all = scan(collection.as_ref(), &ScanOptions::default()).await;
    assert_eq!(all.len(), 5);
    let comparisons = [r#"title"#, r#"id"#, r#"extra.page"#, r#"state"#]
        .into_iter()
        .flat_map(|field| {
            ["a' OR 1; --", "Zebra", "äpfel", "a", "p1", "0190163d-8694-739b-aea5-966c26f8ad91"]
                .map(|text| (field, format!("{:?}", text)))
        })
        .chain([
            ("at", "date \"2024-05-01T10:00:00.000001Z\"".to_owned()),
            ("at", "date \"1970-01-01\"".to_owned()),
            ("day", "date \"2024-05-01\"".to_owned()),
            ("pages", "3".to_owned()),
            ("pages", "-0.5".to_owned()),
            ("size", "0.1".to_owned()),
            ("size", "7.5".to_owned()),
            ("price", "12.5".to_owned()),
        ]);
    let mut filters: Vec<String> = vec![
        "draft = true".into(),
        "draft != true".into(),
        "tags contains \"x\"".into(),
        "title in [\"Zebra\", \"x\"]".into(),
        "not pages in [3, 4]".into(),
        "title starts_with \"ä\"".into(),
    ];
    filters.extend(
        ["at", "size", "title", "tags", "extra", "extra.page"]
            .into_iter()
            .flat_map(|field| [format!("{field} exists"), format!("not {field} exists")]),
    );
    for (field, value) in comparisons {
        filters.extend(
            ["=", "!=", "<", "<=", ">", ">="].map(|sign| format!("{field} {sign} {value}")),
        );
        filters.push(format!("not {field} < {value}"));
    }
    for text in filters {
        let filter: Filter = text.parse().unwrap();
        let records =
            scan(collection.as_ref(), &ScanOptions::default().with_filter(filter.clone())).await;
        let matching = all.iter().filter(|record| filter.matches_object(&record.data));
        let expected: Vec<StoredRecord> = matching.cloned().collect();
        assert_eq!(keys(&records), keys(&expected), "{text}");
    }
}

#[tokio::test]
async fn scans_and_searches_order_texts_by_code_point() {
    let collection = filled("orders").await;
    let by_title = ScanOptions::default().with_order_by(OrderBy::ascending("title"));
    assert_eq!(keys(&scan(collection.as_ref(), &by_title).await), ["a", "B'\"\\", "ä", "c"]);
    let options = VectorSearchOptions::top(3).with_filter(Filter::ne("draft", true));
    let results = collection.search(&SearchInput::from(vec![1.0, 1.0]), &options).await.unwrap();
    let order: Vec<String> = results
        .into_vec()
        .await
        .unwrap()
        .iter()
        .map(|scored| scored.record.key.to_string())
        .collect();
    assert_eq!(order, ["ä", "a", "c"]);
    collection.delete_matching(&Filter::contains("tags", "x")).await.unwrap();
    collection.delete_matching(&Filter::lt("pages", 0)).await.unwrap();
    assert_eq!(keys(&scan(collection.as_ref(), &ScanOptions::default()).await), ["c", "ä"]);
}

#[tokio::test]
async fn values_that_columns_cannot_hold_are_refused() {
    let collection = filled("values").await;
    for (data, expected) in [
        (json!({ "id": "x", "pages": "many" }), "the column `pages` has the type smallint"),
        (json!({ "id": "x", "at": "2024-05-01T10:00:00.0000001Z" }), "`at`"),
        (json!({ "id": "x", "day": "2024-05-01T10:00:00Z" }), "the type date"),
        (json!({ "id": "x", "tags": [1] }), "`tags`"),
        (json!({ "id": "x", "other": 1 }), "its field `other` has no column"),
    ] {
        let error = collection.upsert(vec![record(&article(), data)]).await.unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::InvalidRecord { .. }), "{error}");
        assert!(error.message().contains(expected), "{error}");
    }
    for data in [
        json!({ "id": "x", "title": "longer than 20 characters" }),
        json!({ "id": "x", "pages": 40_000 }),
    ] {
        assert!(collection.upsert(vec![record(&article(), data)]).await.is_err());
    }
    assert_eq!(scan(collection.as_ref(), &ScanOptions::default()).await.len(), 4);
}

#[tokio::test]
async fn whole_floats_are_written_as_integers() {
    let collection = filled("floats").await;
    let records = [("f", json!(3.0)), ("g", json!(-4))]
        .map(|(key, pages)| record(&article(), json!({ "id": key, "pages": pages })));
    collection.upsert(records.into()).await.unwrap();
    let pages = format!("SELECT pages FROM {} WHERE headline IS NULL", table_sql("floats"));
    let pages = sql(&format!("{pages} AND pages IS NOT NULL ORDER BY pages")).await;
    assert_eq!(pages, ["-4", "3"]);
}

#[tokio::test]
async fn the_table_is_never_deleted() {
    let collection = filled("kept").await;
    let error = collection.delete_collection().await.unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::InvalidOptions { .. }), "{error}");
    let store = store("kept", articles).await;
    assert!(store.collection_names().await.unwrap().contains(&"docs".to_owned()));
    assert!(collection.exists().await.unwrap());
    assert_eq!(scan(collection.as_ref(), &ScanOptions::default()).await.len(), 4);
}

#[tokio::test]
async fn ensure_exists_reads_changed_columns() {
    let collection = filled("altered").await;
    let table = table_sql("altered");
    sql(&format!("ALTER TABLE {table} ALTER headline TYPE uuid USING NULL")).await;
    let filter = ScanOptions::default().with_filter(Filter::eq("title", "Zebra"));
    let error = collection.scan(&filter).await.err().unwrap();
    assert!(error.message().contains("call ensure_exists"), "{error}");
    collection.ensure_exists().await.unwrap();
    assert!(scan(collection.as_ref(), &filter).await.is_empty());
    sql(&format!("DROP TABLE {table}")).await;
    let error = collection.scan(&filter).await.err().unwrap();
    assert!(matches!(error.kind(), ErrorKind::CollectionNotFound { .. }), "{error}");
    assert!(error.message().contains("there is no table") && !error.message().contains("ensure"));
}

async fn refusal(columns: &str, settings: Mapping, definition: RecordDefinition) -> Error {
    create("refused", columns).await;
    open("refused", settings, &definition).await.ensure_exists().await.unwrap_err()
}

#[tokio::test]
async fn columns_that_do_not_fit_are_named() {
    let id = || RecordDefinition::new("id");
    let same = |table: ExistingTable| table;
    let vector = |dimensions| id().with_vector(VectorField::new("v", dimensions));
    let indexed = VectorField::new("v", 3).with_index(HnswParameters::default());
    let key = "id text PRIMARY KEY, ";
    let cases: Vec<(String, Mapping, RecordDefinition, &str)> = vec![
        ("id text".into(), same, id(), "the column `id`, whose values may repeat"),
        ("id bigint PRIMARY KEY".into(), same, id(), "the column `id` of the type bigint"),
        (
            format!("{key} v vector(3)"),
            same,
            vector(4),
            "the type vector(3); expected a column for 4 dim",
        ),
        (format!("{key} v real[]"), same, vector(4), "the column `v` of the type real[]"),
        (format!("{key} v vector(3)"), same, id().with_vector(indexed), "CREATE INDEX ON"),
        (
            format!("{key} year text"),
            same,
            id().with_data(DataField::integer("year")),
            "the column `year` of the type text",
        ),
        (
            key.trim_end_matches(", ").into(),
            |table| table.with_column("title", "headline"),
            id().with_data(DataField::string("title")),
            "the column `headline`, which the table",
        ),
        (
            format!("{key} a text"),
            |table| table.with_column("b", "a"),
            id().with_data(DataField::string("a")).with_data(DataField::string("b")),
            "the column `a` twice",
        ),
        (
            format!("{key} body text, words text"),
            |table| table.with_text_vector("body", "words"),
            id().with_data(DataField::string("body").full_text()),
            "the column `words` of the type text",
        ),
    ];
    for (columns, settings, definition, expected) in cases {
        let error = refusal(&columns, settings, definition).await;
        assert!(matches!(error.kind(), ErrorKind::InvalidOptions { .. }), "{error}");
        assert!(error.message().contains(expected), "{error}");
    }
}

#[tokio::test]
async fn tables_that_need_more_than_the_record_are_read_only() {
    for (column, expected) in [
        ("author text NOT NULL", "whose column `author` is NOT NULL"),
        ("title text GENERATED ALWAYS AS ('t') STORED", "computes its column `title`"),
    ] {
        create("read only", &format!("id text PRIMARY KEY, {column}")).await;
        let values = if column.starts_with("author") { "('a', 'me')" } else { "('a')" };
        sql(&format!("INSERT INTO {} VALUES {values}", table_sql("read only"))).await;
        let field =
            if column.starts_with("author") { None } else { Some(DataField::string("title")) };
        let definition =
            field.into_iter().fold(RecordDefinition::new("id"), RecordDefinition::with_data);
        let collection = open("read only", |table| table, &definition).await;
        collection.ensure_exists().await.unwrap();
        let error =
            collection.upsert(vec![record(&definition, json!({ "id": "b" }))]).await.unwrap_err();
        assert!(error.message().contains(expected), "{error}");
        assert_eq!(keys(&scan(collection.as_ref(), &ScanOptions::default()).await), ["a"]);
    }
}

#[tokio::test]
async fn settings_for_no_field_or_table_are_refused() {
    let store = store("nowhere", |table| table.with_column("titel", "headline")).await;
    let error = store.stored_collection("docs", article()).err().unwrap();
    assert!(error.message().contains("`titel`"), "{error}");
    let collection = open("nowhere", |table| table, &RecordDefinition::new("id")).await;
    assert!(!collection.exists().await.unwrap());
    let error = collection.scan(&ScanOptions::default()).await.err().unwrap();
    assert!(matches!(error.kind(), ErrorKind::CollectionNotFound { .. }), "{error}");
    assert!(error.message().contains("`nowhere`"), "{error}");
    let terms = config()
        .with_table("docs", PgVectorTable::from_existing(ExistingTable::new("public", "docs")));
    let words = RecordDefinition::new("id").with_data(DataField::string("body").full_text());
    let terms = PgVectorStore::connect(terms).await.unwrap();
    let error = terms.stored_collection("docs", words).err().unwrap();
    assert!(error.message().contains("`full_text_ranking` is Terms"), "{error}");
}

#[tokio::test]
async fn words_are_found_in_texts_and_in_stored_words() {
    let columns = "id bigint PRIMARY KEY, body text, v vector(2), \
                   words tsvector GENERATED ALWAYS AS (to_tsvector('english', 'extra ' || body)) STORED";
    create("words", columns).await;
    let definition = RecordDefinition::new("id")
        .with_key_kind(KeyKind::Integer)
        .with_data(DataField::string("body").full_text_in("en"))
        .with_vector(VectorField::new("v", 2));
    let stored: Mapping = |table| table.with_text_vector("body", "words");
    for (settings, extra) in [(stored, 2), (|table: ExistingTable| table, 0)] {
        let collection = open("words", settings, &definition).await;
        let records = [(1, "two dogs"), (2, "a cat")].map(|(id, body)| {
            record(&definition, json!({ "id": id, "body": body }))
                .with_vector("v", [1.0, id as f32])
        });
        collection.upsert(records.into()).await.unwrap();
        let options = VectorSearchOptions::top(5);
        for (text, count) in [("dog", 1), ("extra", extra)] {
            let results = collection.full_text_search(text, &options).await.unwrap();
            assert_eq!(results.into_vec().await.unwrap().len(), count, "{text}");
        }
        let both =
            collection.hybrid_search("cat", Some([1.0, 2.0].into()), &options).await.unwrap();
        assert_eq!(both.into_vec().await.unwrap()[0].record.data["body"], "a cat");
    }
}
