//! A build without the feature `serve`.

use crate::support::Workplace;

#[test]
fn builds_without_a_server_name_the_missing_feature() {
    let place = Workplace::with(&[]);
    assert!(!place.run(&["--help"]).stdout.contains("\n  serve "));
    let run = place.run(&["serve", "--from", "."]);
    assert_eq!((run.code, run.stdout.as_str()), (2, ""));
    assert!(run.stderr.contains("a build with the feature `serve`"), "{}", run.stderr);
}
