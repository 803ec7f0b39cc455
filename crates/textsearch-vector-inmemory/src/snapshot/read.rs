//! From bytes to a store, without trust in any of them.

use std::{
    collections::{BTreeMap, btree_map::Entry},
    fs::File,
    io::{BufReader, Read},
    path::Path,
    sync::Arc,
};

use serde_json::{Map, Value};
use textsearch_core::{BoxError, Error, vector::RecordDefinition};

use super::{
    fault::{Fault, Result},
    load::{self, Bytes},
    section::{COLLECTION, END, HEADER, MAGIC, RECORDS, SECTION_HEADER, VERSION},
};
use crate::{
    InMemoryVectorStore,
    cell::Cell,
    schema::{Schema, check_definition},
    state::{Loaded, State},
    threads::Threads,
};

/// How many sections are loaded side by side.
const AT_ONCE: usize = 16;

/// How many bytes of sections are loaded without the help of other threads, since starting those takes its time.
const FEW: usize = 1 << 21;

/// Reads the store in the file at `path`.
pub(super) fn store(path: &Path) -> Result<InMemoryVectorStore> {
    let file = File::open(path).map_err(Fault::Unreadable)?;
    let mut input = BufReader::with_capacity(1 << 20, file);
    check_header(&mut input)?;
    let mut reader = Reader::default();
    loop {
        let section = Section::read(&mut input, reader.buffers.pop().unwrap_or_default())?;
        match section.kind {
            COLLECTION => reader.begin(section.body()?)?,
            RECORDS => reader.add(section)?,
            #[cfg(feature = "hnsw")]
            super::section::GRAPH => reader.add_graph(section.body()?)?,
            END => {
                section.body()?;
                break;
            }
            _ => return Err(Fault::Damaged("a section is of an unknown kind")),
        }
    }
    if !up_to(&mut input, 1)?.is_empty() {
        return Err(Fault::Damaged("something comes after its end"));
    }
    reader.finish()
}

/// What was read so far.
#[derive(Default)]
struct Reader {
    collections: BTreeMap<String, State>,
    /// The collection that began last.
    current: Option<(String, State)>,
    /// Sections of its records that are not loaded yet.
    pending: Vec<Section>,
    /// The memory of sections that were loaded, to be used again.
    buffers: Vec<Vec<u8>>,
    threads: Threads,
}

impl Reader {
    fn begin(&mut self, body: &[u8]) -> Result<()> {
        self.end_collection()?;
        self.current = Some(collection(body)?);
        Ok(())
    }

    fn add(&mut self, section: Section) -> Result<()> {
        if self.current.is_none() {
            return Err(Fault::Damaged("records belong to no collection"));
        }
        self.pending.push(section);
        if self.pending.len() < AT_ONCE { Ok(()) } else { self.load_pending() }
    }

    #[cfg(feature = "hnsw")]
    fn add_graph(&mut self, body: &[u8]) -> Result<()> {
        self.load_pending()?;
        let (_, state) =
            self.current.as_mut().ok_or(Fault::Damaged("a graph belongs to no collection"))?;
        super::graphs::read(body, state)
    }

    fn finish(mut self) -> Result<InMemoryVectorStore> {
        self.end_collection()?;
        let cells = self.collections.into_iter();
        let cells = cells.map(|(name, state)| (name, Arc::new(Cell::new(state))));
        let cells: BTreeMap<_, _> = cells.collect();
        #[cfg(feature = "hnsw")]
        for cell in cells.values() {
            let failed = |error: Error| Fault::Senseless("a graph", error.into());
            crate::hnsw::catch_up_here(cell, &self.threads).map_err(failed)?;
        }
        Ok(InMemoryVectorStore::from_collections(cells, self.threads))
    }

    fn end_collection(&mut self) -> Result<()> {
        self.load_pending()?;
        let Some((name, state)) = self.current.take() else { return Ok(()) };
        match self.collections.entry(name) {
            Entry::Vacant(place) => drop(place.insert(state)),
            Entry::Occupied(_) => return Err(Fault::Damaged("a collection is in it twice")),
        }
        Ok(())
    }

    fn load_pending(&mut self) -> Result<()> {
        let Some((_, state)) = &mut self.current else { return Ok(()) };
        let (sections, schema) = (&self.pending, state.schema());
        let load = |number: usize| -> Result<Vec<Loaded>> {
            sections.get(number).map_or(Ok(Vec::new()), |one| load::records(one.body()?, schema))
        };
        let bytes: usize = sections.iter().map(|section| section.body.len()).sum();
        let mut loaded = self.threads.share(bytes > FEW, sections.len(), |numbers| {
            numbers.map(|number| (number, load(number))).collect::<Vec<_>>()
        });
        let mut loaded: Vec<_> = loaded.drain(..).flatten().collect();
        loaded.sort_unstable_by_key(|(number, _)| *number);
        for (_, chunks) in loaded {
            for chunk in chunks? {
                append(state, chunk)?;
            }
        }
        self.buffers.extend(self.pending.drain(..).map(|section| section.body));
        Ok(())
    }
}

fn append(state: &mut State, chunk: Loaded) -> Result<()> {
    let senseless = |error: Error| Fault::Senseless("a record", error.into());
    state.check_room(chunk.len()).map_err(senseless)?;
    if state.append(chunk) { Ok(()) } else { Err(Fault::Damaged("a key is in it twice")) }
}

fn check_header(input: &mut impl Read) -> Result<()> {
    let header = up_to(input, HEADER as u64)?;
    if !header.iter().zip(&MAGIC).all(|(found, expected)| found == expected) {
        return Err(Fault::Foreign);
    }
    let mut fields = Bytes(unsealed(&header, HEADER, "its header")?);
    fields.take(MAGIC.len())?;
    match fields.u32()? {
        VERSION => Ok(()),
        found => Err(Fault::Version(found)),
    }
}

/// A section whose body was not compared with its checksum yet.
struct Section {
    kind: u32,
    body: Vec<u8>,
    checksum: u32,
}

impl Section {
    /// Reads a section into the memory of `buffer`.
    fn read(input: &mut impl Read, mut buffer: Vec<u8>) -> Result<Self> {
        let header = up_to(input, SECTION_HEADER as u64)?;
        let mut fields = Bytes(unsealed(&header, SECTION_HEADER, "the header of a section")?);
        let (kind, length, checksum) = (fields.u32()?, fields.u64()?, fields.u32()?);
        buffer.clear();
        input.take(length).read_to_end(&mut buffer).map_err(Fault::Unreadable)?;
        if buffer.len() as u64 != length {
            return Err(Fault::Truncated);
        }
        Ok(Self { kind, body: buffer, checksum })
    }

    fn body(&self) -> Result<&[u8]> {
        if crc32fast::hash(&self.body) == self.checksum {
            Ok(&self.body)
        } else {
            Err(Fault::Damaged("the checksum of a section does not fit its bytes"))
        }
    }
}

/// At most `length` bytes. Memory grows with what is there, and not with what the file says.
fn up_to(input: &mut impl Read, length: u64) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    input.take(length).read_to_end(&mut bytes).map_err(Fault::Unreadable)?;
    Ok(bytes)
}

/// The bytes of a header of `length` without the checksum at their end, which was compared.
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

fn collection(body: &[u8]) -> Result<(String, State)> {
    let senseless = |error: BoxError| Fault::Senseless("a collection", error);
    let mut head: Map<String, Value> =
        serde_json::from_slice(body).map_err(|error| senseless(error.into()))?;
    let Some(Value::String(name)) = head.remove("name") else {
        return Err(Fault::Damaged("a collection has no name"));
    };
    let definition = head.remove("definition").unwrap_or_default();
    let definition: RecordDefinition =
        serde_json::from_value(definition).map_err(|error| senseless(error.into()))?;
    check_definition(&name, &definition).map_err(|error| senseless(error.into()))?;
    Ok((name, State::new(Arc::new(Schema::new(Arc::new(definition))))))
}
