//! The program as its users meet it: real files, real processes, exit codes and what is printed.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a panic in a test's helper is a failed test with a line number"
)]

mod capabilities;
mod index;
mod json_lines;
mod manual;
mod prompt;
mod search;
mod support;
mod usage;
