//! The suite for chat services, on a correct service and on sabotaged ones.

mod changes;
mod fault;
mod lines;
mod service;

use textsearch_conformance::{
    Outcome, Report,
    chat::{ChatCapabilities, ChatSubject, chat_cases},
    core::chat::FinishReason,
};

use self::{
    fault::{Fault, SABOTEURS},
    service::{PlainChat, answer},
};

fn subject(fault: Fault, capabilities: ChatCapabilities) -> ChatSubject {
    ChatSubject::new(move |endpoint| Ok(PlainChat::new(&endpoint, fault)), answer, capabilities)
}

#[test]
fn a_correct_chat_service_passes_every_case() {
    let report = Report::of(chat_cases(), || subject(Fault::None, ChatCapabilities::default()));
    assert!(report.is_success(), "{report}");
    assert!(report.to_string().ends_with(" 0 skipped, 0 failed"), "{report}");
}

#[test]
fn a_chat_service_with_fewer_capabilities_passes() {
    let capabilities = || {
        let all = ChatCapabilities::default().without_usage().without_tools();
        all.without_finish_reason(&FinishReason::Refusal)
    };
    let report = Report::of(chat_cases(), || subject(Fault::TakesRefusalsForTexts, capabilities()));
    assert!(report.is_success(), "{report}");
}

/// Returns the case of the bullet that finds the fault.
fn found_by(fault: Fault, bullet: &str) -> Option<&'static str> {
    let mut cases = chat_cases().iter().filter(|case| case.bullet().id == bullet);
    let found = cases.find(|case| {
        let outcome = case.outcome(|| subject(fault, ChatCapabilities::default()));
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
    let bullets = chat_cases().iter().map(|case| case.bullet().id);
    let without: Vec<&str> = bullets.filter(|id| !has_saboteur(id)).collect();
    assert!(without.is_empty(), "bullets without a saboteur: {without:?}");
}
