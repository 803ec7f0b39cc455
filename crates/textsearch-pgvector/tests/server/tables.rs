//! Tables of other programs, tables that change, and schemas.

use serde_json::json;
use textsearch_conformance::core::{
    ErrorKind, Filter,
    vector::{
        DataField, IndexKind, KeyKind, RecordDefinition, ScanOptions, SearchInput, StoredRecord,
        VectorCollection, VectorField, VectorSearchOptions, VectorStore,
    },
};
use textsearch_pgvector::PgVectorStore;

use crate::{Created, config, sql};

fn record(definition: &RecordDefinition, data: serde_json::Value) -> StoredRecord {
    StoredRecord::new(data.as_object().cloned().unwrap(), definition).unwrap()
}

#[tokio::test]
async fn a_table_of_another_program_stays_untouched() {
    let created = Created::new("foreign").await;
    let name = created.name();
    sql(&format!(r#"CREATE TABLE "{name}" (id text); INSERT INTO "{name}" VALUES ('a')"#)).await;
    let definition = RecordDefinition::new("id");
    let collection = created.store.stored_collection(name, definition).unwrap();
    assert!(!collection.exists().await.unwrap());
    for refused in [collection.ensure_exists().await, collection.delete_collection().await] {
        let error = refused.unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::InvalidOptions { .. }), "{error}");
    }
    assert!(!created.store.collection_names().await.unwrap().contains(&name.to_owned()));
    assert_eq!(sql(&format!(r#"SELECT id FROM "{name}""#)).await, ["a"]);
    sql(&format!(r#"DROP TABLE "{name}""#)).await;
}

#[tokio::test]
async fn a_collection_with_an_unreadable_comment_can_be_deleted() {
    let created = Created::new("unreadable").await;
    let name = created.name();
    let collection = created.store.stored_collection(name, RecordDefinition::new("id")).unwrap();
    collection.ensure_exists().await.unwrap();
    sql(&format!(r#"COMMENT ON TABLE "{name}" IS 'textsearch collection: {{'"#)).await;
    assert!(collection.exists().await.unwrap());
    for refused in
        [collection.ensure_exists().await, created.store.existing_definition(name).await.map(drop)]
    {
        let error = refused.unwrap_err();
        assert_eq!(*error.kind(), ErrorKind::Undecodable);
        let message = error.message();
        assert!(message.contains("; upgrade this program if a later version wrote"), "{error}");
        assert!(message.ends_with("as a last resort, delete the collection"), "{error}");
    }
    collection.delete_collection().await.unwrap();
    assert!(!collection.exists().await.unwrap());
    assert!(!created.store.collection_names().await.unwrap().contains(&name.to_owned()));
}

#[tokio::test]
async fn a_copied_comment_does_not_permit_deletion() {
    let name = "pgvector-copied";
    sql(&format!(r#"DROP TABLE IF EXISTS "{name}""#)).await;
    let created = Created::new("copied").await;
    let collection = created.store.stored_collection(name, RecordDefinition::new("id")).unwrap();
    collection.ensure_exists().await.unwrap();
    let readable = sql(&format!("SELECT obj_description('\"{name}\"'::regclass)")).await.remove(0);
    collection.delete_collection().await.unwrap();
    sql(&format!(r#"CREATE TABLE "{name}" (id text)"#)).await;
    for comment in ["textsearch collection: copied by hand", &readable] {
        sql(&format!(r#"COMMENT ON TABLE "{name}" IS '{comment}'"#)).await;
        let error = collection.delete_collection().await.unwrap_err();
        assert!(error.message().contains("which is of another program"), "{error}");
        assert!(!collection.exists().await.unwrap());
        assert!(!created.store.collection_names().await.unwrap().contains(&name.to_owned()));
    }
    sql(&format!(r#"DROP TABLE "{name}""#)).await;
}

#[tokio::test]
async fn a_schema_is_created_and_kept_apart() {
    let created = Created::new("apart").await;
    let schema = format!("{} Schema \"x\"", created.name());
    let other = PgVectorStore::connect(config().with_schema(&schema)).await.unwrap();
    let definition = RecordDefinition::new("id");
    let here = created.store.stored_collection(created.name(), definition.clone()).unwrap();
    let there = other.stored_collection(created.name(), definition.clone()).unwrap();
    here.ensure_exists().await.unwrap();
    assert!(!there.exists().await.unwrap());
    there.ensure_exists().await.unwrap();
    there.upsert(vec![record(&definition, json!({ "id": "a" }))]).await.unwrap();
    let records = here.scan(&ScanOptions::default()).await.unwrap().into_vec().await.unwrap();
    assert!(records.is_empty());
    assert_eq!(other.collection_names().await.unwrap(), [created.name()]);
    sql(&format!("DROP SCHEMA \"{}\" CASCADE", schema.replace('"', "\"\""))).await;
}

#[tokio::test]
async fn a_collection_can_be_made_again_with_other_columns() {
    let created = Created::new("again").await;
    // One connection, so that its prepared statements meet the new table.
    let store = PgVectorStore::connect(config().with_max_connections(1)).await.unwrap();
    let year = |field: DataField, dimensions| {
        RecordDefinition::new("id")
            .with_data(field.filterable())
            .with_vector(VectorField::new("embedding", dimensions))
    };
    let definitions = [
        year(DataField::integer("year"), 2),
        year(DataField::string("year"), 3),
        year(DataField::integer("year"), 4).with_key_kind(KeyKind::Integer),
    ];
    let data = [
        json!({ "id": "a", "year": 1 }),
        json!({ "id": "a", "year": "1" }),
        json!({ "id": 7, "year": 1 }),
    ];
    for (definition, data) in definitions.into_iter().zip(data) {
        let collection = store.stored_collection(created.name(), definition.clone()).unwrap();
        collection.ensure_exists().await.unwrap();
        let vector = vec![1.0; definition.vectors[0].dimensions];
        let record = record(&definition, data).with_vector("embedding", vector.clone());
        collection.upsert(vec![record.clone()]).await.unwrap();
        let options = VectorSearchOptions::default().with_vectors(true);
        let results = collection.search(&SearchInput::from(vector), &options).await.unwrap();
        assert_eq!(results.into_vec().await.unwrap()[0].record, record);
        collection.delete_collection().await.unwrap();
    }
}

#[tokio::test]
async fn an_index_can_be_added_to_a_collection() {
    let created = Created::new("indexed").await;
    let definition = |field: VectorField| RecordDefinition::new("id").with_vector(field);
    let exact = definition(VectorField::new("embedding", 2));
    let indexed = definition(VectorField::new("embedding", 2).with_index(IndexKind::hnsw()));
    let indexes = format!(
        "SELECT indexdef FROM pg_indexes WHERE tablename = '{}' AND indexdef LIKE '%hnsw%'",
        created.name()
    );
    let ensured = async |definition: &RecordDefinition| {
        let collection = created.store.stored_collection(created.name(), definition.clone());
        collection.unwrap().ensure_exists().await.unwrap();
        sql(&indexes).await.len()
    };
    assert_eq!(ensured(&exact).await, 0);
    assert_eq!(ensured(&indexed).await, 1);
    assert_eq!(ensured(&indexed).await, 1);
    assert_eq!(ensured(&exact).await, 1);
}

#[tokio::test]
async fn a_collection_of_an_older_version_keeps_its_index() {
    let created = Created::new("older").await;
    let name = created.name();
    let field = VectorField::new("embedding", 2).with_index(IndexKind::hnsw());
    let definition = RecordDefinition::new("id").with_vector(field);
    let collection = created.store.stored_collection(name, definition.clone()).unwrap();
    collection.ensure_exists().await.unwrap();
    let comment = sql(&format!("SELECT obj_description('\"{name}\"'::regclass)")).await;
    let (before, _) = comment[0].split_once(",\"vectors\":{").unwrap();
    sql(&format!("COMMENT ON TABLE \"{name}\" IS '{before}}}'")).await;
    assert_eq!(created.store.existing_definition(name).await.unwrap(), definition);
    collection.ensure_exists().await.unwrap();
    let indexes = format!("SELECT count(*) FROM pg_indexes WHERE tablename = '{name}'");
    assert_eq!(sql(&indexes).await, ["2"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_can_create_a_collection_at_once() {
    let created = Created::new("at-once").await;
    let schema = created.name().to_owned();
    let store = PgVectorStore::connect(config().with_schema(&schema)).await.unwrap();
    let collection = store.stored_collection("docs", RecordDefinition::new("id")).unwrap();
    let tasks: Vec<_> = (0..8)
        .map(|_| {
            let collection = std::sync::Arc::clone(&collection);
            tokio::spawn(async move { collection.ensure_exists().await })
        })
        .collect();
    for task in tasks {
        task.await.unwrap().unwrap();
    }
    assert_eq!(store.collection_names().await.unwrap(), ["docs"]);
    sql(&format!("DROP SCHEMA \"{schema}\" CASCADE")).await;
}

#[tokio::test]
async fn a_handle_that_does_not_fit_names_the_remedy() {
    let created = Created::new("unfit").await;
    let handle = |definition: &RecordDefinition| {
        created.store.stored_collection(created.name(), definition.clone()).unwrap()
    };
    let definition = RecordDefinition::new("id");
    handle(&definition).ensure_exists().await.unwrap();
    let wider = definition.with_data(DataField::integer("year").filterable());
    let batch = vec![record(&wider, json!({ "id": "a", "year": 1 }))];
    let error = handle(&wider).upsert(batch).await.unwrap_err();
    assert!(
        error.message().ends_with("call ensure_exists to compare the definition with the table")
    );
    assert!(handle(&wider).ensure_exists().await.unwrap_err().message().contains("year"));
}

#[tokio::test]
async fn filters_work_on_fields_without_a_column() {
    let created = Created::new("no-column").await;
    let base = RecordDefinition::new("id").with_data(DataField::integer("year").filterable());
    let before = created.store.stored_collection(created.name(), base.clone()).unwrap();
    before.ensure_exists().await.unwrap();
    let records = [("a", "One"), ("b", "Two")]
        .map(|(key, title)| record(&base, json!({ "id": key, "title": title, "year": 1 })));
    before.upsert(records.into()).await.unwrap();
    let store = created.store.with_settings_of(created.name()).await.unwrap();
    let wider = base.with_data(DataField::string("title").filterable());
    let collection = store.stored_collection(created.name(), wider).unwrap();
    for (filter, expected) in [
        (Filter::eq("title", "Two"), "b"),
        (Filter::lt("title", "Two").and(Filter::eq("year", 1)), "a"),
    ] {
        let options = ScanOptions::default().with_filter(filter);
        let records = collection.scan(&options).await.unwrap().into_vec().await.unwrap();
        assert_eq!(
            records.iter().map(|record| record.key.to_string()).collect::<Vec<_>>(),
            [expected]
        );
    }
}

#[tokio::test]
async fn a_collection_made_again_gets_the_callers_columns() {
    let created = Created::new("wider").await;
    let base = RecordDefinition::new("id");
    let before = created.store.stored_collection(created.name(), base.clone()).unwrap();
    before.ensure_exists().await.unwrap();
    let store = created.store.with_settings_of(created.name()).await.unwrap();
    let wider = base.with_data(DataField::string("title").filterable());
    let collection = store.stored_collection(created.name(), wider.clone()).unwrap();
    assert_eq!(**collection.definition(), wider);
    let error = collection.ensure_exists().await.unwrap_err();
    assert!(error.message().contains("searched, as in the collection"), "{error}");
    collection.delete_collection().await.unwrap();
    collection.ensure_exists().await.unwrap();
    assert_eq!(store.existing_definition(created.name()).await.unwrap(), wider);
    let records = vec![record(&wider, json!({ "id": "a", "title": "One" }))];
    collection.upsert(records).await.unwrap();
    let titles = format!("SELECT title FROM \"{}\"", created.name());
    assert_eq!(sql(&titles).await, ["One"]);
}
