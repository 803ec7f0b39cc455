//! Graphs in files, valid and invalid.

use std::{fs, num::NonZero, ops::Range, path::Path};

use textsearch_core::vector::{
    Distance, RecordKey, SearchInput, VectorSearchOptions, VectorStore as _,
};
use textsearch_vector_inmemory::InMemoryVectorStore;

use super::{Clusters, ROWS, indexed, quick, recall, top};
use crate::support::{Stored, create, keys};

const HEADER: usize = 20;

async fn stored(folder: &Path) -> (Stored, std::path::PathBuf) {
    let (store, path) = (InMemoryVectorStore::new(), folder.join("store"));
    let collection = create(&store, "docs", indexed(Distance::CosineSimilarity, quick())).await;
    collection.upsert(Clusters::new(1).records(0..ROWS)).await.unwrap();
    store.save_to_file(&path).unwrap();
    (collection, path)
}

fn opened(path: &Path) -> Stored {
    let store = InMemoryVectorStore::open_file(path).unwrap();
    store.stored_collection("docs", indexed(Distance::CosineSimilarity, quick())).unwrap()
}

/// Returns what walks with a single candidate find, which depends on the exact graph.
async fn traces(collection: &Stored) -> Vec<Vec<String>> {
    let mut queries = Clusters::new(5);
    let mut traces = Vec::new();
    for _ in 0..50 {
        let query = SearchInput::from(queries.vector());
        let options = VectorSearchOptions::top(1).with_ef_search(1);
        traces.push(keys(collection.search(&query, &options).await).await);
    }
    traces
}

/// Includes the section's header.
fn graph_section(file: &[u8]) -> Range<usize> {
    let mut start = 16;
    loop {
        let length = u64::from_le_bytes(file[start + 4..start + 12].try_into().unwrap());
        let end = start + HEADER + usize::try_from(length).unwrap();
        if file[start] == 4 {
            return start..end;
        }
        start = end;
    }
}

/// Updates the checksums.
fn seal(section: &mut [u8]) {
    let body = crc32fast::hash(&section[HEADER..]).to_le_bytes();
    section[12..16].copy_from_slice(&body);
    let header = crc32fast::hash(&section[..16]).to_le_bytes();
    section[16..20].copy_from_slice(&header);
}

#[tokio::test]
async fn graph_round_trips() {
    let folder = tempfile::tempdir().unwrap();
    let (collection, path) = stored(folder.path()).await;
    assert_eq!(traces(&opened(&path)).await, traces(&collection).await);
}

#[tokio::test]
async fn graph_with_gaps_round_trips() {
    let folder = tempfile::tempdir().unwrap();
    let (store, path) = (InMemoryVectorStore::new(), folder.path().join("store"));
    let collection = create(&store, "docs", indexed(Distance::CosineSimilarity, quick())).await;
    collection.upsert(Clusters::new(1).records(0..2 * ROWS)).await.unwrap();
    let gone = (0..2 * ROWS).step_by(3).map(|number| RecordKey::from(format!("{number:06}")));
    collection.delete(&gone.collect::<Vec<_>>()).await.unwrap();
    store.save_to_file(&path).unwrap();
    let opened = opened(&path);
    let share = recall(&opened, &top()).await;
    assert!(share >= 0.98, "{share}");
    assert_ne!(traces(&opened).await.concat().len(), 0);
}

#[tokio::test]
async fn saving_a_graph_uses_only_threads_of_the_store() {
    let folder = tempfile::tempdir().unwrap();
    let store = InMemoryVectorStore::new().with_threads(NonZero::<usize>::MIN);
    let collection = create(&store, "docs", indexed(Distance::CosineSimilarity, quick())).await;
    collection.upsert(Clusters::new(1).records(0..ROWS)).await.unwrap();
    collection.delete(&[RecordKey::from("000007")]).await.unwrap();
    store.save_to_file(folder.path().join("store")).unwrap();
    // Fails if the process has a global pool already.
    rayon::ThreadPoolBuilder::new().num_threads(1).build_global().unwrap();
}

#[tokio::test]
async fn missing_graph_is_rebuilt() {
    let folder = tempfile::tempdir().unwrap();
    let (collection, path) = stored(folder.path()).await;
    let mut file = fs::read(&path).unwrap();
    file.drain(graph_section(&file));
    fs::write(&path, file).unwrap();
    assert_eq!(traces(&opened(&path)).await, traces(&collection).await);
}

#[tokio::test]
async fn invalid_graph_is_rebuilt() {
    let folder = tempfile::tempdir().unwrap();
    let (_, path) = stored(folder.path()).await;
    let file = fs::read(&path).unwrap();
    let section = graph_section(&file);
    let mut random = fastrand::Rng::with_seed(3);
    for _ in 0..5 {
        let mut forged = file.clone();
        for _ in 0..3 {
            forged[random.usize(section.start + HEADER..section.end)] ^= random.u8(1..);
        }
        seal(&mut forged[section.clone()]);
        fs::write(&path, &forged).unwrap();
        // The file may be refused only because the name of the field changed.
        if let Ok(store) = InMemoryVectorStore::open_file(&path) {
            let definition = indexed(Distance::CosineSimilarity, quick());
            let collection = store.stored_collection("docs", definition).unwrap();
            assert!(recall(&collection, &top()).await >= 0.9);
        }
    }
}

#[tokio::test]
async fn second_graph_of_a_field_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let (_, path) = stored(folder.path()).await;
    let whole = fs::read(&path).unwrap();
    let section = graph_section(&whole);
    let mut useless = whole[section.clone()].to_vec();
    useless[HEADER + 8 + "embedding".len()] ^= 1;
    seal(&mut useless);
    for first in [&whole[section.clone()], &useless] {
        fs::write(&path, [&whole[..section.start], first, &whole[section.start..]].concat())
            .unwrap();
        let error = InMemoryVectorStore::open_file(&path).unwrap_err();
        assert!(error.message().ends_with("is damaged: a field has two graphs"), "{error}");
    }
}

#[tokio::test]
async fn damaged_graph_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let (_, path) = stored(folder.path()).await;
    let mut file = fs::read(&path).unwrap();
    let section = graph_section(&file);
    file[section.end - 1] ^= 1;
    fs::write(&path, file).unwrap();
    let error = InMemoryVectorStore::open_file(&path).unwrap_err();
    assert!(error.message().contains("the checksum of a section"), "{error}");
}
