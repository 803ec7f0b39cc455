//! Tables of other programs with half vectors and bits, which pgvector has from 0.7 on.

use serde_json::json;
use textsearch_conformance::core::vector::{
    DataKind, Distance, IndexKind, KeyKind, SearchInput, VectorField, VectorSearchOptions,
    VectorStore,
};

use crate::{
    existing::{create, record, store, table_sql},
    sql,
};

#[tokio::test]
async fn indexes_of_half_vectors_and_bits_are_described() {
    create("indexed", "id text PRIMARY KEY, half vector(3000), bits bit(3), plain vector(2)").await;
    let table = table_sql("indexed");
    sql(&format!("CREATE INDEX ON {table} USING hnsw ((half::halfvec(3000)) halfvec_l2_ops)"))
        .await;
    let store = store("indexed", |table| table).await;
    let definition = store.existing_definition("docs").await.unwrap();
    let half = VectorField::new("half", 3_000).with_distance(Distance::Euclidean);
    let bits = VectorField::new("bits", 3).with_distance(Distance::Hamming);
    let expected = [half.with_index(IndexKind::hnsw()), bits, VectorField::new("plain", 2)];
    assert_eq!(definition.vectors, expected);
    let collection = store.stored_collection("docs", definition.clone()).unwrap();
    collection.ensure_exists().await.unwrap();
    let record = record(&definition, json!({ "id": "a" }))
        .with_vector("half", vec![0.5; 3_000])
        .with_vector("bits", [1.0, 0.0, 1.0]);
    collection.upsert(vec![record.clone()]).await.unwrap();
    for (field, query, score) in
        [("half", vec![0.5; 3_000], 0.0), ("bits", vec![1.0, 1.0, 1.0], 1.0)]
    {
        let options = VectorSearchOptions::top(1).with_vector_field(field);
        let results = collection.search(&SearchInput::from(query), &options).await.unwrap();
        assert_eq!(results.into_vec().await.unwrap()[0].score, score, "{field}");
    }
}

#[tokio::test]
async fn bits_are_compared_as_their_index_does() {
    create("jaccard", "id text PRIMARY KEY, one bit(4), two bit(4)").await;
    let table = table_sql("jaccard");
    sql(&format!(
        "CREATE INDEX ON {table} USING hnsw (one bit_jaccard_ops); \
         CREATE INDEX ON {table} USING hnsw (two bit_jaccard_ops); \
         CREATE INDEX ON {table} USING ivfflat (two bit_hamming_ops) WITH (lists = 1); \
         INSERT INTO {table} VALUES ('a', B'1100', B'1100')"
    ))
    .await;
    let store = store("jaccard", |table| table).await;
    let definition = store.existing_definition("docs").await.unwrap();
    let bits = |name, distance| VectorField::new(name, 4).with_distance(distance);
    let jaccard = bits("one", Distance::Jaccard).with_index(IndexKind::hnsw());
    assert_eq!(definition.vectors, [jaccard, bits("two", Distance::Hamming)]);
    let collection = store.stored_collection("docs", definition).unwrap();
    collection.ensure_exists().await.unwrap();
    for (field, score) in [("one", 2.0 / 3.0), ("two", 2.0)] {
        let options = VectorSearchOptions::top(1).with_vector_field(field);
        let query = SearchInput::from(vec![1.0, 0.0, 1.0, 0.0]);
        let records = collection.search(&query, &options).await.unwrap().into_vec().await.unwrap();
        assert!((records[0].score - score).abs() < 1e-9, "{field}: {}", records[0].score);
    }
}

#[tokio::test]
async fn the_columns_describe_a_definition() {
    create(
        "described",
        "id uuid PRIMARY KEY, body text, n int, v halfvec(2), other point, meta jsonb",
    )
    .await;
    sql(&format!("CREATE INDEX ON {} USING hnsw (v halfvec_l2_ops)", table_sql("described"))).await;
    let store = store("described", |table| table.with_column("text", "body")).await;
    let definition = store.existing_definition("docs").await.unwrap();
    assert_eq!((definition.key.name.as_str(), definition.key.kind), ("id", KeyKind::Uuid));
    let fields: Vec<_> = definition.data.iter().map(|field| (&*field.name, field.kind)).collect();
    assert_eq!(
        fields,
        [("text", DataKind::String), ("n", DataKind::Integer), ("meta", DataKind::Json)]
    );
    let vector = VectorField::new("v", 2).with_distance(Distance::Euclidean);
    assert_eq!(definition.vectors, [vector.with_index(IndexKind::hnsw())]);
    let collection = store.stored_collection("docs", definition.clone()).unwrap();
    collection.ensure_exists().await.unwrap();
    let data =
        json!({ "id": "0190163d-8694-739b-aea5-966c26f8ad91", "text": "a", "meta": { "k": 1 } });
    let record = record(&definition, data).with_vector("v", [0.5, 1.0]);
    collection.upsert(vec![record.clone()]).await.unwrap();
    let options = VectorSearchOptions::top(1).with_vectors(true);
    let results = collection.search(&SearchInput::from(vec![0.5, 1.0]), &options).await.unwrap();
    assert_eq!(results.into_vec().await.unwrap()[0].record, record);
}
