//! Snapshots with valid checksums: otherwise no changed byte would get past them.

use textsearch_core::{
    Result,
    vector::{RecordDefinition, ScanOptions, SearchInput, VectorSearchOptions, VectorStore as _},
};
use textsearch_vector_inmemory::InMemoryVectorStore;

const MAGIC: &[u8] = b"\x89TSVS\r\n\x1a";
const VERSION: u32 = 1;
const COLLECTION: u32 = 1;
const END: u32 = 3;

/// A store that opens can be searched, and saving and reopening it gives the same file.
///
/// The input is a series of sections: the kind in one byte, the length of the body in two, and the
/// body. Headers, checksums and the end are added as the store's `SNAPSHOT.md` specifies.
pub(crate) fn check(input: &[u8]) {
    let sections = sections(input);
    let file = file(&sections);
    let Ok(store) = opened(&file) else { return };
    let saved = saved(&store);
    let again = opened(&saved);
    let again = again.unwrap_or_else(|error| panic!("what was saved does not open: {error}"));
    assert!(saved == self::saved(&again), "a store is saved the same twice");
    for (kind, body) in sections {
        if kind == COLLECTION {
            read_all(&store, body);
        }
    }
}

fn sections(mut input: &[u8]) -> Vec<(u32, &[u8])> {
    let mut sections = Vec::new();
    while let Some(([kind, low, high], rest)) = input.split_first_chunk::<3>() {
        let length = usize::from(u16::from_le_bytes([*low, *high])).min(rest.len());
        let (body, rest) = rest.split_at(length);
        sections.push((u32::from(*kind), body));
        input = rest;
    }
    sections
}

fn file(sections: &[(u32, &[u8])]) -> Vec<u8> {
    let mut file = sealed([MAGIC, &VERSION.to_le_bytes()].concat());
    for (kind, body) in sections.iter().chain([&(END, [].as_slice())]) {
        let length = (body.len() as u64).to_le_bytes();
        let checksum = crc32fast::hash(body).to_le_bytes();
        file.extend(sealed([kind.to_le_bytes().as_slice(), &length, &checksum].concat()));
        file.extend_from_slice(body);
    }
    file
}

fn sealed(mut bytes: Vec<u8>) -> Vec<u8> {
    let checksum = crc32fast::hash(&bytes);
    bytes.extend(checksum.to_le_bytes());
    bytes
}

fn opened(file: &[u8]) -> Result<InMemoryVectorStore> {
    crate::scratch::with_file(file, |path| InMemoryVectorStore::open_file(path))
}

fn saved(store: &InMemoryVectorStore) -> Vec<u8> {
    crate::scratch::with_folder(|folder| {
        let path = folder.join("saved");
        store.save_to_file(&path).unwrap_or_else(|error| panic!("cannot save: {error}"));
        std::fs::read(&path).unwrap_or_else(|error| panic!("cannot read: {error}"))
    })
}

fn read_all(store: &InMemoryVectorStore, head: &[u8]) {
    let Ok(head) = serde_json::from_slice::<serde_json::Value>(head) else { return };
    let name = head.get("name").and_then(serde_json::Value::as_str).unwrap_or_default();
    let definition = head.get("definition").cloned().unwrap_or_default();
    let Ok(definition) = serde_json::from_value::<RecordDefinition>(definition) else { return };
    let Ok(collection) = store.stored_collection(name, definition) else { return };
    crate::block_on(async {
        let scan = ScanOptions::default().with_vectors(true);
        let results = collection.scan(&scan).await;
        let results = match results {
            Ok(results) => results.into_vec().await,
            Err(error) => Err(error),
        };
        let records =
            results.unwrap_or_else(|error| panic!("a store that opens is scanned: {error}"));
        let options = VectorSearchOptions::top(3);
        if let Ok(results) = collection.full_text_search("apples", &options).await {
            assert!(results.into_vec().await.is_ok(), "a search by words fails");
        }
        for field in &collection.definition().vectors {
            let vector = records.iter().find_map(|record| record.vectors.get(&field.name));
            let options = options.clone().with_vector_field(field.name.as_str());
            let Some(vector) = vector else { continue };
            let results = collection.search(&SearchInput::from(&vector[..]), &options).await;
            let results =
                results.unwrap_or_else(|error| panic!("a stored vector is found: {error}"));
            assert!(results.into_vec().await.is_ok_and(|results| !results.is_empty()));
        }
    });
}
