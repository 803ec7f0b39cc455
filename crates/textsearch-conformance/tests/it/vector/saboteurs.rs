//! Each saboteur fails the bullet that it breaks, and each bullet has a saboteur.

use textsearch_conformance::vector::{VectorCapabilities, vector_cases};

use super::{
    fault::{Fault, SABOTEURS},
    subject,
};
use crate::faults::{assert_complete, assert_found};

#[test]
fn every_saboteur_is_found_by_its_bullet() {
    let subject = |fault| subject(fault, VectorCapabilities::default());
    assert_found(SABOTEURS, vector_cases(), subject);
}

#[test]
fn every_bullet_has_a_saboteur() {
    assert_complete(SABOTEURS, vector_cases());
}

#[test]
#[should_panic(expected = "contract \"Orders equal scores by key.\" is broken: ")]
fn a_failure_names_the_broken_promise() {
    let case = vector_cases().iter().find(|case| case.bullet == "ties").unwrap();
    case.run(|| subject(Fault::BreaksTiesBackwards, VectorCapabilities::default()));
}
