//! The conformance suite of vector stores, on a server.

use textsearch_conformance::{core::vector::Distance, vector::VectorCapabilities};

textsearch_conformance::vector_suite!(
    crate::store,
    VectorCapabilities::default()
        .without_distance(Distance::Manhattan)
        .without_distance(Distance::Hamming)
        .without_distance(Distance::Jaccard)
        .without_exact_search()
        .without_several_vectors()
        .without_full_text()
        .with_normalized_vectors()
);
