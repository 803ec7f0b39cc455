//! The suite for embedding generators, on a correct generator and on sabotaged ones.

mod fault;
mod generator;

use textsearch_conformance::vector::{EmbeddingSubject, WordEmbeddings, embedding_cases};

use self::{
    fault::{Fault, SABOTEURS},
    generator::{PlainEmbeddings, answer},
};
use crate::{
    faults::{assert_complete, assert_found},
    report::Report,
};

fn subject(fault: Fault) -> EmbeddingSubject {
    EmbeddingSubject::over_http(move |endpoint| Ok(PlainEmbeddings::new(&endpoint, fault)), answer)
}

#[test]
fn a_correct_generator_passes_every_case() {
    let report = Report::run(embedding_cases(), || subject(Fault::None));
    report.assert_success();
    assert!(report.skipped().is_empty(), "{report:#?}");
}

#[test]
fn a_generator_without_http_is_tested() {
    let broken = |dimensions| {
        let make = move || async move { Ok(WordEmbeddings::new(dimensions)) };
        let subject = || EmbeddingSubject::without_http(make);
        let cases = embedding_cases().iter().filter(|case| !case.needs_http);
        Report::run(cases, subject).broken()
    };
    assert!(broken(64).is_empty());
    // All vectors of one element and length 1 are the same.
    assert_eq!(broken(1), ["independence"]);
}

#[test]
fn every_saboteur_is_found_by_its_bullet() {
    assert_found(SABOTEURS, embedding_cases(), subject);
}

#[test]
fn every_bullet_has_a_saboteur() {
    assert_complete(SABOTEURS, embedding_cases());
}
