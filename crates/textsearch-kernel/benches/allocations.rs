//! Counts the allocations of a call and their bytes, which do not depend on the machine.
//!
//! A separate program, because the counting allocator is global and slows everything down.
#![expect(clippy::expect_used, reason = "a benchmark that cannot be set up must not be measured")]
#![expect(clippy::print_stdout, reason = "what is counted is printed")]

#[expect(dead_code, reason = "no time is measured here")]
#[path = "../../../xtask/benchmarks/support/report.rs"]
mod report;
mod support;

use allocation_counter::measure;

use self::report::Report;
use self::support::{answer, invoke, kernel, tool_calls};

fn main() {
    let kernel = kernel();
    let report = Report::from_arguments();
    for (name, function, argument) in [
        ("invoke a native function", "Greet", "name"),
        ("search, 10 texts", "Search", "query"),
        ("search, 10 results", "GetSearchResults", "query"),
    ] {
        let called = || invoke(&kernel, function, argument);
        print(&report, name, called);
        print(&report, &format!("{name}, as text"), || called().text().into_owned());
        print(&report, &format!("{name}, as JSON"), || called().value.into_json());
    }
    for (name, call) in tool_calls() {
        print(&report, name, || answer(&kernel, &call));
    }
}

/// Counts the second run: the first may fill caches.
fn print<T>(report: &Report, name: &str, call: impl Fn() -> T) {
    drop(call());
    let counted = measure(|| drop(call()));
    let count = counted.count_total;
    let bytes = counted.bytes_total;
    let for_people = format_args!("{count:>4}, {bytes:>6} bytes");
    report.print(&format!("{name}, allocations"), count as f64, "1", for_people);
}
