//! Rows of other programs that the store would not have written.

use textsearch_conformance::core::{
    Filter,
    vector::{
        DataField, KeyKind, RecordDefinition, ScanOptions, SearchInput, VectorField,
        VectorSearchOptions,
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
