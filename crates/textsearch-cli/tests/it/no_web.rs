//! A build without the feature `web`.

use crate::support::Workplace;

#[test]
fn builds_without_connectors_name_the_missing_feature() {
    let place = Workplace::with(&[]);
    assert!(!place.run(&["search", "--help"]).stdout.contains("--source <"));
    assert!(!place.run(&["--help"]).stdout.contains("\n  page "));
    for command in [&["search", "x"][..], &["prompt", "x"], &["manual"]] {
        let run = place.run(&[command, &["--source", "brave"]].concat());
        assert_eq!((run.code, run.stdout.as_str()), (2, ""));
        assert_eq!(
            run.stderr,
            "textsearch: there is no connector `brave`, since this build has no web connectors: try --from PATH or \
             --store FILE, or a build with the feature `web`\n"
        );
    }
    let page = place.run(&["page", "https://example.com/"]);
    assert_eq!(page.code, 2);
    assert!(page.stderr.contains("a build with the feature `web`"), "{}", page.stderr);
}
