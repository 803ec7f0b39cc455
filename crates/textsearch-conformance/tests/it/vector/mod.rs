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
    Report,
    core::vector::Distance,
    vector::{VectorCapabilities, VectorSubject, vector_cases},
};

use self::{fault::Fault, store::SabotagedStore};

/// Its stores share their records, like connections to one server.
fn subject(fault: Fault, capabilities: VectorCapabilities) -> VectorSubject {
    let server = SabotagedStore::new(fault);
    VectorSubject::new(move || std::future::ready(Ok(server.reconnected())), capabilities)
}

#[test]
fn a_correct_store_passes_every_case() {
    let report = Report::of(vector_cases(), || subject(Fault::None, VectorCapabilities::default()));
    assert!(report.is_success(), "{report}");
    assert!(report.to_string().ends_with(" 1 skipped, 0 failed"), "{report}");
}

#[test]
fn a_store_with_fewer_capabilities_passes() {
    let capabilities = || {
        VectorCapabilities::default()
            .without_full_text()
            .without_exact_search()
            .without_several_vectors()
            .without_distance(Distance::Hamming)
            .without_large_records()
            .without_mixed_kinds()
    };
    let report = Report::of(vector_cases(), || subject(Fault::DoesLess, capabilities()));
    assert!(report.is_success(), "{report}");
}

/// An operation works although it is declared as missing.
#[test]
fn a_false_declaration_is_found() {
    let broken = |capabilities: VectorCapabilities| {
        let report = Report::of(vector_cases(), || subject(Fault::None, capabilities.clone()));
        report.broken().iter().map(|bullet| bullet.id).collect::<Vec<_>>()
    };
    let default = VectorCapabilities::default;
    assert_eq!(broken(default().without_distance(Distance::Hamming)), ["distances"]);
    assert_eq!(broken(default().without_hybrid()), ["fusion", "fusion_depth"]);
    assert_eq!(broken(default().with_weighted_sum()), ["fusion"]);
    assert_eq!(broken(default().without_several_vectors()), ["vector_fields"]);
    assert_eq!(broken(default().without_large_records()), ["data"]);
}
