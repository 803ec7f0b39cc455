//! The suite that every vector store passes.

use textsearch_vector_inmemory::InMemoryVectorStore;

textsearch_conformance::vector_suite!(|| async { Ok(InMemoryVectorStore::new()) });
