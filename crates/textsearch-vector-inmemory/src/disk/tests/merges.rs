//! Segments are merged in the background.

use std::{fs, path::Path, thread, time::Duration};

use textsearch_core::vector::{Distance, RecordKey};

use super::{
    model::{answers, collection, record},
    support::{block_on, store},
};
use crate::{InMemoryVectorStore, disk::manifest::Manifest};

fn segments(folder: &Path) -> (usize, u64) {
    let entries = fs::read_dir(folder.join("collection-docs")).unwrap().flatten();
    let segments = entries.filter(|entry| entry.file_name().to_str().unwrap().starts_with("seg"));
    let sizes: Vec<u64> = segments.map(|entry| entry.metadata().unwrap().len()).collect();
    (sizes.len(), sizes.iter().sum())
}

/// Waits for the thread of the store.
fn wait_until(folder: &Path, is_done: impl Fn(usize, u64) -> bool) {
    for _ in 0..600 {
        let (count, bytes) = segments(folder);
        if is_done(count, bytes) {
            return;
        }
        thread::sleep(Duration::from_millis(50));
    }
    panic!("{:?} are left", segments(folder));
}

#[test]
fn many_small_segments_become_few() {
    let folder = tempfile::tempdir().unwrap();
    block_on(async {
        let store = store(folder.path(), 1);
        let docs = collection(&store, Distance::DotProduct).await;
        let memory = collection(&InMemoryVectorStore::new(), Distance::DotProduct).await;
        let mut random = fastrand::Rng::with_seed(1);
        for key in 0..100 {
            let records = vec![record(&mut random, key)];
            memory.upsert(records.clone()).await.unwrap();
            docs.upsert(records).await.unwrap();
        }
        wait_until(folder.path(), |count, _| count < 16);
        assert_eq!(answers(&docs, 1).await, answers(&memory, 1).await);
    });
}

#[test]
fn removed_records_free_their_space() {
    let folder = tempfile::tempdir().unwrap();
    block_on(async {
        let store = store(folder.path(), 50);
        let docs = collection(&store, Distance::DotProduct).await;
        let mut random = fastrand::Rng::with_seed(1);
        let records = (0..100).map(|key| record(&mut random, key));
        docs.upsert(records.collect()).await.unwrap();
        docs.upsert(vec![record(&mut random, 0)]).await.unwrap();
        let (_, full) = segments(folder.path());
        let keys: Vec<RecordKey> = (1..95).map(|key| format!("{key:04}").into()).collect();
        docs.delete(&keys).await.unwrap();
        // The next segment shows that the first one lost most of its records.
        let records = (200..260).map(|key| record(&mut random, key));
        docs.upsert(records.collect()).await.unwrap();
        docs.upsert(vec![record(&mut random, 0)]).await.unwrap();
        wait_until(folder.path(), |_, bytes| bytes < full);
    });
}

#[test]
fn removed_records_leave_the_log() {
    let folder = tempfile::tempdir().unwrap();
    block_on(async {
        let store = store(folder.path(), 50);
        let docs = collection(&store, Distance::DotProduct).await;
        let mut random = fastrand::Rng::with_seed(1);
        for first in [0, 1000] {
            let records = (0..100).map(|key| record(&mut random, first + key));
            docs.upsert(records.collect()).await.unwrap();
        }
        let keys: Vec<RecordKey> = (0..50).map(|key| format!("{key:04}").into()).collect();
        docs.upsert(vec![record(&mut random, 2000)]).await.unwrap();
        docs.delete(&keys).await.unwrap();
        docs.upsert(vec![record(&mut random, 2001)]).await.unwrap();
        let manifest = Manifest::read(&folder.path().join("collection-docs")).unwrap();
        let free = manifest.segments.iter().flat_map(|segment| segment.free.values().flatten());
        assert_eq!(free.count(), 50);
    });
}

#[test]
fn runs_that_end_at_once_still_merge() {
    let folder = tempfile::tempdir().unwrap();
    block_on(async {
        let mut random = fastrand::Rng::with_seed(1);
        for key in 0..30 {
            let store = store(folder.path(), 1);
            let docs = collection(&store, Distance::DotProduct).await;
            docs.upsert(vec![record(&mut random, key)]).await.unwrap();
        }
        assert!(segments(folder.path()).0 < 16);
    });
}

#[test]
fn merge_ends_with_its_collection() {
    let folder = tempfile::tempdir().unwrap();
    block_on(async {
        let mut random = fastrand::Rng::with_seed(1);
        for _ in 0..10 {
            let store = store(folder.path(), 1);
            let docs = collection(&store, Distance::DotProduct).await;
            docs.delete_collection().await.unwrap();
            docs.ensure_exists().await.unwrap();
            // Segments of the same numbers as before.
            for key in 0..random.usize(8..14) {
                docs.upsert(vec![record(&mut random, key)]).await.unwrap();
            }
            docs.delete_collection().await.unwrap();
            let memory = collection(&InMemoryVectorStore::new(), Distance::DotProduct).await;
            docs.ensure_exists().await.unwrap();
            for key in 0..10 {
                let records = vec![record(&mut random, key)];
                memory.upsert(records.clone()).await.unwrap();
                docs.upsert(records).await.unwrap();
            }
            drop((docs, store));
            let store = super::support::store(folder.path(), 1);
            let docs = collection(&store, Distance::DotProduct).await;
            assert_eq!(answers(&docs, 1).await, answers(&memory, 1).await);
        }
    });
}

#[test]
fn failed_merge_is_not_repeated() {
    let folder = tempfile::tempdir().unwrap();
    let docs_folder = folder.path().join("collection-docs");
    let next = || Manifest::read(&docs_folder).unwrap().next;
    block_on(async {
        let mut random = fastrand::Rng::with_seed(1);
        let writer = store(folder.path(), 1);
        let docs = collection(&writer, Distance::DotProduct).await;
        for key in 0..4 {
            docs.upsert(vec![record(&mut random, key)]).await.unwrap();
        }
        drop((docs, writer));
        let segment = docs_folder.join(&Manifest::read(&docs_folder).unwrap().segments[0].file);
        let mut bytes = fs::read(&segment).unwrap();
        bytes[25] ^= 1;
        fs::write(&segment, bytes).unwrap();
        let before = next();
        let writer = store(folder.path(), 1);
        let docs = collection(&writer, Distance::DotProduct).await;
        for key in 4..40 {
            docs.upsert(vec![record(&mut random, key)]).await.unwrap();
            thread::sleep(Duration::from_millis(5));
        }
        drop((docs, writer));
        // A segment and a log for each upsert, and the file of one merge.
        assert_eq!(next() - before, 36 * 2 + 1);
    });
}
