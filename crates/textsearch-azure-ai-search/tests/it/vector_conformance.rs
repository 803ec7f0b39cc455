//! The conformance suite of vector stores, on the stand-in.

use textsearch_conformance::{core::vector::Distance, vector::VectorCapabilities};

textsearch_conformance::vector_suite!(
    crate::support::shared,
    VectorCapabilities::default()
        .without_distance(Distance::Manhattan)
        .without_distance(Distance::Hamming)
        .without_distance(Distance::Jaccard)
        .without_mixed_kinds()
        .without_mean_lengths()
        .with_own_fusion()
        .with_estimated_counts()
);
