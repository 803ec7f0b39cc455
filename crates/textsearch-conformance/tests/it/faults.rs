//! Saboteurs: correct implementations with one fault each.

use std::{fmt::Debug, time::Duration};

use textsearch_conformance::{Case, Outcome};

/// Makes the enum of faults, and the list of each with the bullet that it breaks. Variants in
/// brackets are no faults.
macro_rules! faults {
    ($([$other:ident])* $($bullet:ident: $($fault:ident),+;)*) => {
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(super) enum Fault {
            None,
            $($other,)*
            $($($fault),+),*
        }

        pub(super) const SABOTEURS: &[(Fault, &str)] =
            &[$($((Fault::$fault, stringify!($bullet))),+),*];
    };
}

pub(crate) use faults;

/// Blocks the thread for a short time. Outside Linux, the suite finds only long waits.
pub(crate) fn nap() {
    std::thread::sleep(Duration::from_millis(if cfg!(target_os = "linux") { 1 } else { 30 }));
}

/// Checks that each saboteur fails a case of its bullet. Prints the table with `--nocapture`.
#[expect(clippy::print_stdout, reason = "the table is the result")]
pub(crate) fn assert_found<S, F: Copy + Debug>(
    saboteurs: &[(F, &str)],
    cases: &[Case<S>],
    subject: impl Fn(F) -> S,
) {
    println!("| saboteur | bullet | found by |\n|---|---|---|");
    let mut missed = Vec::new();
    for (fault, bullet) in saboteurs {
        let mut cases = cases.iter().filter(|case| case.bullet == *bullet);
        let fails =
            |case: &&Case<S>| matches!(case.outcome(|| subject(*fault)), Outcome::Failed(_));
        let found_by = cases.find(fails).map(|case| case.name);
        println!("| {fault:?} | {bullet} | {} |", found_by.unwrap_or("**nothing**"));
        missed.extend(found_by.is_none().then_some((fault, bullet)));
    }
    println!("{} of {} found", saboteurs.len() - missed.len(), saboteurs.len());
    assert!(missed.is_empty(), "not found: {missed:?}");
}

/// Checks that each bullet has a saboteur.
pub(crate) fn assert_complete<S, F>(saboteurs: &[(F, &str)], cases: &[Case<S>]) {
    let has_saboteur = |id: &str| saboteurs.iter().any(|(_, bullet)| *bullet == id);
    let bullets = cases.iter().map(|case| case.bullet);
    let without: Vec<&str> = bullets.filter(|id| !has_saboteur(id)).collect();
    assert!(without.is_empty(), "bullets without a saboteur: {without:?}");
}
