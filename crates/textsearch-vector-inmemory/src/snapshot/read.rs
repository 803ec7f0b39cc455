//! From bytes to a store, without trust in any of them.

use std::{
    collections::{BTreeMap, btree_map::Entry},
    fs::File,
    io::{self, BufReader, Read},
    path::Path,
    sync::Arc,
};

use serde_json::{Map, Value};
use textsearch_core::{
    BoxError, Error, ErrorKind,
    vector::{RecordDefinition, StoredRecord, VectorField},
};

use super::section::{COLLECTION, END, HEADER, MAGIC, RECORDS, SECTION_HEADER, VERSION};
use crate::{
    InMemoryVectorStore,
    cell::Cell,
    error::CONNECTOR,
    prepare::prepare,
    schema::{Schema, check_definition},
    state::{Outdated, State},
};

/// Why a file could not be opened.
pub(super) enum Fault {
    Unreadable(io::Error),
    Foreign,
    Version(u32),
    Truncated,
    Damaged(&'static str),
    /// The bytes are as they were written, but make no sense.
    Senseless(&'static str, BoxError),
}

type Result<T> = std::result::Result<T, Fault>;

impl Fault {
    /// The error for the file at `path`.
    pub(super) fn into_error(self, path: &Path) -> Error {
        let what = match &self {
            Self::Unreadable(error) => format!("cannot be read: {error}"),
            Self::Foreign => {
                "is not a snapshot of this store: its first bytes are others".to_owned()
            }
            Self::Version(found) => {
                format!("is of version {found} of the format: this program reads version {VERSION}")
            }
            Self::Truncated => "is truncated: it ends before its end section".to_owned(),
            Self::Damaged(what) => format!("is damaged: {what}"),
            Self::Senseless(what, error) => format!("is damaged: {what}: {error}"),
        };
        let message = format!("the snapshot `{}` {what}", path.display());
        match self {
            Self::Unreadable(error) => {
                Error::new(ErrorKind::BackEnd, CONNECTOR, message).with_source(error)
            }
            Self::Senseless(_, error) => {
                Error::new(ErrorKind::Undecodable, CONNECTOR, message).with_source(error)
            }
            _ => Error::new(ErrorKind::Undecodable, CONNECTOR, message),
        }
    }
}

/// Reads the store in the file at `path`.
pub(super) fn store(path: &Path) -> Result<InMemoryVectorStore> {
    let file = File::open(path).map_err(Fault::Unreadable)?;
    let mut input = BufReader::with_capacity(1 << 20, file);
    check_header(&mut input)?;
    let mut collections: BTreeMap<String, State> = BTreeMap::new();
    let mut current = None;
    loop {
        let (kind, body) = section(&mut input)?;
        match kind {
            COLLECTION => {
                let (name, state) = collection(&body)?;
                current = Some(name.clone());
                match collections.entry(name) {
                    Entry::Vacant(place) => drop(place.insert(state)),
                    Entry::Occupied(_) => {
                        return Err(Fault::Damaged("a collection is in it twice"));
                    }
                }
            }
            RECORDS => {
                let state = current.as_ref().and_then(|name| collections.get_mut(name));
                add_records(
                    state.ok_or(Fault::Damaged("records belong to no collection"))?,
                    &body,
                )?;
            }
            END => break,
            _ => return Err(Fault::Damaged("a section is of an unknown kind")),
        }
    }
    if !up_to(&mut input, 1)?.is_empty() {
        return Err(Fault::Damaged("something comes after its end"));
    }
    let cells = collections.into_iter().map(|(name, state)| (name, Arc::new(Cell::new(state))));
    Ok(InMemoryVectorStore::from_collections(cells.collect()))
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

fn section(input: &mut impl Read) -> Result<(u32, Vec<u8>)> {
    let header = up_to(input, SECTION_HEADER as u64)?;
    let mut fields = Bytes(unsealed(&header, SECTION_HEADER, "the header of a section")?);
    let (kind, length, checksum) = (fields.u32()?, fields.u64()?, fields.u32()?);
    let body = up_to(input, length)?;
    if body.len() as u64 != length {
        return Err(Fault::Truncated);
    }
    if crc32fast::hash(&body) != checksum {
        return Err(Fault::Damaged("the checksum of a section does not fit its bytes"));
    }
    Ok((kind, body))
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

fn add_records(state: &mut State, body: &[u8]) -> Result<()> {
    let senseless = |error: Error| Fault::Senseless("a record", error.into());
    let schema = Arc::clone(state.schema());
    let records = records(&mut Bytes(body), schema.definition())?;
    let expected = state.len() + records.len();
    state.check_room(records.len()).map_err(senseless)?;
    let prepared = prepare(&records, &schema).map_err(senseless)?;
    state.store(&prepared, &Outdated::default());
    if state.len() == expected { Ok(()) } else { Err(Fault::Damaged("a key is in it twice")) }
}

fn records(body: &mut Bytes<'_>, definition: &RecordDefinition) -> Result<Vec<StoredRecord>> {
    let count = body.u64()?;
    let mut records = Vec::new();
    for _ in 0..count {
        let length = body.u64()?;
        let data =
            serde_json::from_slice(body.take(usize::try_from(length).unwrap_or(usize::MAX))?);
        let data = data.map_err(|error| Fault::Senseless("a record", error.into()))?;
        let record = StoredRecord::new(data, definition);
        records.push(record.map_err(|error| Fault::Senseless("a record", error.into()))?);
    }
    for field in &definition.vectors {
        add_vectors(&mut records, field, body)?;
    }
    if body.0.is_empty() {
        Ok(records)
    } else {
        Err(Fault::Damaged("records end before their section"))
    }
}

fn add_vectors(
    records: &mut [StoredRecord],
    field: &VectorField,
    body: &mut Bytes<'_>,
) -> Result<()> {
    let marks = body.take(records.len())?;
    let size = field.dimensions.saturating_mul(4);
    for (record, mark) in records.iter_mut().zip(marks) {
        match mark {
            0 => {}
            1 => {
                let (elements, _) = body.take(size)?.as_chunks::<4>();
                let elements = elements.iter().map(|bytes| f32::from_le_bytes(*bytes));
                record.vectors.insert(field.name.clone(), elements.collect());
            }
            _ => return Err(Fault::Damaged("the mark of a vector is neither 0 nor 1")),
        }
    }
    Ok(())
}

/// What is left of a part of the file.
struct Bytes<'a>(&'a [u8]);

impl<'a> Bytes<'a> {
    fn take(&mut self, length: usize) -> Result<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(length).ok_or(TOO_SHORT)?;
        self.0 = rest;
        Ok(taken)
    }

    fn u32(&mut self) -> Result<u32> {
        let bytes = self.take(4)?.first_chunk().ok_or(TOO_SHORT)?;
        Ok(u32::from_le_bytes(*bytes))
    }

    fn u64(&mut self) -> Result<u64> {
        let bytes = self.take(8)?.first_chunk().ok_or(TOO_SHORT)?;
        Ok(u64::from_le_bytes(*bytes))
    }
}

const TOO_SHORT: Fault = Fault::Damaged("a section is shorter than what it says to hold");
