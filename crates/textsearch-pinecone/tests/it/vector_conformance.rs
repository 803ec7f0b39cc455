//! The conformance suite of vector stores, on the stand-in.

use std::sync::LazyLock;

use textsearch_conformance::{
    core::vector::Distance,
    vector::{VectorCapabilities, VectorFeature},
};

use crate::stand_in::{Behavior, StandIn};

static STAND_IN: LazyLock<StandIn> = LazyLock::new(|| StandIn::start(Behavior::default()));

fn capabilities() -> VectorCapabilities {
    VectorCapabilities::default()
        .without_distance(Distance::Manhattan)
        .without_distance(Distance::Hamming)
        .without_distance(Distance::Jaccard)
        .without(VectorFeature::ExactSearch)
        .without(VectorFeature::SeveralVectors)
        .without(VectorFeature::LargeRecords)
        .without(VectorFeature::FullText)
        .without(VectorFeature::DistinctValues)
        .without(VectorFeature::ExactCounts)
}

/// Each collection is an index.
mod indexes {
    use super::{STAND_IN, capabilities};

    textsearch_conformance::vector_suite!(|| async { Ok(STAND_IN.store()) }, capabilities());
}

/// Each collection is a namespace of an index.
mod namespaces {
    use textsearch_pinecone::PineconeStore;

    use super::{STAND_IN, capabilities};

    textsearch_conformance::vector_suite!(
        || async { PineconeStore::new(STAND_IN.config().with_namespace("team a/b")) },
        capabilities()
    );
}

/// Each record has its words as sparse values.
mod hybrid {
    use textsearch_pinecone::PineconeStore;

    use super::{STAND_IN, capabilities};

    textsearch_conformance::vector_suite!(
        || async { PineconeStore::new(STAND_IN.config().with_hybrid_search(true)) },
        capabilities().with_weighted_sum()
    );
}
