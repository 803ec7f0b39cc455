//! Rows of other programs that the store would not have written.

use serde_json::json;
use textsearch_conformance::core::{
    ErrorKind, Filter,
    vector::{
        DataField, Distance, IndexKind, KeyKind, RecordDefinition, ScanOptions, SearchInput,
        StoredRecord, VectorField, VectorSearchOptions, VectorStore,
    },
};
use textsearch_pgvector::{ExistingTable, PgVectorConfig, PgVectorStore, PgVectorTable};

use crate::{
    config,
    existing::{SCHEMA, create, keys, open, scan, table_sql},
    plans, sql,
};

#[tokio::test]
async fn rows_without_a_valid_key_are_left_out() {
    let definition = |kind| {
        RecordDefinition::new("id")
            .with_key_kind(kind)
            .with_data(DataField::strings("tags").filterable())
            .with_data(DataField::string("body").filterable().full_text_in("en"))
            .with_vector(VectorField::new("v", 2))
    };
    let uuid = "0190163d-8694-739b-aea5-966c26f8ad91";
    let cases = [
        ("bigint UNIQUE", KeyKind::Integer, vec!["0", "-1", "NULL"], "0"),
        ("text UNIQUE", KeyKind::String, vec!["'a'", "''", "NULL"], "a"),
        (
            "uuid UNIQUE",
            KeyKind::Uuid,
            vec!["'0190163d-8694-739b-aea5-966c26f8ad91'", "NULL"],
            uuid,
        ),
    ];
    for (column, kind, values, expected) in cases {
        create("odd keys", &format!("id {column}, tags text[], body text, v vector(2)")).await;
        let rows = values.iter().map(|key| format!("({key}, '{{x}}', 'a dog', '[1,0]')"));
        let rows = rows.collect::<Vec<_>>().join(", ");
        sql(&format!("INSERT INTO {} VALUES {rows}", table_sql("odd keys"))).await;
        let collection = open("odd keys", |table| table, &definition(kind)).await;
        collection.ensure_exists().await.unwrap();
        assert_eq!(keys(&scan(collection.as_ref(), &ScanOptions::default()).await), [expected]);
        // One filter that Postgres checks, and one that it can't.
        for filter in [Filter::starts_with("body", "a"), Filter::contains("tags", "x")] {
            let options = ScanOptions::default().with_filter(filter.clone());
            assert_eq!(keys(&scan(collection.as_ref(), &options).await), [expected]);
            let options =
                VectorSearchOptions::top(9).with_filter(filter.clone()).with_total_count(true);
            let query = SearchInput::from(vec![1.0, 0.0]);
            let near = collection.search(&query, &options).await.unwrap();
            let words = collection.full_text_search("dog", &options).await.unwrap();
            for results in [near, words] {
                assert_eq!(results.total_count().map(|count| count.value()), Some(1));
                let records = results.into_vec().await.unwrap();
                assert_eq!(records[0].record.key.to_string(), expected);
            }
            collection.delete_matching(&!filter).await.unwrap();
        }
        collection.delete_matching(&Filter::contains("tags", "x")).await.unwrap();
        let left = sql(&format!("SELECT count(*) FROM {}", table_sql("odd keys"))).await;
        assert_eq!(left, [(values.len() - 1).to_string()]);
    }
}

#[tokio::test]
async fn vectors_without_a_direction_are_not_found() {
    create("directions", "id text PRIMARY KEY, tags text[], v vector(2)").await;
    let table = table_sql("directions");
    sql(&format!(
        "CREATE INDEX ON {table} USING hnsw (v vector_cosine_ops); \
         INSERT INTO {table} VALUES ('a', '{{x}}', '[1,0]'), ('b', '{{x}}', '[0,1]'), ('zero', '{{x}}', '[0,0]')"
    ))
    .await;
    for distance in [Distance::CosineSimilarity, Distance::CosineDistance] {
        for index in [IndexKind::Exact, IndexKind::hnsw()] {
            let field = VectorField::new("v", 2).with_distance(distance).with_index(index);
            let definition = RecordDefinition::new("id")
                .with_data(DataField::strings("tags").filterable())
                .with_vector(field);
            let collection = open("directions", |table| table, &definition).await;
            collection.ensure_exists().await.unwrap();
            let query = SearchInput::from(vec![1.0, 0.0]);
            let mut near = VectorSearchOptions::top(9).with_total_count(true);
            near.score_threshold = Some(if distance.is_higher_better() { 0.8 } else { 0.2 });
            let all = VectorSearchOptions::top(9).with_total_count(true);
            let two = VectorSearchOptions::top(2);
            let third = VectorSearchOptions::top(1).with_skip(2);
            let cases = [(near, &["a"][..]), (all, &["a", "b"]), (two, &["a", "b"]), (third, &[])];
            for (options, expected) in cases {
                for filter in [None, Some(Filter::contains("tags", "x"))] {
                    let mut options = options.clone();
                    options.filter = filter;
                    let results = collection.search(&query, &options).await.unwrap();
                    if options.include_total_count {
                        let count = results.total_count().map(|count| count.value());
                        assert_eq!(count, Some(expected.len() as u64));
                    }
                    let records = results.into_vec().await.unwrap();
                    let keys: Vec<_> =
                        records.iter().map(|scored| scored.record.key.to_string()).collect();
                    assert_eq!(keys, expected, "{distance:?}, {options:?}");
                }
            }
        }
    }
}

#[tokio::test]
async fn cosine_searches_compute_each_distance_once() {
    create("once", "id text PRIMARY KEY, v vector(2)").await;
    let rows = table_sql("once");
    sql(&format!(
        "CREATE INDEX once_hnsw ON {rows} USING hnsw (v vector_cosine_ops); \
         INSERT INTO {rows} VALUES ('a', '[1,0]'), ('b', '[0,1]'), ('zero', '[0,0]')"
    ))
    .await;
    let table = PgVectorTable::from_existing(ExistingTable::new(SCHEMA, "once"));
    let store = plans::store("once", table).await;
    let field = VectorField::new("v", 2).with_index(IndexKind::hnsw());
    let definition = RecordDefinition::new("id").with_vector(field);
    let collection = store.stored_collection("docs", definition).unwrap();
    let query = SearchInput::from(vec![1.0, 0.0]);
    for (exact, expected) in [(true, "Sort Key: "), (false, "Index Scan using once_hnsw")] {
        let options = VectorSearchOptions::top(2).with_exact(exact);
        let results = collection.search(&query, &options).await.unwrap();
        assert_eq!(results.into_vec().await.unwrap().len(), 2);
        let plan = plans::explained("once", &[("real[]", "{1,0}")]).await;
        let is_computed_again = |line: &str| line.contains("Filter: ") && line.contains("<=>");
        assert!(plan.contains(expected) && !plan.lines().any(is_computed_again), "{plan}");
    }
}

#[tokio::test]
async fn old_and_far_dates_are_compared_as_in_memory() {
    create("dates", "id text PRIMARY KEY, tz timestamptz, plain timestamp, day date").await;
    let values = [
        "1890-05-01 00:00:00+00",
        "0001-01-01 00:00:00+00",
        "0044-03-15 00:00:00+00 BC",
        "9999-12-31 00:00:00+00",
        "10000-01-01 00:00:00+00",
        "infinity",
        "-infinity",
    ];
    let rows = values.map(|value| format!("('{value}', '{value}', '{value}', '{value}')"));
    sql(&format!("INSERT INTO {} VALUES {}", table_sql("dates"), rows.join(", "))).await;
    let fields = ["tz", "plain", "day"];
    let definition = fields.iter().fold(RecordDefinition::new("id"), |definition, field| {
        definition.with_data(DataField::date_time(*field).filterable())
    });
    let url = config().url.expose().to_owned();
    let config = PgVectorConfig::new(format!("{url}&options=-c%20TimeZone%3DEurope/Berlin"))
        .with_table("docs", PgVectorTable::from_existing(ExistingTable::new(SCHEMA, "dates")));
    let store = PgVectorStore::connect(config).await.unwrap();
    let collection = store.stored_collection("docs", definition.clone()).unwrap();
    collection.ensure_exists().await.unwrap();
    let all = scan(collection.as_ref(), &ScanOptions::default()).await;
    let old = all.iter().find(|record| record.key.to_string().starts_with("1890")).unwrap();
    for field in fields {
        assert_eq!(old.data[field], "1890-05-01T00:00:00Z", "{field}");
        for sign in ["=", "!=", "<", ">=", ">"] {
            for date in ["0001-01-01", "1890-05-01", "9999-12-31"] {
                let text = format!("{field} {sign} date \"{date}\"");
                let filter: Filter = text.parse().unwrap();
                let options = ScanOptions::default().with_filter(filter.clone());
                let records = scan(collection.as_ref(), &options).await;
                let matching = all.iter().filter(|record| filter.matches_object(&record.data));
                assert_eq!(keys(&records), keys(&matching.cloned().collect::<Vec<_>>()), "{text}");
            }
        }
    }
    let year_0 = json!({ "id": "x", "day": "0000-01-01" });
    let year_0 = StoredRecord::new(year_0.as_object().cloned().unwrap(), &definition).unwrap();
    let error = collection.upsert(vec![year_0]).await.unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::InvalidRecord { .. }), "{error}");
}
