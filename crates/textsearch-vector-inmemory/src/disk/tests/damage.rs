//! Changed and truncated files are errors, never wrong results.

use std::{fs, path::PathBuf, sync::Arc};

use tempfile::TempDir;
use textsearch_core::{
    Result,
    vector::{Distance, RecordKey, VectorStore as _},
};

use super::{
    model::{Answer, Collection, collection, definition, record, try_answers},
    support::{block_on, contents, store},
};
use crate::{
    DiskVectorStore,
    disk::{file::IS_FORGED, manifest::Manifest},
};

/// Has segments with removed rows, and entries of both kinds in the log.
async fn sample() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let store = store(folder.path(), 60);
    let docs = collection(&store, Distance::DotProduct).await;
    for round in 0..5 {
        let mut random = fastrand::Rng::with_seed(round);
        let records = (0..30).map(|key| record(&mut random, key + 20 * round as usize));
        docs.upsert(records.collect()).await.unwrap();
        docs.delete(&[RecordKey::from(format!("{:04}", 20 * round))]).await.unwrap();
    }
    drop((docs, store));
    folder
}

fn files(folder: &TempDir) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder.path().join("collection-docs")).unwrap();
    let mut files: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

/// What a reader finds, or the first error.
async fn read(folder: &TempDir) -> Result<Vec<Answer>> {
    let store = DiskVectorStore::open_read_only(folder.path())?;
    let docs: Collection = store.stored_collection("docs", definition(Distance::DotProduct))?;
    try_answers(&docs, 1).await
}

/// Writes a changed file, reads, and restores the file.
async fn read_with(folder: &TempDir, file: &PathBuf, bytes: &[u8]) -> Result<Vec<Answer>> {
    let original = fs::read(file).unwrap();
    fs::write(file, bytes).unwrap();
    let answers = read(folder).await;
    fs::write(file, original).unwrap();
    answers
}

#[test]
fn changed_byte_is_an_error_or_changes_nothing() {
    block_on(async {
        let folder = sample().await;
        let expected = Arc::new(read(&folder).await.unwrap());
        for file in files(&folder) {
            let original = fs::read(&file).unwrap();
            let mut errors = 0;
            let step = 1 + original.len() / 150;
            let places = (0..original.len()).step_by(step).chain([original.len() - 1]);
            for (number, place) in places.enumerate() {
                let mut bytes = original.clone();
                // The end of an entry becomes a zero.
                bytes[place] ^= if number % 2 == 0 { 0x41 } else { 1 };
                match read_with(&folder, &file, &bytes).await {
                    Ok(answers) => assert_eq!(answers, *expected, "{file:?} at {place}"),
                    Err(error) => {
                        assert!(error.message().contains("damaged"), "{error}");
                        errors += 1;
                    }
                }
            }
            // Keys are only read to change records.
            assert!(errors > 100, "{errors} errors in {file:?}");
        }
        assert_eq!(read(&folder).await.unwrap(), *expected);
    });
}

#[test]
fn last_entry_that_lost_a_page_is_left_out() {
    block_on(async {
        let folder = tempfile::tempdir().unwrap();
        let store = store(folder.path(), 1000);
        let docs = collection(&store, Distance::DotProduct).await;
        let mut random = fastrand::Rng::with_seed(1);
        let log = folder.path().join("collection-docs/log-1");
        let mut ends = Vec::new();
        let mut states = Vec::new();
        for round in 0..3 {
            let records = (0..160).map(|key| record(&mut random, key + round));
            docs.upsert(records.collect()).await.unwrap();
            ends.push(fs::metadata(&log).unwrap().len() as usize);
            states.push(read(&folder).await.unwrap());
        }
        assert!(ends[2] - ends[1] > 3 * 4096);
        let whole = fs::read(&log).unwrap();
        let zeros_in = |start: usize, end: usize| {
            let mut bytes = whole.clone();
            bytes[start..end].fill(0);
            bytes
        };
        let page = |at: usize| at.next_multiple_of(4096);
        let middle = zeros_in(page(ends[1]), page(ends[1]) + 4096);
        assert!(read_with(&folder, &log, &middle).await.unwrap() == states[1]);
        let tail = zeros_in(page(ends[2]) - 4096, ends[2]);
        assert!(read_with(&folder, &log, &tail).await.unwrap() == states[1]);
        let all = zeros_in(ends[1], ends[2]);
        assert!(read_with(&folder, &log, &all).await.unwrap() == states[1]);
        // Another entry follows, so it was acknowledged.
        let earlier = zeros_in(page(ends[0]), page(ends[0]) + 4096);
        assert!(read_with(&folder, &log, &earlier).await.is_err());
        let header = zeros_in(ends[0], ends[0] + 20);
        assert!(read_with(&folder, &log, &header).await.is_err());
        let end = zeros_in(ends[2] - 1, ends[2]);
        assert!(read_with(&folder, &log, &end).await.is_err());
    });
}

/// As if someone had made the files by hand, with right checksums.
#[test]
fn forged_byte_causes_no_panic() {
    IS_FORGED.set(true);
    block_on(async {
        let folder = sample().await;
        let mut random = fastrand::Rng::with_seed(1);
        for file in files(&folder) {
            let original = fs::read(&file).unwrap();
            for _ in 0..150 {
                let mut bytes = original.clone();
                for _ in 0..random.usize(1..3) {
                    let place = random.usize(0..bytes.len());
                    bytes[place] = random.u8(..);
                }
                drop(read_with(&folder, &file, &bytes).await);
            }
        }
    });
}

#[test]
fn truncated_file_is_an_error_or_an_earlier_state() {
    block_on(async {
        let folder = sample().await;
        for file in files(&folder) {
            let original = fs::read(&file).unwrap();
            let is_log = file.file_name().unwrap().to_str().unwrap().starts_with("log");
            for length in (0..original.len()).step_by(1 + original.len() / 60) {
                let answers = read_with(&folder, &file, &original[..length]).await;
                assert_eq!(answers.is_ok(), is_log, "{file:?} of {length} bytes");
            }
        }
    });
}

#[test]
fn missing_segment_is_an_error() {
    block_on(async {
        let folder = sample().await;
        let segment = files(&folder).pop().unwrap();
        fs::remove_file(&segment).unwrap();
        let error = read(&folder).await.unwrap_err();
        assert!(error.message().contains(segment.to_str().unwrap()), "{error}");
    });
}

#[test]
fn missing_manifest_is_an_error_and_nothing_is_removed() {
    block_on(async {
        let folder = sample().await;
        fs::remove_file(folder.path().join("collection-docs/manifest")).unwrap();
        let before = contents(folder.path());
        assert!(read(&folder).await.unwrap_err().message().contains("missing"));
        let store = store(folder.path(), 60);
        assert_eq!(store.collection_names().await.unwrap(), ["docs"]);
        let docs = store.stored_collection("docs", definition(Distance::DotProduct)).unwrap();
        assert!(docs.ensure_exists().await.unwrap_err().message().contains("missing"));
        assert!(contents(folder.path()) == before);
        docs.delete_collection().await.unwrap();
        docs.ensure_exists().await.unwrap();
    });
}

#[test]
fn terms_of_another_analysis_are_refused() {
    block_on(async {
        let folder = sample().await;
        let collection = folder.path().join("collection-docs");
        let mut manifest = Manifest::read(&collection).unwrap();
        manifest.analysis += 1;
        manifest.write(&collection).unwrap();
        let error = read(&folder).await.unwrap_err();
        assert!(error.message().contains("index again"), "{error}");
        let store = store(folder.path(), 60);
        let docs = store.stored_collection("docs", definition(Distance::DotProduct)).unwrap();
        docs.delete_collection().await.unwrap();
        docs.ensure_exists().await.unwrap();
    });
}

#[test]
fn removal_that_was_cut_off_ends_when_the_store_opens() {
    block_on(async {
        let folder = sample().await;
        let collection = folder.path().join("collection-docs");
        fs::rename(collection.join("manifest"), collection.join("removed")).unwrap();
        let reader = DiskVectorStore::open_read_only(folder.path()).unwrap();
        assert!(reader.collection_names().await.unwrap().is_empty());
        drop(store(folder.path(), 60));
        assert!(!collection.exists());
    });
}

#[cfg(unix)]
#[test]
fn links_in_place_of_new_files_are_not_followed() {
    block_on(async {
        let folder = sample().await;
        let elsewhere = folder.path().join("elsewhere");
        fs::write(&elsewhere, "mine").unwrap();
        let link = folder.path().join("collection-docs/manifest.tmp");
        std::os::unix::fs::symlink(&elsewhere, link).unwrap();
        let store = store(folder.path(), 1);
        let docs = collection(&store, Distance::DotProduct).await;
        for key in 0..2 {
            docs.upsert(vec![record(&mut fastrand::Rng::with_seed(1), key)]).await.unwrap();
        }
        assert_eq!(fs::read_to_string(elsewhere).unwrap(), "mine");
    });
}

#[cfg(unix)]
#[test]
fn files_that_are_not_regular_are_errors() {
    block_on(async {
        let folder = sample().await;
        let segment = files(&folder).pop().unwrap();
        let elsewhere = folder.path().join("elsewhere");
        fs::rename(&segment, &elsewhere).unwrap();
        std::os::unix::fs::symlink(&elsewhere, &segment).unwrap();
        let error = read(&folder).await.unwrap_err();
        assert!(error.message().contains("not a regular file"), "{error}");
    });
}

#[test]
fn second_writer_is_refused_until_the_first_ends() {
    let folder = tempfile::tempdir().unwrap();
    let first = DiskVectorStore::open(folder.path()).unwrap();
    let error = DiskVectorStore::open(folder.path()).unwrap_err();
    assert!(error.message().contains("another process writes"), "{error}");
    drop(first);
    DiskVectorStore::open(folder.path()).unwrap();
}

#[test]
fn reader_cannot_change_records() {
    block_on(async {
        let folder = sample().await;
        let reader = DiskVectorStore::open_read_only(folder.path()).unwrap();
        let docs = reader.stored_collection("docs", definition(Distance::DotProduct)).unwrap();
        let error = docs.delete(&["0001".into()]).await.unwrap_err();
        assert!(error.message().contains("only to read"), "{error}");
        assert!(docs.delete_collection().await.is_err());
        let other = reader.stored_collection("other", definition(Distance::DotProduct)).unwrap();
        assert!(other.ensure_exists().await.is_err());
        docs.ensure_exists().await.unwrap();
    });
}
