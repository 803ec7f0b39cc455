//! A full disk: the old store stays, and no other file is left.
//!
//! A limit on file sizes simulates it; `cargo xtask stress full-disk` fills a real disk.

use std::process::{Command, Output};

use crate::support::{StoredDocuments, Workplace};

const STORE: &str = ".textsearch/index";

/// Creates a store of one document, and records that make it many times larger than the limit.
fn place() -> (Workplace, StoredDocuments) {
    let place = Workplace::with(&[("a.md", "# Apples\n\nApples are red.\n")]);
    place.index(&["a.md"]);
    let lines: String = (0..500)
        .map(|id| format!("{{\"id\":{id},\"text\":\"pear {}\"}}\n", "green".repeat(50)))
        .collect();
    place.write("pears.jsonl", lines);
    let stored = place.stored(STORE);
    (place, stored)
}

/// Indexes the records with a file size limit of about 50 kB. Exceeding it ends the process with a
/// signal, or is an error if the process ignores the signal.
fn index(place: &Workplace, on_signal: &str) -> Output {
    let program = assert_cmd::cargo::cargo_bin("textsearch");
    let line = format!("{on_signal}ulimit -c 0; ulimit -f 100; exec \"$0\" index pears.jsonl");
    let mut shell = Command::new("sh");
    shell.arg("-c").arg(line).arg(program).current_dir(place.path(".")).output().unwrap()
}

#[test]
fn a_full_disk_keeps_the_old_store() {
    let (place, before) = place();
    let run = index(&place, "trap '' XFSZ; ");
    let complaint = String::from_utf8(run.stderr).unwrap();
    assert_eq!((run.status.code(), run.stdout.as_slice()), (Some(1), &b""[..]), "{complaint}");
    let what = "textsearch: the store `.textsearch/index` cannot be written: File too large";
    assert!(complaint.starts_with(what), "{complaint}");
    assert!(complaint.ends_with("; it is what it was before\n"), "{complaint}");
    assert_eq!(complaint.lines().count(), 1, "{complaint}");
    assert_eq!(place.stored(STORE), before);
    assert_eq!(place.names(".textsearch"), ["index", "index.lock"]);
    assert_eq!(place.links(&["apples"]), ["a.md#apples"]);
}

#[test]
fn a_failed_first_write_claims_no_old_store() {
    let (place, _) = place();
    place.remove(STORE);
    let run = index(&place, "trap '' XFSZ; ");
    let complaint = String::from_utf8(run.stderr).unwrap();
    assert!(
        complaint.ends_with("cannot be written: File too large (os error 27)\n"),
        "{complaint}"
    );
    assert!(!place.path(STORE).exists());
}

#[test]
fn the_run_after_a_killed_one_cleans_up() {
    let (place, before) = place();
    let run = index(&place, "");
    assert_eq!(run.status.code(), None, "ended by a signal");
    assert_eq!(place.stored(STORE), before);
    assert_eq!(place.temporary_stores().len(), 1);
    assert_eq!(place.index(&["pears.jsonl"]), [500, 0, 0, 0]);
    assert_eq!(place.names(".textsearch"), ["index", "index.lock"]);
    assert_eq!(place.links(&["apples"]), ["a.md#apples"]);
}

#[cfg(target_os = "linux")]
#[test]
fn an_unprintable_report_fails_after_the_store_is_written() {
    let (place, before) = place();
    let full = std::fs::File::create("/dev/full").unwrap();
    let run = Command::new(assert_cmd::cargo::cargo_bin("textsearch"))
        .current_dir(place.path("."))
        .args(["index", "pears.jsonl"])
        .stdout(full)
        .output()
        .unwrap();
    assert_eq!(run.status.code(), Some(1));
    assert_eq!(String::from_utf8(run.stderr).unwrap().lines().count(), 1);
    assert_ne!(place.stored(STORE), before);
}
