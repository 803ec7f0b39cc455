//! A build without the feature `plan`.

use crate::support::Workplace;

#[test]
fn builds_without_plans_name_the_missing_feature() {
    let place = Workplace::with(&[]);
    assert!(!place.run(&["--help"]).stdout.contains("\n  plan "));
    let run = place.run(&["plan", "x", "--yes"]);
    assert_eq!((run.code, run.stdout.as_str()), (2, ""));
    assert!(run.stderr.contains("a build with the feature `plan`"), "{}", run.stderr);
}
