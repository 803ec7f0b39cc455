//! Temporary files of snapshot writers: which are removed, and which are kept.

use std::{
    fs::{self, File},
    path::Path,
    thread,
};

use textsearch_core::ErrorKind;
use textsearch_vector_inmemory::InMemoryVectorStore;

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<_> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn next_save_removes_files_of_a_killed_writer() {
    let folder = tempfile::tempdir().unwrap();
    let whole = folder.path().join("whole");
    InMemoryVectorStore::new().save_to_file(&whole).unwrap();
    let snapshot = fs::read(&whole).unwrap();
    fs::remove_file(whole).unwrap();
    for (number, length) in [0, 1, 7, 8, snapshot.len() - 1, snapshot.len()].iter().enumerate() {
        let name = format!("store.textsearch-4242-{number}.tmp");
        fs::write(folder.path().join(name), &snapshot[..*length]).unwrap();
    }
    InMemoryVectorStore::new().save_to_file(folder.path().join("store")).unwrap();
    assert_eq!(names(folder.path()), ["store"]);
}

#[test]
fn files_being_written_are_kept() {
    let folder = tempfile::tempdir().unwrap();
    let other = File::create(folder.path().join("store.textsearch-4242-0.tmp")).unwrap();
    other.lock().unwrap();
    let store = InMemoryVectorStore::new();
    store.save_to_file(folder.path().join("store")).unwrap();
    assert_eq!(names(folder.path()), ["store", "store.textsearch-4242-0.tmp"]);
    drop(other);
    store.save_to_file(folder.path().join("store")).unwrap();
    assert_eq!(names(folder.path()), ["store"]);
}

#[test]
fn files_with_other_names_or_folders_are_kept() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("store.textsearch-4242-0.tmp")).unwrap();
    for name in ["other.textsearch-4242-0.tmp", "store.lock", "store.tmp", "store.2026-11.tmp"] {
        fs::write(folder.path().join(name), "mine").unwrap();
    }
    let before = names(folder.path());
    InMemoryVectorStore::new().save_to_file(folder.path().join("store")).unwrap();
    let after = names(folder.path());
    assert!(before.iter().all(|name| after.contains(name)), "{after:?}");
}

#[test]
fn files_that_are_not_snapshots_are_kept() {
    let folder = tempfile::tempdir().unwrap();
    for (number, content) in [&b"mine"[..], b"\x89TSV?", b"\x89TSVS\r\n\x1b"].iter().enumerate() {
        let name = format!("store.textsearch-4242-{number}.tmp");
        fs::write(folder.path().join(name), content).unwrap();
    }
    InMemoryVectorStore::new().save_to_file(folder.path().join("store")).unwrap();
    assert_eq!(names(folder.path()).len(), 1 + 3);
}

#[test]
fn concurrent_writers_keep_each_others_files() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                for _ in 0..250 {
                    InMemoryVectorStore::new().save_to_file(&path).unwrap();
                }
            });
        }
    });
    InMemoryVectorStore::open_file(&path).unwrap();
    assert_eq!(names(folder.path()), ["store"]);
}

#[cfg(unix)]
#[test]
fn save_refuses_to_replace_a_non_file() {
    use std::os::unix::{fs::FileTypeExt as _, net::UnixListener};

    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("socket");
    let _listener = UnixListener::bind(&path).unwrap();
    let error = InMemoryVectorStore::new().save_to_file(&path).unwrap_err();
    assert_eq!(error.kind(), &ErrorKind::Backend);
    assert!(error.message().ends_with("the path is not a regular file"), "{error}");
    assert!(fs::metadata(&path).unwrap().file_type().is_socket());
    assert_eq!(names(folder.path()), ["socket"]);
}
