//! A full disk: what is stored stays, and the next run continues.
//!
//! A limit on file sizes simulates it; `cargo xtask stress full-disk` fills a real disk.

use std::process::{Command, Output};

use crate::support::Workplace;

const STORE: &str = ".textsearch/index";

/// Creates a store of one document, and records that make it many times larger than the limit.
fn place() -> Workplace {
    let place = Workplace::with(&[("a.md", "# Apples\n\nApples are red.\n")]);
    place.index(&["a.md"]);
    let lines: String = (0..500)
        .map(|id| format!("{{\"id\":{id},\"text\":\"pear {}\"}}\n", "green".repeat(50)))
        .collect();
    place.write("pears.jsonl", lines);
    place
}

/// Indexes the records with a file size limit of about 50 kB. Exceeding it is an error, since the
/// process ignores the signal.
fn index(place: &Workplace) -> Output {
    let program = assert_cmd::cargo::cargo_bin("textsearch");
    let line = "trap '' XFSZ; ulimit -f 100; exec \"$0\" index pears.jsonl";
    let mut shell = Command::new("sh");
    shell.arg("-c").arg(line).arg(program).current_dir(place.path(".")).output().unwrap()
}

#[test]
fn a_full_disk_keeps_what_is_stored() {
    let place = place();
    let run = index(&place);
    let complaint = String::from_utf8(run.stderr).unwrap();
    assert_eq!((run.status.code(), run.stdout.as_slice()), (Some(1), &b""[..]), "{complaint}");
    assert!(complaint.contains("File too large"), "{complaint}");
    assert!(complaint.contains(STORE), "{complaint}");
    assert_eq!(place.links(&["apples"]), ["a.md#apples"]);
    assert_eq!(place.index(&["pears.jsonl"]), [500, 0, 0, 0]);
    assert_eq!(place.names(".textsearch"), ["index", "index.lock"]);
    assert_eq!(place.links(&["apples"]), ["a.md#apples"]);
}

#[cfg(target_os = "linux")]
#[test]
fn an_unprintable_report_fails_after_the_store_is_written() {
    let place = place();
    let full = std::fs::File::create("/dev/full").unwrap();
    let run = Command::new(assert_cmd::cargo::cargo_bin("textsearch"))
        .current_dir(place.path("."))
        .args(["index", "pears.jsonl"])
        .stdout(full)
        .output()
        .unwrap();
    assert_eq!(run.status.code(), Some(1));
    assert_eq!(String::from_utf8(run.stderr).unwrap().lines().count(), 1);
    assert_eq!(place.index(&["pears.jsonl"]), [0, 0, 500, 0]);
}
