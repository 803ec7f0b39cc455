//! Processes read while one writes.

use std::{
    env,
    io::{self, BufRead as _, BufReader, Write as _},
    sync::{Arc, Barrier},
    time::Duration,
};

use textsearch_core::{
    ErrorKind,
    vector::{
        Distance, RecordDefinition, SearchInput, StoredRecord, VectorSearchOptions,
        VectorStore as _,
    },
};

use super::{
    crash::child,
    model::{collection, definition, record},
    support::{block_on, contents, store},
};
use crate::{DiskVectorStore, disk::Disk, state::State};

const FOLDER: &str = "TEXTSEARCH_TEST_READ";

const CHANGES: i64 = 150;

/// Replaces all records by those of the version.
fn version(version: i64) -> Vec<StoredRecord> {
    let mut random = fastrand::Rng::with_seed(version as u64);
    let records = (0..20).map(|key| {
        let mut record = record(&mut random, key);
        record.data.insert("year".to_owned(), version.into());
        record.data.insert("title".to_owned(), "running cat".into());
        record.with_vector("embedding", vec![1.0; 24])
    });
    records.collect()
}

/// Prints the version of each answer, until the last one.
#[test]
#[ignore = "runs in a process of another test"]
fn read_until_the_last_version() {
    let Ok(folder) = env::var(FOLDER) else { return };
    block_on(async {
        let store = DiskVectorStore::open_read_only(folder).unwrap();
        let docs = store.stored_collection("docs", definition(Distance::DotProduct)).unwrap();
        let options = VectorSearchOptions::top(100);
        let query: Arc<[f32]> = vec![0.5; 24].into();
        loop {
            let nearest = docs.search(&SearchInput::Vector(Arc::clone(&query)), &options).await;
            let worded = docs.full_text_search("cats", &options).await;
            for results in [nearest, worded] {
                let results = results.unwrap().into_vec().await.unwrap();
                assert_eq!(results.len(), 20);
                let mut years = results.iter().map(|scored| scored.record.data["year"].as_i64());
                let year = years.next().unwrap().unwrap();
                assert!(years.all(|other| other == Some(year)), "versions are mixed");
                writeln!(io::stdout(), "version {year}").unwrap();
                if year == CHANGES {
                    return;
                }
            }
        }
    });
}

#[test]
fn two_processes_read_acknowledged_states_while_one_writes() {
    let folder = tempfile::tempdir().unwrap();
    block_on(async {
        let store = store(folder.path(), 50);
        let docs = collection(&store, Distance::DotProduct).await;
        docs.upsert(version(0)).await.unwrap();
        let path = folder.path().to_str().unwrap();
        let test = "disk::tests::readers::read_until_the_last_version";
        let mut readers = [0, 1].map(|_| child(test, &[(FOLDER, path)]));
        let mut answers = readers.each_mut().map(|reader| {
            let lines = BufReader::new(reader.stdout.take().unwrap()).lines().map_while(Result::ok);
            lines.filter_map(|line| line.split_once("version ")?.1.parse::<i64>().ok())
        });
        // Both read before the first change.
        assert_eq!(answers.each_mut().map(Iterator::next), [Some(0), Some(0)]);
        for number in 1..=CHANGES {
            docs.upsert(version(number)).await.unwrap();
        }
        for (reader, versions) in readers.iter_mut().zip(answers) {
            let versions: Vec<i64> = versions.collect();
            assert!(reader.wait().unwrap().success());
            assert!(versions.is_sorted(), "{versions:?}");
            assert_eq!(versions.last(), Some(&CHANGES));
        }
    });
}

#[test]
fn reader_of_replaced_vectors_must_open_the_store_again() {
    let folder = tempfile::tempdir().unwrap();
    block_on(async {
        let store = store(folder.path(), 50);
        let docs = collection(&store, Distance::DotProduct).await;
        docs.upsert(version(0)).await.unwrap();
        let open = || {
            let reader = DiskVectorStore::open_read_only(folder.path()).unwrap();
            reader.stored_collection("docs", definition(Distance::DotProduct)).unwrap()
        };
        let reader = open();
        assert!(reader.exists().await.unwrap());
        docs.delete_collection().await.unwrap();
        assert!(!reader.exists().await.unwrap());
        assert_eq!(reader.ensure_exists().await.unwrap_err().kind(), &ErrorKind::Backend);
        docs.ensure_exists().await.unwrap();
        docs.upsert(version(1)).await.unwrap();
        let query = SearchInput::from(vec![0.5; 24]);
        let options = VectorSearchOptions::top(100);
        for _ in 0..2 {
            let error = reader.search(&query, &options).await.unwrap_err();
            assert_eq!(error.kind(), &ErrorKind::Backend);
            assert!(error.message().ends_with("open the store again"), "{error}");
        }
        assert_eq!(reader.ensure_exists().await.unwrap_err().kind(), &ErrorKind::Backend);
        let results = open().search(&query, &options).await.unwrap().into_vec().await.unwrap();
        assert_eq!(results.len(), 20);
    });
}

#[test]
fn deleted_collection_stays_so_during_a_refresh() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(folder.path(), 50);
    let docs = block_on(collection(&store, Distance::DotProduct));
    let reader = Disk::open_read_only(folder.path()).unwrap();
    let cell = reader.get("docs").unwrap().unwrap();
    block_on(docs.delete_collection()).unwrap();
    assert!(reader.get("docs").unwrap().is_none());
    let refreshing = Barrier::new(2);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let refresh = |_: &State| {
                refreshing.wait();
                std::thread::sleep(Duration::from_millis(50));
                Ok(None::<fn(&mut State)>)
            };
            cell.change(refresh).unwrap();
        });
        refreshing.wait();
        assert!(reader.get("docs").unwrap().is_none());
    });
}

#[test]
fn reader_without_vectors_follows_into_a_replaced_collection() {
    let folder = tempfile::tempdir().unwrap();
    block_on(async {
        let definition = RecordDefinition::new("id");
        let store = store(folder.path(), 1);
        let docs = store.stored_collection("docs", definition.clone()).unwrap();
        let reader = DiskVectorStore::open_read_only(folder.path()).unwrap();
        let reader = reader.stored_collection("docs", definition.clone()).unwrap();
        for id in ["old", "new"] {
            docs.delete_collection().await.unwrap();
            docs.ensure_exists().await.unwrap();
            let data = [("id".to_owned(), id.into())].into_iter().collect();
            docs.upsert(vec![StoredRecord::new(data, &definition).unwrap()]).await.unwrap();
            let records = reader.scan(&Default::default()).await.unwrap().into_vec().await.unwrap();
            assert_eq!(records.iter().map(|record| &record.key).collect::<Vec<_>>(), [&id.into()]);
        }
    });
}

#[test]
fn reader_of_a_long_log_changes_no_file() {
    let folder = tempfile::tempdir().unwrap();
    block_on(async {
        let store = store(folder.path(), 1 << 20);
        let docs = collection(&store, Distance::DotProduct).await;
        let mut random = fastrand::Rng::with_seed(1);
        let records = (0..40).map(|key| {
            let mut record = record(&mut random, key);
            record.data.insert("body".to_owned(), "word ".repeat(10_000).into());
            record
        });
        docs.upsert(records.collect()).await.unwrap();
        let before = contents(folder.path());
        assert!(before.values().any(|bytes| bytes.len() > 1 << 20));
        let reader = DiskVectorStore::open_read_only(folder.path()).unwrap();
        let docs = reader.stored_collection("docs", definition(Distance::DotProduct)).unwrap();
        assert_eq!(
            docs.scan(&Default::default()).await.unwrap().into_vec().await.unwrap().len(),
            40
        );
        assert!(docs.upsert(vec![record(&mut random, 1)]).await.is_err());
        drop((docs, reader));
        assert!(contents(folder.path()) == before);
    });
}
