//! Each saboteur fails the bullet that it breaks, and each bullet has a saboteur.

use textsearch_conformance::{
    Outcome,
    vector::{VectorCapabilities, vector_cases},
};

use super::{
    fault::{Fault, SABOTEURS},
    subject,
};

/// Returns the case of the bullet that finds the fault.
fn found_by(fault: Fault, bullet: &str) -> Option<&'static str> {
    let mut cases = vector_cases().iter().filter(|case| case.bullet().id == bullet);
    let found = cases.find(|case| {
        let outcome = case.outcome(|| subject(fault, VectorCapabilities::default()));
        matches!(outcome, Outcome::Failed(_))
    });
    found.map(|case| case.name())
}

#[test]
#[expect(clippy::print_stdout, reason = "the table is the result")]
fn every_saboteur_is_found_by_its_bullet() {
    let mut missed = Vec::new();
    println!("| saboteur | bullet | found by |\n|---|---|---|");
    for (fault, bullet) in SABOTEURS {
        let case = found_by(*fault, bullet);
        println!("| {fault:?} | {bullet} | {} |", case.unwrap_or("**nothing**"));
        missed.extend(case.is_none().then_some((fault, bullet)));
    }
    println!("{} of {} found", SABOTEURS.len() - missed.len(), SABOTEURS.len());
    assert!(missed.is_empty(), "not found: {missed:?}");
}

#[test]
fn every_bullet_has_a_saboteur() {
    let has_saboteur = |id: &str| SABOTEURS.iter().any(|(_, bullet)| *bullet == id);
    let bullets = vector_cases().iter().map(|case| case.bullet().id);
    let without: Vec<&str> = bullets.filter(|id| !has_saboteur(id)).collect();
    assert!(without.is_empty(), "bullets without a saboteur: {without:?}");
}

#[test]
#[should_panic(expected = "contract \"Orders equal scores by key.\" is broken: ")]
fn a_failure_names_the_broken_promise() {
    let case = vector_cases().iter().find(|case| case.bullet().id == "ties").unwrap();
    case.run(|| subject(Fault::BreaksTiesBackwards, VectorCapabilities::default()));
}
