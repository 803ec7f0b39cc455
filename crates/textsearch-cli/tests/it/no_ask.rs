//! A build without the feature `ask`.

use crate::support::Workplace;

#[test]
fn builds_without_models_name_the_missing_feature() {
    let place = Workplace::with(&[]);
    assert!(!place.run(&["--help"]).stdout.contains("\n  ask "));
    let run = place.run(&["ask", "x"]);
    assert_eq!((run.code, run.stdout.as_str()), (2, ""));
    assert!(run.stderr.contains("a build with the feature `ask`"), "{}", run.stderr);
}
