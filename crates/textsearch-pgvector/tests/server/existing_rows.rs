//! Rows of other programs that the store would not have written.

use textsearch_conformance::core::{
    Filter,
    vector::{
        DataField, Distance, IndexKind, KeyKind, RecordDefinition, ScanOptions, SearchInput,
        VectorField, VectorSearchOptions,
    },
};

use crate::{
    existing::{create, keys, open, scan, table_sql},
    sql,
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
            for found in [near, words] {
                assert_eq!(found.total_count().map(|count| count.value()), Some(1));
                let found = found.into_vec().await.unwrap();
                assert_eq!(found[0].record.key.to_string(), expected);
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
            let one = VectorSearchOptions::top(1).with_skip(2);
            let cases = [(near, &["a"][..]), (all, &["a", "b"]), (two, &["a", "b"]), (one, &[])];
            for (options, expected) in cases {
                for filter in [None, Some(Filter::contains("tags", "x"))] {
                    let mut options = options.clone();
                    options.filter = filter;
                    let found = collection.search(&query, &options).await.unwrap();
                    if options.include_total_count {
                        let count = found.total_count().map(|count| count.value());
                        assert_eq!(count, Some(expected.len() as u64));
                    }
                    let found = found.into_vec().await.unwrap();
                    let found: Vec<_> =
                        found.iter().map(|one| one.record.key.to_string()).collect();
                    assert_eq!(found, expected, "{distance:?}, {options:?}");
                }
            }
        }
    }
}
