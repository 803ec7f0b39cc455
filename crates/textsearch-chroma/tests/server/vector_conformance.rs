//! The conformance suite of vector stores, on a server.

use textsearch_conformance::{
    core::vector::Distance,
    vector::{VectorCapabilities, VectorFeature},
};

textsearch_conformance::vector_suite!(
    crate::store,
    VectorCapabilities::default()
        .without_distance(Distance::Manhattan)
        .without_distance(Distance::Hamming)
        .without_distance(Distance::Jaccard)
        .without(VectorFeature::ExactSearch)
        .without(VectorFeature::SeveralVectors)
        .without(VectorFeature::FullText)
        .without(VectorFeature::DistinctValues)
        .without(VectorFeature::UnnormalizedVectors)
);
