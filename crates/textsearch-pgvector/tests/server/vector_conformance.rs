//! The conformance suite of vector stores, on a server.

use textsearch_conformance::{core::vector::Distance, vector::VectorCapabilities};

textsearch_conformance::vector_suite!(
    crate::store,
    VectorCapabilities::default()
        .without_distance(Distance::Hamming)
        .without_distance(Distance::Jaccard)
        .without_mixed_kinds()
);
