//! The suite for chat services, on a correct service and on sabotaged ones.

mod changes;
mod fault;
mod lines;
mod service;

use textsearch_conformance::{
    Report,
    chat::{ChatCapabilities, ChatSubject, chat_cases},
    core::chat::FinishReason,
};

use self::{
    fault::{Fault, SABOTEURS},
    service::{PlainChat, answer},
};
use crate::faults::{assert_complete, assert_found};

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
    let capabilities = || ChatCapabilities::default().without_finish_reason(&FinishReason::Refusal);
    let report = Report::of(chat_cases(), || subject(Fault::TakesRefusalsForTexts, capabilities()));
    assert!(report.is_success(), "{report}");
}

#[test]
fn every_saboteur_is_found_by_its_bullet() {
    assert_found(SABOTEURS, chat_cases(), |fault| subject(fault, ChatCapabilities::default()));
}

#[test]
fn every_bullet_has_a_saboteur() {
    assert_complete(SABOTEURS, chat_cases());
}
