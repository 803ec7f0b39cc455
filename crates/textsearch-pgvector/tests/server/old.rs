//! An old pgvector, at `POSTGRES_URL`.

use textsearch_conformance::core::{
    ErrorKind,
    vector::{Distance, IndexKind, RecordDefinition, VectorField, VectorStore},
};
use textsearch_pgvector::{PgVectorStore, PgVectorTable, VectorType};

use crate::config;

async fn store(table: PgVectorTable) -> PgVectorStore {
    PgVectorStore::connect(config().with_table("old", table)).await.unwrap()
}

#[tokio::test]
async fn types_of_newer_versions_are_refused() {
    let field = || VectorField::new("embedding", 3);
    let manhattan = field().with_distance(Distance::Manhattan).with_index(IndexKind::hnsw());
    let half = PgVectorTable::new().with_vector_type("embedding", VectorType::Half);
    for (field, table) in [(field(), half), (manhattan, PgVectorTable::new())] {
        let definition = RecordDefinition::new("id").with_vector(field);
        let error = store(table).await.stored_collection("old", definition).err().unwrap();
        assert!(matches!(error.kind(), ErrorKind::InvalidOptions { .. }), "{error}");
        assert!(error.message().contains("the server has pgvector 0.6.2"), "{error}");
    }
}
