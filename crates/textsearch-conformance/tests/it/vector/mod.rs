//! The suite for vector stores, on plain lists with and without mistakes.

mod collection;
mod ranking;
mod store;
mod wrong;

use textsearch_conformance::{
    core::vector::{DataKind, Distance, KeyKind},
    vector::{VectorCapabilities, VectorSubject, vector_cases},
};

use self::store::{ListStore, Mistake};

textsearch_conformance::vector_suite!(|| async { Ok(ListStore::new(Mistake::None)) });

#[test]
fn the_cases_are_listed_by_name() {
    let names: Vec<&str> = vector_cases().iter().map(|case| case.name()).collect();
    assert!(names.contains(&"filters_nest") && names.len() > 100, "{names:?}");
    let case = vector_cases().iter().find(|case| case.name() == "an_empty_batch_is_no_error");
    case.unwrap().run(subject);
}

#[test]
fn a_store_with_fewer_capabilities_passes() {
    let capabilities = || {
        VectorCapabilities::default()
            .without_full_text()
            .without_score_thresholds()
            .without_distance(Distance::Hamming)
            .without_key_kind(KeyKind::Uuid)
            .without_order_by(DataKind::String)
            .without_large_integers()
            .without_mixed_kinds()
    };
    let subject =
        || VectorSubject::new(|| async { Ok(ListStore::new(Mistake::DoesLess)) }, capabilities());
    for case in vector_cases() {
        case.run(subject);
    }
}
