//! The suite for chat services, on a correct service and on sabotaged ones.

mod changes;
mod fault;
mod lines;
mod service;

use textsearch_conformance::chat::{ChatSubject, chat_cases};

use self::{
    fault::{Fault, SABOTEURS},
    service::{PlainChat, answer},
};
use crate::{
    faults::{assert_complete, assert_found},
    report::Report,
};

fn subject(fault: Fault) -> ChatSubject {
    ChatSubject::new(move |endpoint| Ok(PlainChat::new(&endpoint, fault)), answer)
}

#[test]
fn a_correct_chat_service_passes_every_case() {
    let report = Report::run(chat_cases(), || subject(Fault::None));
    report.assert_success();
    assert!(report.skipped().is_empty(), "{report:#?}");
}

#[test]
fn every_saboteur_is_found_by_its_bullet() {
    assert_found(SABOTEURS, chat_cases(), subject);
}

#[test]
fn every_bullet_has_a_saboteur() {
    assert_complete(SABOTEURS, chat_cases());
}
