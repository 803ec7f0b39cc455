//! The conformance suite for vector stores.

use textsearch_conformance::vector::{VectorCapabilities, VectorFeature};
use textsearch_vector_inmemory::InMemoryVectorStore;

textsearch_conformance::vector_suite!(
    || async { Ok(InMemoryVectorStore::new()) },
    VectorCapabilities::default().without(VectorFeature::Persistence),
);
