//! Databases without pgvector.

use textsearch_conformance::core::{
    ErrorKind,
    vector::{RecordDefinition, RecordKey, ScanOptions, VectorField, VectorStore},
};
use textsearch_pgvector::{PgVectorConfig, PgVectorStore};

use crate::{config, sql, sql_at};

const NAME: &str = "pgvector_without_extension";

#[tokio::test]
async fn only_a_created_collection_installs_the_extension() {
    sql(&format!("DROP DATABASE IF EXISTS {NAME} WITH (FORCE)")).await;
    sql(&format!("CREATE DATABASE {NAME}")).await;
    let url = format!("{}&dbname={NAME}", config().url.expose());
    let installed = "SELECT count(*) FROM pg_extension WHERE extname = 'vector'";
    let store = PgVectorStore::connect(PgVectorConfig::new(url.as_str())).await.unwrap();
    let definition = RecordDefinition::new("id").with_vector(VectorField::new("embedding", 2));
    let collection = store.stored_collection("docs", definition).unwrap();
    assert!(store.collection_names().await.unwrap().is_empty());
    assert!(!collection.exists().await.unwrap());
    let keys = [RecordKey::from("a")];
    let options = ScanOptions::default();
    for error in [
        store.with_settings_of("docs").await.err(),
        store.existing_definition("docs").await.err(),
        collection.get(&keys, &Default::default()).await.err(),
        collection.scan(&options).await.err(),
    ] {
        let error = error.unwrap();
        assert!(matches!(error.kind(), ErrorKind::CollectionNotFound { .. }), "{error}");
    }
    collection.delete_collection().await.unwrap();
    assert_eq!(sql_at(&url, installed).await, ["0"]);
    collection.ensure_exists().await.unwrap();
    assert_eq!(sql_at(&url, installed).await, ["1"]);
    drop((collection, store));
    sql(&format!("DROP DATABASE {NAME} WITH (FORCE)")).await;
}
