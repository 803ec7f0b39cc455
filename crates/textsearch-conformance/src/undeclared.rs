//! Counts the cases that a forgotten declaration skips.

use std::io::{Write as _, stderr};

use crate::{Capabilities, Subject};

/// Prints the line for the test that [`suite!`](crate::suite) generates.
#[doc(hidden)]
pub fn print_undeclared(module: &str, subject: Subject) {
    if let Some(line) = undeclared(&subject.capabilities) {
        // The test harness hides what `eprintln!` prints in a test that passes.
        let _ = writeln!(stderr(), "{module}: {line}");
    }
}

/// Names the missing declarations that most connectors need, with the number of their cases.
#[doc(hidden)]
pub fn undeclared(capabilities: &Capabilities) -> Option<String> {
    let Capabilities { error_answer, query_operators, max_results, .. } = capabilities;
    let missing = [
        (error_answer.is_none(), 2, "with_error_answer"),
        (query_operators.is_none(), 1, "with_query_operators"),
        (max_results.is_none(), 1, "with_max_results"),
    ];
    let missing = missing.into_iter().filter(|(is_missing, ..)| *is_missing);
    let (counts, names): (Vec<u32>, Vec<String>) =
        missing.map(|(_, count, name)| (count, format!("{count} for `{name}`"))).unzip();
    let total: u32 = counts.iter().sum();
    let line = format!(
        "cases that pass because they are skipped: {total} ({}); declare what the backend has",
        names.join(", ")
    );
    (total > 0).then_some(line)
}
