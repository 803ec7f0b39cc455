//! Writes a store as bytes.

use std::io::{self, Write};

use serde_json::json;

#[cfg(feature = "hnsw")]
use super::section::GRAPH;
use super::section::{COLLECTION, END, RECORDS, header, section_header};
#[cfg(feature = "hnsw")]
use crate::threads::Threads;
use crate::{
    InMemoryVectorStore,
    rows::{Payload, Row},
    schema::Schema,
    state::State,
};

pub(super) fn store(store: &InMemoryVectorStore, output: &mut impl Write) -> io::Result<()> {
    output.write_all(&header())?;
    for (name, cell) in store.all() {
        let state = cell.snapshot();
        collection(&name, &state, output)?;
        #[cfg(feature = "hnsw")]
        graphs(&state, store.threads(), output)?;
    }
    section(END, &[], output)
}

fn collection(name: &str, state: &State, output: &mut impl Write) -> io::Result<()> {
    let definition = &**state.schema().definition();
    let head = serde_json::to_vec(&json!({ "name": name, "definition": definition }))?;
    section(COLLECTION, &head, output)?;
    let chunks = state.rows_by_chunk().filter(|rows| !rows.is_empty());
    for rows in chunks {
        section(RECORDS, &records(state, &rows), output)?;
    }
    Ok(())
}

#[cfg(feature = "hnsw")]
fn graphs(state: &State, threads: &Threads, output: &mut impl Write) -> io::Result<()> {
    for body in super::graphs::bodies(state, threads) {
        section(GRAPH, &body, output)?;
    }
    Ok(())
}

fn section(kind: u32, body: &[u8], output: &mut impl Write) -> io::Result<()> {
    output.write_all(&section_header(kind, body))?;
    output.write_all(body)
}

fn records(state: &State, rows: &[Row]) -> Vec<u8> {
    let payloads = rows.iter().filter_map(|row| state.memory_payload(*row));
    let payloads: Vec<&Payload> = payloads.map(|payload| &**payload).collect();
    records_body(&payloads, state.schema(), |place, record| {
        state.memory_vector(place, *rows.get(record)?)
    })
}

/// `vector` receives the places of a field and of a record.
pub(crate) fn records_body<'a>(
    payloads: &[&Payload],
    schema: &Schema,
    vector: impl Fn(usize, usize) -> Option<&'a [f32]>,
) -> Vec<u8> {
    let mut body = (payloads.len() as u64).to_le_bytes().to_vec();
    for payload in payloads {
        let json = payload.json();
        body.extend_from_slice(&(json.len() as u64).to_le_bytes());
        body.extend_from_slice(json.as_bytes());
    }
    for (place, _) in schema.definition().vectors.iter().enumerate() {
        let vectors = || (0..payloads.len()).map(|record| vector(place, record));
        body.extend(vectors().map(|vector| u8::from(vector.is_some())));
        for elements in vectors().flatten() {
            let end = body.len();
            body.resize(end + 4 * elements.len(), 0);
            let (places, _) = body.split_at_mut(end).1.as_chunks_mut::<4>();
            for (place, element) in places.iter_mut().zip(elements) {
                *place = element.to_le_bytes();
            }
        }
    }
    body
}
