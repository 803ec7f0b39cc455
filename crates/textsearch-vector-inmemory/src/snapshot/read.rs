//! Reads a store from untrusted bytes.

#[cfg(feature = "hnsw")]
use std::collections::BTreeSet;
use std::{collections::BTreeMap, fs::File, io::Read, path::Path, sync::Arc};

use serde_json::{Map, Value};
use textsearch_core::{BoxError, vector::RecordDefinition};

#[cfg(feature = "hnsw")]
use super::section::GRAPH;
use super::{
    budget::Budget,
    bytes::Bytes,
    fault::{Fault, Result},
    load::{Memory, batches},
    section::{COLLECTION, END, HEADER, MAGIC, RECORDS, SECTION_HEADER, VERSION},
};
use crate::{
    InMemoryVectorStore,
    schema::{Schema, check_definition},
    state::{SharedState, State},
    threads::Threads,
};

pub(super) fn store(path: &Path, threads: Threads) -> Result<InMemoryVectorStore> {
    let mut file = File::open(path).map_err(Fault::Unreadable)?;
    let length = file.metadata().map_err(Fault::Unreadable)?.len();
    let budget = Budget::of_file(length);
    check_header(&mut file)?;
    let mut collections: Vec<(String, State)> = Vec::new();
    // The fields of the last collection whose graphs were read.
    #[cfg(feature = "hnsw")]
    let mut graphs = BTreeSet::new();
    let mut body = Vec::new();
    let mut memory = Memory::default();
    loop {
        match (section(&mut file, &mut body)?, collections.last_mut()) {
            (COLLECTION, _) => {
                let (name, schema) = collection(&body)?;
                budget.take_collection(body.len())?;
                collections.push((name, State::new(schema)));
                #[cfg(feature = "hnsw")]
                graphs.clear();
            }
            (RECORDS, Some((_, state))) => records(&body, state, &mut memory, &budget)?,
            (RECORDS, None) => return Err(Fault::Damaged("records belong to no collection")),
            #[cfg(feature = "hnsw")]
            (GRAPH, Some((_, state))) => {
                super::graphs::read(&body, state, &mut graphs, &budget)?;
            }
            #[cfg(feature = "hnsw")]
            (GRAPH, None) => return Err(Fault::Damaged("a graph belongs to no collection")),
            (END, _) => break,
            _ => return Err(Fault::Damaged("a section is of an unknown kind")),
        }
    }
    if !up_to(&mut file, 1)?.is_empty() {
        return Err(Fault::Damaged("data follows its end section"));
    }
    linked(collections, threads)
}

/// Reads the next section, with its body into `body`, and returns its kind.
fn section(file: &mut File, body: &mut Vec<u8>) -> Result<u32> {
    let header = up_to(file, SECTION_HEADER as u64)?;
    let mut fields = Bytes(unsealed(&header, SECTION_HEADER, "the header of a section")?);
    let kind = fields.u32()?;
    let length = fields.u64()?;
    let checksum = fields.u32()?;
    body.clear();
    file.take(length).read_to_end(body).map_err(Fault::Unreadable)?;
    if body.len() as u64 != length {
        return Err(Fault::Truncated);
    }
    if crc32fast::hash(body) != checksum {
        return Err(Fault::Damaged("the checksum of a section does not match"));
    }
    Ok(kind)
}

/// Adds the records of a section.
fn records(body: &[u8], state: &mut State, memory: &mut Memory, budget: &Budget) -> Result<()> {
    let schema = Arc::clone(state.schema());
    for batch in batches(body, &schema, memory, budget)? {
        let count = state.len() + batch.records.len();
        // The budget counts on it: a chunk allocates its vectors for all its rows.
        state.start_chunk(batch.records.len());
        let stored = state.replace(&batch.last_of_each_key());
        stored.map_err(|error| Fault::Invalid("a record", error.into()))?;
        if state.len() < count {
            return Err(Fault::Damaged("it contains a key twice"));
        }
    }
    Ok(())
}

/// Builds the graphs that are missing.
fn linked(collections: Vec<(String, State)>, threads: Threads) -> Result<InMemoryVectorStore> {
    let count = collections.len();
    let collections = collections.into_iter();
    let cells = collections.map(|(name, state)| (name, Arc::new(SharedState::new(state))));
    let cells: BTreeMap<_, _> = cells.collect();
    if cells.len() < count {
        return Err(Fault::Damaged("it contains a collection twice"));
    }
    #[cfg(feature = "hnsw")]
    for cell in cells.values() {
        // Without its graph the store still finds every record, so log the error only.
        if let Err(error) = crate::hnsw::catch_up_here(cell, &threads) {
            crate::hnsw::warn_of_unlinked(&error);
        }
    }
    Ok(InMemoryVectorStore::from_collections(cells, threads))
}

fn check_header(input: &mut impl Read) -> Result<()> {
    let header = up_to(input, HEADER as u64)?;
    if !header.iter().zip(&MAGIC).all(|(byte, expected)| byte == expected) {
        return Err(Fault::OtherProgram);
    }
    let mut fields = Bytes(unsealed(&header, HEADER, "its header")?);
    fields.take(MAGIC.len())?;
    match fields.u32()? {
        VERSION => Ok(()),
        version => Err(Fault::Version(version)),
    }
}

/// Memory grows with the existing bytes, not with the claims of the file.
fn up_to(input: &mut impl Read, length: u64) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    input.take(length).read_to_end(&mut bytes).map_err(Fault::Unreadable)?;
    Ok(bytes)
}

/// Checks the checksum at the end of the first `length` bytes, and returns the bytes before it.
fn unsealed<'a>(header: &'a [u8], length: usize, what: &'static str) -> Result<&'a [u8]> {
    if header.len() < length {
        return Err(Fault::Truncated);
    }
    match header.split_last_chunk::<4>() {
        Some((fields, checksum)) if crc32fast::hash(fields) == u32::from_le_bytes(*checksum) => {
            Ok(fields)
        }
        _ => Err(Fault::Damaged(what)),
    }
}

fn collection(body: &[u8]) -> Result<(String, Arc<Schema>)> {
    let invalid = |error: BoxError| Fault::Invalid("a collection", error);
    let mut head: Map<String, Value> =
        serde_json::from_slice(body).map_err(|error| invalid(error.into()))?;
    let Some(Value::String(name)) = head.remove("name") else {
        return Err(Fault::Damaged("a collection has no name"));
    };
    let definition = head.remove("definition").unwrap_or_default();
    let definition: RecordDefinition =
        serde_json::from_value(definition).map_err(|error| invalid(error.into()))?;
    check_definition(&name, &definition).map_err(|error| invalid(error.into()))?;
    Ok((name, Arc::new(Schema::new(Arc::new(definition)))))
}
