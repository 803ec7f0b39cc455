//! A build without the feature `mcp`.

use crate::support::Workplace;

#[test]
fn builds_without_mcp_name_the_missing_feature() {
    let place = Workplace::with(&[]);
    assert!(!place.run(&["--help"]).stdout.contains("\n  mcp "));
    let run = place.run(&["mcp", "--from", "."]);
    assert_eq!((run.code, run.stdout.as_str()), (2, ""));
    assert!(run.stderr.contains("a build with the feature `mcp`"), "{}", run.stderr);
}
