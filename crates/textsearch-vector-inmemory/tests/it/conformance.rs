//! The conformance suite of text searches.

use textsearch_vector_inmemory::InMemoryVectorStore;

textsearch_conformance::store_search_suite!(|| async { Ok(InMemoryVectorStore::new()) });
