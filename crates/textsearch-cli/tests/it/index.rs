//! `textsearch index`: second runs, and failures that must never damage a store.

use std::{
    fs::{self, File},
    path::PathBuf,
};

use serde_json::{Value, json};
use textsearch_core::vector::{RecordDefinition, VectorStore as _};
use textsearch_documents::ingest::DocumentIndex;
use textsearch_vector_inmemory::{DiskVectorStore, InMemoryVectorStore};

use crate::support::{Workplace, now};

fn three_files() -> Workplace {
    Workplace::with(&[
        ("docs/a.md", "# Apples\n\nApples are red.\n"),
        ("docs/b.md", "# Pears\n\nPears are green.\n"),
        ("other/c.txt", "Plums are blue.\n"),
    ])
}

#[test]
fn a_first_run_adds_and_a_second_one_changes_nothing() {
    let place = three_files();
    assert_eq!(place.index(&["docs", "other"]), [3, 0, 0, 0]);
    let before = place.stored(".textsearch/index");
    assert_eq!(place.index(&["docs", "other"]), [0, 0, 3, 0]);
    assert_eq!(place.stored(".textsearch/index"), before);
    assert_eq!(place.links(&["plums"]), ["other/c.txt#L1"]);
}

#[test]
fn a_file_that_changed_is_replaced() {
    let place = three_files();
    place.index(&["docs"]);
    place.write("docs/a.md", "# Apples\n\nApples are yellow.\n");
    assert_eq!(place.index(&["docs"]), [0, 1, 1, 0]);
    assert!(place.links(&["red"]).is_empty());
    assert_eq!(place.links(&["yellow"]), ["docs/a.md#apples"]);
}

#[test]
fn a_deleted_file_is_removed_only_below_indexed_paths() {
    let place = three_files();
    place.index(&["docs", "other"]);
    place.remove("docs/b.md");
    place.remove("other/c.txt");
    assert_eq!(place.index(&["docs"]), [0, 0, 1, 1]);
    assert!(place.links(&["pears"]).is_empty());
    assert_eq!(place.links(&["plums"]), ["other/c.txt#L1"]);
}

#[test]
fn indexing_a_folder_keeps_other_folders() {
    let place = three_files();
    place.index(&["docs"]);
    assert_eq!(place.index(&["other"]), [1, 0, 0, 0]);
    assert_eq!(place.links(&["apples"]), ["docs/a.md#apples"]);
}

#[test]
fn one_file_is_one_document_however_its_path_is_spelt() {
    let place = three_files();
    place.index(&["docs"]);
    assert_eq!(place.index(&["./docs/"]), [0, 0, 2, 0]);
    let absolute = place.path("docs").canonicalize().unwrap();
    assert_eq!(place.index(&[absolute.to_str().unwrap()]), [0, 0, 2, 0]);
    assert_eq!(place.index(&["docs/a.md"]), [0, 0, 1, 0]);
    assert_eq!(place.index(&["."]), [1, 0, 2, 0]);
}

#[test]
fn store_sets_the_path_of_the_store() {
    let place = three_files();
    place.index(&["docs", "--store", "deep/er/fruit.index"]);
    assert!(!place.path(".textsearch").exists());
    assert_eq!(
        place.links(&["apples", "--store", "file:deep/er/fruit.index"]),
        ["docs/a.md#apples"]
    );
}

#[test]
fn the_summary_is_a_sentence_or_json() {
    let place = three_files();
    let run = place.run(&["index", "docs"]);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    let expected = "2 documents in .textsearch/index: 2 added, 0 changed, 0 unchanged, 0 removed; 2 chunks in all; ";
    assert!(run.stdout.starts_with(expected), "{}", run.stdout);
    let summary = place.json(&["index", "docs", "--output", "json"]);
    assert_eq!(summary["store"], ".textsearch/index");
    assert_eq!((&summary["chunks"], &summary["skipped"]), (&2.into(), &serde_json::json!([])));
    assert!(summary["seconds"].as_f64().unwrap() < 60.0);
}

#[test]
fn a_damaged_file_is_skipped_with_a_warning() {
    let place = three_files();
    place.index(&["docs"]);
    place.write("docs/a.md", b"%PDF-1.4\n");
    place.write("docs/d.md", "Figs are purple.\n");
    let run = place.run(&["index", "docs", "--output", "json"]);
    assert_eq!(run.code, 5);
    let summary: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(summary["failed"][0]["path"], "docs/a.md");
    assert_eq!((&summary["added"], &summary["removed"]), (&1.into(), &0.into()));
    assert!(run.stderr.contains("warning: `docs/a.md` failed: "), "{}", run.stderr);
    assert_eq!(place.links(&["figs"]), ["docs/d.md"]);
    assert_eq!(place.links(&["apples"]), ["docs/a.md#apples"], "what was known of it stays");
}

#[cfg(unix)]
#[test]
fn control_characters_in_names_are_escaped_in_messages() {
    let place = Workplace::with(&[]);
    place.write("docs/a\u{1b}[2J\nb.md", b"%PDF-1.4\n");
    let run = place.run(&["index", "docs"]);
    let begin = r"textsearch: warning: `docs/a\u{1b}[2J\nb.md` failed: ";
    assert!(run.stderr.starts_with(begin), "{}", run.stderr);
    assert_eq!(run.stderr.lines().count(), 1, "{}", run.stderr);
}

#[test]
fn a_byte_order_mark_is_removed() {
    let place = Workplace::with(&[("a.txt", "\u{feff}Apples")]);
    let run = place.run(&["search", "apples", "--from", "a.txt", "--kind", "text"]);
    assert_eq!(run.stdout, "Apples\n\n");
}

#[test]
fn a_file_named_like_a_record_is_skipped_with_warning() {
    let place = Workplace::with(&[
        ("k/x.jsonl", "{\"id\":\"a.md\",\"text\":\"apples\"}\n"),
        ("k/x.jsonl#a.md", "pears"),
    ]);
    let run = place.run(&["index", "k"]);
    assert_eq!(run.code, 5);
    assert!(run.stderr.contains("are both called `k/x.jsonl#a.md`"), "{}", run.stderr);
    assert_eq!(place.links(&["apples"]), ["k/x.jsonl#a.md"]);
    let named = place.run(&["index", "k/x.jsonl#a.md", "k/x.jsonl"]);
    assert_eq!(named.code, 5);
    assert!(named.stderr.contains("are both called `k/x.jsonl#a.md`"), "{}", named.stderr);
}

#[test]
fn a_named_file_that_fails_costs_itself() {
    let place = Workplace::with(&[]);
    place.write("a.bin", b"%PDF-1.4\n");
    place.write("b.md", "Apples are red.\n");
    let run = place.run(&["index", "a.bin", "b.md"]);
    assert_eq!(run.code, 5);
    assert!(run.stdout.contains("1 added, 0 changed, 0 unchanged, 0 removed, 1 failed;"));
    assert!(run.stderr.starts_with("textsearch: warning: `a.bin` failed: "), "{}", run.stderr);
    assert_eq!(place.links(&["apples"]), ["b.md"]);
}

#[cfg(unix)]
#[test]
fn an_unreadable_folder_keeps_its_stored_records() {
    use std::os::unix::fs::PermissionsExt as _;

    let place = Workplace::with(&[("docs/a.md", "apple\n"), ("docs/closed/b.md", "pear\n")]);
    place.index(&["docs"]);
    let closed = place.path("docs/closed");
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o000)).unwrap();
    let is_enforced = fs::read_dir(&closed).is_err();
    let run = place.run(&["index", "docs"]);
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o755)).unwrap();
    // An administrator can read every folder.
    assert_eq!(run.code, if is_enforced { 5 } else { 0 }, "{}", run.stderr);
    assert_eq!(place.links(&["pear"]), ["docs/closed/b.md"]);
}

#[cfg(unix)]
#[test]
fn links_to_files_are_left_out() {
    let place = three_files();
    std::os::unix::fs::symlink("a.md", place.path("docs/link.md")).unwrap();
    assert_eq!(place.index(&["docs"]), [2, 0, 0, 0]);
}

#[cfg(unix)]
#[test]
fn the_file_of_the_output_is_left_out() {
    let place = three_files();
    place.write("docs/log.txt", "Peaches are pink.\n");
    let log = File::options().append(true).open(place.path("docs/log.txt")).unwrap();
    let mut program = std::process::Command::new(assert_cmd::cargo::cargo_bin("textsearch"));
    program.current_dir(place.path(".")).args(["index", "docs"]).stdout(log);
    assert!(program.status().unwrap().success());
    let log = String::from_utf8(place.read("docs/log.txt")).unwrap();
    assert!(log.contains("2 documents in .textsearch/index: 2 added"), "{log}");
}

#[test]
fn a_pipe_is_skipped_or_refused_without_waiting() {
    let place = three_files();
    let pipe = place.path("docs/pipe.md");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    assert_eq!(place.index(&["docs"]), [2, 0, 0, 0]);
    let run = place.run(&["index", "docs/pipe.md"]);
    assert_eq!(run.code, 1);
    assert!(run.stderr.contains("`docs/pipe.md` is neither a file nor a folder"), "{}", run.stderr);
}

#[test]
fn a_file_that_lost_its_text_is_removed() {
    let place = three_files();
    place.write("docs/empty.md", "  \n");
    assert_eq!(place.index(&["docs"]), [2, 0, 0, 0]);
    place.write("docs/a.md", "");
    assert_eq!(place.index(&["docs"]), [0, 0, 1, 1]);
    assert!(place.links(&["apples"]).is_empty());
}

#[test]
fn the_stores_language_is_the_default() {
    let place = Workplace::with(&[("a.txt", "Die Katzen schlafen.\n")]);
    place.index(&["a.txt", "--language", "de"]);
    assert_eq!(place.links(&["katze"]), ["a.txt#L1"]);
    place.index(&["a.txt"]);
    assert_eq!(place.links(&["katze"]), ["a.txt#L1"]);
    place.index(&["a.txt", "--language", "none"]);
    assert!(place.links(&["katze"]).is_empty());
    assert_eq!(place.links(&["katzen"]), ["a.txt#L1"]);
}

#[test]
fn a_foreign_file_is_refused_and_unchanged() {
    let place = three_files();
    place.write("notes.index", "these are my notes");
    for arguments in [
        &["index", "docs", "--store", "notes.index"][..],
        &["search", "x", "--store", "notes.index"],
    ] {
        let run = place.run(arguments);
        assert_eq!((run.code, run.stdout.as_str()), (1, ""), "{arguments:?}");
        let what =
            "textsearch: `notes.index` isn't a store of `textsearch index`: try another --store";
        assert!(run.stderr.starts_with(what), "{}", run.stderr);
        assert!(!run.stderr.contains("delete"), "it may be dear to somebody: {}", run.stderr);
        assert_eq!(run.stderr.lines().count(), 1, "{}", run.stderr);
    }
    assert_eq!(place.read("notes.index"), b"these are my notes");
}

/// Returns the file that lists the parts of the catalog.
fn manifest(place: &Workplace) -> PathBuf {
    place.path(".textsearch/index/collection-catalog/manifest")
}

#[test]
fn a_damaged_store_is_refused_and_unchanged() {
    let place = three_files();
    place.index(&["docs"]);
    fs::write(manifest(&place), "damaged").unwrap();
    for arguments in [&["index", "docs"], &["search", "apples"]] {
        let run = place.run(arguments);
        assert_eq!(run.code, 1, "{arguments:?}");
        let what = "textsearch: the store `.textsearch/index` cannot be used: ";
        assert!(run.stderr.starts_with(what), "{}", run.stderr);
        let advice =
            "try `textsearch index PATH --store .textsearch/index --rebuild` with every path";
        assert!(run.stderr.contains(advice), "{}", run.stderr);
    }
    assert_eq!(fs::read(manifest(&place)).unwrap(), b"damaged");
}

#[test]
fn a_store_that_is_damaged_can_be_rebuilt() {
    let place = three_files();
    place.index(&["docs", "other"]);
    fs::write(manifest(&place), "damaged").unwrap();
    assert_eq!(place.index(&["docs", "--rebuild"]), [2, 0, 0, 0]);
    assert_eq!(place.links(&["apples"]), ["docs/a.md#apples"]);
    assert!(place.links(&["plums"]).is_empty(), "what was not named is not in it");
    assert_eq!(place.names(".textsearch"), ["index", "index.lock"]);
}

/// Indexes as earlier versions did, and writes the store as a file.
async fn write_snapshot(place: &Workplace, path: &str) {
    place.index(&["docs", "other"]);
    let folder = DiskVectorStore::open_read_only(place.path(".textsearch/index")).unwrap();
    let folder = DocumentIndex::new(folder, "documents").with_catalog_name("catalog");
    let snapshot = InMemoryVectorStore::new();
    let index = DocumentIndex::new(snapshot.clone(), "documents").with_catalog_name("catalog");
    index.copy_from(&folder).await.unwrap();
    snapshot.save_to_file(place.path(path)).unwrap();
}

#[tokio::test]
async fn a_file_of_an_earlier_version_is_read_and_becomes_a_folder() {
    let place = three_files();
    write_snapshot(&place, "old.index").await;
    assert_eq!(place.links(&["plums", "--store", "old.index"]), ["other/c.txt#L1"]);
    assert!(place.path("old.index").is_file(), "searches don't convert it");
    place.write("docs/a.md", "# Apples\n\nApples are yellow.\n");
    assert_eq!(place.index(&["docs", "--store", "old.index"]), [0, 1, 1, 0]);
    assert!(place.path("old.index").is_dir());
    assert_eq!(place.links(&["yellow", "--store", "old.index"]), ["docs/a.md#apples"]);
    assert_eq!(place.links(&["plums", "--store", "old.index"]), ["other/c.txt#L1"]);
    let others = [".textsearch-new", ".textsearch-old"].map(|end| format!("old.index{end}"));
    assert!(others.iter().all(|other| !place.path(other).exists()));
}

#[test]
fn rebuild_refuses_a_file_that_is_not_a_store() {
    let place = three_files();
    place.write("notes.index", "these are my notes");
    let run = place.run(&["index", "other", "--rebuild", "--store", "notes.index"]);
    assert_eq!((run.code, run.stdout.as_str()), (1, ""));
    let expected = "is not a store, and --rebuild only replaces stores";
    assert!(run.stderr.contains(expected), "{}", run.stderr);
    assert_eq!(place.read("notes.index"), b"these are my notes");
}

#[test]
fn a_store_that_cannot_be_rebuilt_stays_as_it_was() {
    let place = three_files();
    place.index(&["docs"]);
    let before = place.stored(".textsearch/index");
    place.write("bad.jsonl", "{\"text\": oops}");
    let run = place.run(&["index", "bad.jsonl", "--rebuild"]);
    assert_eq!(run.code, 1);
    assert!(run.stderr.contains("`bad.jsonl` failed: line 1: this isn't JSON"), "{}", run.stderr);
    assert_eq!(place.stored(".textsearch/index"), before);
}

#[test]
fn a_store_is_not_rebuilt_from_nothing() {
    let place = three_files();
    place.index(&["docs"]);
    let before = place.stored(".textsearch/index");
    place.write("empty/blank.md", " \n");
    place.write("empty/tags.html", "<p></p>");
    place.write("none.jsonl", "\n");
    fs::create_dir(place.path("bare")).unwrap();
    for paths in [&["empty", "bare"][..], &["none.jsonl"]] {
        let run = place.run(&[&["index", "--rebuild"], paths].concat());
        assert_eq!((run.code, run.stdout.as_str()), (1, ""));
        assert!(run.stderr.contains("there is no text in what was named"), "{}", run.stderr);
    }
    assert_eq!(place.stored(".textsearch/index"), before);
}

#[test]
fn a_foreign_snapshot_is_refused_by_every_command() {
    let place = three_files();
    let foreign = InMemoryVectorStore::new();
    let definition = RecordDefinition::new("id");
    now(foreign.stored_collection("shop", definition).unwrap().ensure_exists()).unwrap();
    foreign.save_to_file(place.path("shop.index")).unwrap();
    let before = place.read("shop.index");
    let what = "textsearch: the store `shop.index` cannot be used: it was not made by `textsearch \
                index`";
    for (arguments, rest) in [
        (&["index", "docs", "--rebuild"][..], ", and --rebuild replaces only what was"),
        (&["index", "docs"], ""),
        (&["search", "apples"], ""),
        (&["prompt", "apples"], ""),
    ] {
        let run = place.run(&[arguments, &["--store", "shop.index"]].concat());
        assert_eq!((run.code, run.stdout.as_str()), (1, ""), "{arguments:?}");
        assert_eq!(run.stderr, format!("{what}{rest}: try another --store\n"));
        assert_eq!(place.read("shop.index"), before, "{arguments:?}");
    }
}

const NOTHING_STORED: &str = "textsearch: warning: nothing is stored in `.textsearch/index`: try `textsearch index PATH \
                              --store .textsearch/index`\n";

#[test]
fn searching_an_empty_store_says_that_it_is_empty() {
    let place = three_files();
    fs::create_dir(place.path("bare")).unwrap();
    assert_eq!(place.index(&["bare"]), [0; 4]);
    let before = place.stored(".textsearch/index");
    for arguments in [&[][..], &["--skip", "2"], &["--kind", "text"]] {
        let run = place.run(&[&["search", "apples"], arguments].concat());
        let printed = (run.code, run.stdout.as_str(), run.stderr.as_str());
        assert_eq!(printed, (0, "", NOTHING_STORED), "{arguments:?}");
    }
    let run = place.run(&["search", "apples", "--output", "json"]);
    let answer: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!((run.code, &answer["results"]), (0, &json!([])));
    assert_eq!(run.stderr, NOTHING_STORED);
    assert_eq!(place.stored(".textsearch/index"), before);
}

#[test]
fn errors_over_an_empty_store_say_that_it_is_empty() {
    let place = three_files();
    fs::create_dir(place.path("bare")).unwrap();
    place.index(&["bare"]);
    for arguments in [["--filter", "colour = \"red\""], ["--mode", "vector"]] {
        let run = place.run(&[&["search", "apples"], &arguments[..]].concat());
        assert_ne!(run.code, 0);
        assert!(run.stderr.contains("nothing is stored in `.textsearch/index`"), "{}", run.stderr);
    }
}

#[test]
fn an_empty_store_stops_every_command_but_search() {
    let place = Workplace::with(&[
        ("empty/blank.md", " \n"),
        ("queries.jsonl", "{\"_id\":\"q1\",\"text\":\"apple\"}\n"),
        ("qrels.tsv", "q1\tdocs/apple.md\t1\n"),
    ]);
    fs::create_dir(place.path("bare")).unwrap();
    place.index(&["bare"]);
    let nothing_stored = "textsearch: nothing is stored in `.textsearch/index`: try `textsearch index PATH --store \
                          .textsearch/index`\n";
    let no_text = "textsearch: there is no text in these files: try another --from PATH\n";
    for arguments in [
        &["prompt", "apples"][..],
        &["eval", "--queries", "queries.jsonl", "--qrels", "qrels.tsv"],
        &["manual"],
    ] {
        for (source, expected) in [(&[][..], nothing_stored), (&["--from", "empty"], no_text)] {
            let run = place.run(&[arguments, source].concat());
            assert_eq!((run.code, run.stdout.as_str()), (1, ""), "{arguments:?} {source:?}");
            assert_eq!(run.stderr, expected, "{arguments:?} {source:?}");
        }
    }
    let run = place.run(&["search", "apples", "--from", "empty"]);
    let warning = no_text.replace("textsearch: ", "textsearch: warning: ");
    assert_eq!((run.code, run.stdout, run.stderr), (0, String::new(), warning));
}

#[test]
fn an_emptied_store_keeps_its_fields() {
    let fruit = r#"{"id": "1", "text": "apples", "colour": "red"}"#;
    let place = Workplace::with(&[("fruit.jsonl", fruit)]);
    place.index(&["fruit.jsonl"]);
    place.write("fruit.jsonl", "\n");
    place.index(&["fruit.jsonl"]);
    let run = place.run(&["search", "apples", "--filter", "colour = \"red\""]);
    let printed = (run.code, run.stdout.as_str(), run.stderr.as_str());
    assert_eq!(printed, (0, "", NOTHING_STORED));
}

#[test]
fn a_path_that_leaves_a_folder_is_not_in_it() {
    let place = three_files();
    place.write("secret.md", "# Secret\n\nsecret apples\n");
    let run = place.run(&[
        "search",
        "secret apples",
        "--from",
        "docs/../secret.md",
        "--fixed-filter",
        "path starts_with \"docs/\"",
    ]);
    assert_eq!((run.code, run.stdout.as_str()), (0, ""), "{}", run.stderr);
}

#[cfg(unix)]
#[test]
fn a_path_out_of_a_linked_folder_is_resolved() {
    let place = three_files();
    place.write("elsewhere/inner/x.md", "x");
    place.write("elsewhere/secret.md", "secret apples");
    std::os::unix::fs::symlink(place.path("elsewhere/inner"), place.path("docs/link")).unwrap();
    let arguments = ["search", "secret", "--from", "docs/link/../secret.md", "--kind", "records"];
    let run = place.run(&[&arguments[..], &["--output", "json"]].concat());
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(run.stdout.contains("elsewhere/secret.md"), "{}", run.stdout);
}

#[test]
fn a_folder_as_store_is_refused_with_advice() {
    let place = three_files();
    for command in [&["search", "apples"][..], &["index", "docs"], &["index", "docs", "--rebuild"]]
    {
        let run = place.run(&[command, &["--store", "docs"]].concat());
        let expected = "textsearch: `docs` is a folder of other files: try --store docs/index, \
                        or --from docs to search the files in it\n";
        assert_eq!((run.code, run.stderr.as_str()), (2, expected), "{command:?}");
    }
}

#[test]
fn links_lead_only_to_the_web() {
    let place = three_files();
    let run = place.run(&["index", "docs", "--link-base", "javascript:alert(1)//"]);
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("try a URL such as https://docs.example/"), "{}", run.stderr);
    place.index(&["docs", "--link-base", "https://docs.example/"]);
    assert_eq!(place.links(&["pears"]), ["https://docs.example/docs/b.md#pears"]);
    place.index(&["docs"]);
    assert_eq!(place.links(&["pears"]), ["https://docs.example/docs/b.md#pears"]);
    place.index(&["docs", "--link-base", ""]);
    assert_eq!(place.links(&["pears"]), ["docs/b.md#pears"]);
}

#[test]
fn an_unknown_language_is_refused_with_the_known_ones() {
    let place = three_files();
    for arguments in [&["index", "docs"][..], &["search", "apples", "--from", "docs"]] {
        let run = place.run(&[arguments, &["--language", "xx"]].concat());
        assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{}", run.stderr);
        assert!(run.stderr.contains("one of ar (Arabic), "), "{}", run.stderr);
        assert_eq!(run.stderr.lines().count(), 1, "{}", run.stderr);
    }
}

#[test]
fn stores_in_an_indexed_folder_are_left_out() {
    let place = three_files();
    let first = place.index(&[".", "--store", "first"]);
    assert_eq!(place.index(&[".", "--store", "second"]), first);
    assert_eq!(place.index(&[".", "--store", "first"]), [0, 0, first[0], 0]);
    let run = place.run(&["index", ".", "--store", "first"]);
    assert!(!run.stdout.contains("without text"), "{}", run.stdout);
    assert_eq!(run.stderr, "");
}

#[test]
fn files_of_other_programs_in_a_store_do_no_harm() {
    let place = three_files();
    place.index(&["docs"]);
    place.write(".textsearch/index/.DS_Store", "");
    assert_eq!(place.links(&["apples"]), ["docs/a.md#apples"]);
    assert_eq!(place.index(&["docs"]), [0, 0, 2, 0]);
}

#[test]
fn a_wrong_model_makes_no_store() {
    let place = three_files();
    let run = place.run(&["index", "docs", "--embeddings", "local:nope"]);
    assert_ne!(run.code, 0);
    assert!(!place.path(".textsearch").exists());
}

#[test]
fn one_writer_at_a_time() {
    let place = three_files();
    place.index(&["docs"]);
    let lock = File::create(place.path(".textsearch/index.lock")).unwrap();
    lock.lock().unwrap();
    let run = place.run(&["index", "docs"]);
    assert_eq!(run.code, 1);
    assert!(run.stderr.contains("another process, `textsearch index`"), "{}", run.stderr);
    assert_eq!(place.links(&["apples"]), ["docs/a.md#apples"], "readers do not wait");
    drop(lock);
    assert_eq!(place.index(&["docs"]), [0, 0, 2, 0]);
}

#[test]
fn several_hundred_files_are_indexed_and_found() {
    let place = Workplace::with(&[]);
    for number in 0..400 {
        let text = format!("# Topic {number}\n\nWord w{number}x.\n\n## Detail\n\nMore of it.\n");
        place.write(&format!("corpus/{}/{number}.md", number % 7), text);
    }
    assert_eq!(place.index(&["corpus"]), [400, 0, 0, 0]);
    assert_eq!(place.links(&["w123x"]), ["corpus/4/123.md#topic-123"]);
}
