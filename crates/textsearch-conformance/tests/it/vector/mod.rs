//! The suite for vector stores, on a correct store and on sabotaged ones.

mod collection;
mod definitions;
mod embeddings;
mod fault;
mod fewer;
mod filters;
mod queries;
mod records;
mod results;
mod saboteurs;
mod store;
mod writes;

use textsearch_conformance::{
    core::vector::Distance,
    vector::{VectorCapabilities, VectorFeature, VectorSubject, vector_cases},
};

use self::{fault::Fault, store::SabotagedStore};
use crate::report::Report;

/// Its stores share their records, like connections to one server.
fn subject(fault: Fault, capabilities: VectorCapabilities) -> VectorSubject {
    let server = SabotagedStore::new(fault);
    VectorSubject::new(move || std::future::ready(Ok(server.reconnected())), capabilities)
}

#[test]
fn a_correct_store_passes_every_case() {
    let report =
        Report::run(vector_cases(), || subject(Fault::None, VectorCapabilities::default()));
    report.assert_success();
    assert_eq!(report.skipped().len(), 1, "{report:#?}");
}

#[test]
fn a_store_with_fewer_capabilities_passes() {
    let capabilities = || {
        VectorCapabilities::default()
            .without(VectorFeature::FullText)
            .without(VectorFeature::ExactSearch)
            .without(VectorFeature::SeveralVectors)
            .without_distance(Distance::Hamming)
            .without(VectorFeature::LargeRecords)
            .without(VectorFeature::MixedKinds)
            .without(VectorFeature::DistinctValues)
    };
    let report = Report::run(vector_cases(), || subject(Fault::DoesLess, capabilities()));
    report.assert_success();
}

/// An operation works although it is declared as missing.
#[test]
fn a_false_declaration_is_found() {
    let broken = |capabilities: VectorCapabilities| {
        Report::run(vector_cases(), || subject(Fault::None, capabilities.clone())).broken()
    };
    let default = VectorCapabilities::default;
    assert_eq!(broken(default().without_distance(Distance::Hamming)), ["distances"]);
    assert_eq!(broken(default().with_weighted_sum()), ["fusion"]);
    assert_eq!(broken(default().without(VectorFeature::SeveralVectors)), ["vector_fields"]);
    assert_eq!(broken(default().without(VectorFeature::LargeRecords)), ["data"]);
    assert_eq!(broken(default().without(VectorFeature::DistinctValues)), ["distinct_values"]);
}
