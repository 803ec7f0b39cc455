//! Broken variants of a correct connector. The suite must fail each, for the promise that it breaks.

mod fault;
mod filter;
mod library;
mod provider;
mod request;
mod response;
mod transport;

use std::{
    collections::BTreeSet,
    panic::{PanicHookInfo, set_hook, take_hook},
    sync::Mutex,
    thread,
};

use textsearch_conformance::{Case, Document, Outcome, Subject, search_cases, undeclared};

use fault::{EVIL_TWIN, FAULTS, Fault};
use library::Library;

use crate::report::Report;

fn subject(faults: &'static [Fault]) -> Subject {
    let build = move |endpoint| Ok(Library::new(&endpoint, faults));
    Subject::over_http(build, provider::answer, provider::capabilities())
}

#[test]
fn the_correct_connector_skips_nothing() {
    let report = Report::run(search_cases(), || subject(&[]));
    report.assert_success();
    assert!(report.skipped().is_empty(), "{report:#?}");
}

#[test]
fn a_connector_may_make_its_links() {
    let subject = || {
        let build = |endpoint| Ok(Library::new(&endpoint, &[Fault::MakesLinks]));
        let answer = |request: &_, documents: &[Document]| {
            let without_link = |document: &Document| {
                let mut document = document.clone();
                document.link.clear();
                document
            };
            let documents: Vec<_> = documents.iter().map(without_link).collect();
            provider::answer(request, &documents)
        };
        let mut capabilities = provider::capabilities().with_made_links();
        capabilities.site_field = None;
        Subject::over_http(build, answer, capabilities)
    };
    quietly(|| Report::run(search_cases(), subject)).assert_success();
}

#[test]
fn filters_may_share_a_parameter_without_operators() {
    let subject = || {
        let build = |endpoint| Ok(Library::new(&endpoint, &[Fault::JoinsFilters]));
        let capabilities = provider::capabilities().with_query_operators(&[]);
        Subject::over_http(build, provider::answer, capabilities)
    };
    let about_filters = search_cases().iter().filter(|case| case.bullet.contains("filter"));
    quietly(|| Report::run(about_filters, subject)).assert_success();
}

#[test]
fn wrapped_texts_are_encoded() {
    let texts = |faults: &'static [Fault]| {
        let subject = move || {
            let build = move |endpoint| Ok(Library::new(&endpoint, faults));
            let capabilities = provider::capabilities().with_plain_names();
            Subject::over_http(build, provider::answer_in_tags, capabilities)
        };
        let texts = search_cases().iter().filter(|case| case.name.starts_with("marks_"));
        quietly(|| Report::run(texts, subject)).broken().is_empty()
    };
    assert!(texts(&[Fault::HasPlainNames]));
    assert!(!texts(&[Fault::HasPlainNames, Fault::KeepsEntities]));
    assert!(!texts(&[]), "names are decoded although they are plain");
}

#[test]
fn skips_by_a_forgotten_declaration_are_counted() {
    let subject = || {
        let build = |endpoint| Ok(Library::new(&endpoint, &[]));
        Subject::over_http(build, provider::answer, provider::capabilities_but_three())
    };
    let promises = ["limits", "fixed_filters", "provider_errors"];
    let cases = search_cases().iter().filter(|case| promises.contains(&case.bullet));
    let report = quietly(|| Report::run(cases, subject));
    assert_eq!(report.skipped().len(), 4);
    assert_eq!(
        undeclared(&provider::capabilities_but_three()).unwrap(),
        "cases that pass because they are skipped: 4 (2 for `with_error_answer`, \
         1 for `with_query_operators`, 1 for `with_max_results`); declare what the backend has"
    );
    assert_eq!(undeclared(&provider::capabilities()), None);
}

#[test]
fn each_promise_has_a_saboteur() {
    let broken: BTreeSet<&str> = FAULTS.iter().map(|(_, bullet)| *bullet).collect();
    assert_eq!(promises(), broken);
}

/// Prints the table of saboteurs with `--nocapture`.
#[test]
#[expect(clippy::print_stdout, reason = "the table is for people")]
fn each_saboteur_is_caught() {
    let rows = quietly(|| in_parallel(FAULTS, |(fault, bullet)| caught(*fault, bullet)));
    println!("{} saboteurs of {} promises", FAULTS.len(), promises().len());
    println!("| saboteur | broken promise | caught by |\n|---|---|---|");
    let mut unseen = Vec::new();
    for ((fault, bullet), cases) in FAULTS.iter().zip(rows) {
        println!("| {fault:?} | {bullet} | {} |", cases.join(", "));
        if cases.is_empty() {
            unseen.push(fault);
        }
    }
    assert!(unseen.is_empty(), "saboteurs that the suite doesn't catch: {unseen:?}");
}

#[test]
fn the_evil_twin_breaks_eleven_promises() {
    let report = quietly(|| Report::run(search_cases(), || subject(EVIL_TWIN)));
    let broken = BTreeSet::from_iter(report.broken());
    let bullet_of = |twin: &Fault| FAULTS.iter().find(|(fault, _)| fault == twin).unwrap().1;
    let expected: BTreeSet<&str> = EVIL_TWIN.iter().map(bullet_of).collect();
    assert_eq!(expected.len(), 11);
    assert!(expected.is_subset(&broken), "{report:#?}");
}

fn promises() -> BTreeSet<&'static str> {
    search_cases().iter().map(|case| case.bullet).collect()
}

/// The cases of the promise that fail with the fault.
fn caught(fault: Fault, bullet: &str) -> Vec<&'static str> {
    let faults: &'static [Fault] = Box::leak(Box::new([fault]));
    let failed =
        |case: &&Case<Subject>| matches!(case.outcome(|| subject(faults)), Outcome::Failed(_));
    let cases = search_cases().iter().filter(|case| case.bullet == bullet);
    cases.filter(failed).map(|case| case.name).collect()
}

/// Most cases wait for timers or the server, so threads save time.
fn in_parallel<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let next = Mutex::new(0);
    let done = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                loop {
                    let number = {
                        let mut next = next.lock().unwrap();
                        *next += 1;
                        *next - 1
                    };
                    let Some(item) = items.get(number) else { break };
                    let result = work(item);
                    done.lock().unwrap().push((number, result));
                }
            });
        }
    });
    let mut done = done.into_inner().unwrap();
    done.sort_by_key(|(number, _)| *number);
    done.into_iter().map(|(_, result)| result).collect()
}

/// Expected panics don't print.
fn quietly<R>(work: impl FnOnce() -> R) -> R {
    static HOOK: Mutex<()> = Mutex::new(());
    let _alone = HOOK.lock().unwrap();
    let hook = take_hook();
    set_hook(Box::new(|_: &PanicHookInfo<'_>| {}));
    let result = work();
    set_hook(hook);
    result
}
