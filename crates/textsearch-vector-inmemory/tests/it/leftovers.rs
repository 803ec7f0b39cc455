//! What writers of snapshots leave behind, and what they leave alone.

use std::{
    fs::{self, File},
    path::Path,
    thread,
};

use textsearch_core::ErrorKind;
use textsearch_vector_inmemory::InMemoryVectorStore;

/// The names in a folder, in their order.
fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<_> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn what_a_killed_writer_left_behind_goes_when_the_file_is_written_again() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["store.4242-0.tmp", "store.4242-17.tmp", "store.1-0.tmp"] {
        fs::write(folder.path().join(name), "half a snapshot").unwrap();
    }
    InMemoryVectorStore::new().save_to_file(folder.path().join("store")).unwrap();
    assert_eq!(names(folder.path()), ["store"]);
}

#[test]
fn what_another_writer_is_writing_stays() {
    let folder = tempfile::tempdir().unwrap();
    let other = File::create(folder.path().join("store.4242-0.tmp")).unwrap();
    other.lock().unwrap();
    let store = InMemoryVectorStore::new();
    store.save_to_file(folder.path().join("store")).unwrap();
    assert_eq!(names(folder.path()), ["store", "store.4242-0.tmp"]);
    drop(other);
    store.save_to_file(folder.path().join("store")).unwrap();
    assert_eq!(names(folder.path()), ["store"]);
}

#[test]
fn files_of_other_names_and_folders_stay() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("store.4242-0.tmp")).unwrap();
    for name in ["other.4242-0.tmp", "store.lock", "store.tmp"] {
        fs::write(folder.path().join(name), "mine").unwrap();
    }
    let before = names(folder.path());
    InMemoryVectorStore::new().save_to_file(folder.path().join("store")).unwrap();
    let after = names(folder.path());
    assert!(before.iter().all(|name| after.contains(name)), "{after:?}");
}

#[test]
fn writers_beside_each_other_do_not_remove_what_the_others_write() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..50 {
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
fn what_is_no_file_is_not_replaced() {
    use std::os::unix::{fs::FileTypeExt as _, net::UnixListener};

    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("socket");
    let _listener = UnixListener::bind(&path).unwrap();
    let error = InMemoryVectorStore::new().save_to_file(&path).unwrap_err();
    assert_eq!(error.kind(), &ErrorKind::BackEnd);
    assert!(error.message().ends_with("what is there is no file"), "{error}");
    assert!(fs::metadata(&path).unwrap().file_type().is_socket());
    assert_eq!(names(folder.path()), ["socket"]);
}
