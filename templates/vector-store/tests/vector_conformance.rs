//! The contract of vector stores.

use std::future;

use textsearch_conformance::vector::{VectorCapabilities, VectorFeature};
use {{crate_name}}::{{type_name}}Store;

textsearch_conformance::vector_suite!(
    {
        // Each case has its own file, deleted after the case.
        let folder = tempfile::tempdir().expect("the folder is made");
        move || future::ready({{type_name}}Store::open(folder.path().join("records.db")))
    },
    VectorCapabilities::default()
        .without(VectorFeature::FullText)
        .without(VectorFeature::MixedKinds)
        .without(VectorFeature::DistinctValues),
);
