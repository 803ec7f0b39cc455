//! The conformance suite of vector stores, on the stand-in.

use textsearch_conformance::{
    core::vector::Distance,
    vector::{VectorCapabilities, VectorFeature},
};

textsearch_conformance::vector_suite!(
    crate::support::shared,
    VectorCapabilities::default()
        .without_distance(Distance::Manhattan)
        .without_distance(Distance::Hamming)
        .without_distance(Distance::Jaccard)
        .without(VectorFeature::MixedKinds)
        .without(VectorFeature::DistinctValues)
        .without(VectorFeature::MeanLengths)
        .with_own_fusion()
        .without(VectorFeature::ExactCounts)
);
