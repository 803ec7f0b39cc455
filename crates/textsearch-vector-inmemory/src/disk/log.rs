//! The changes since the last segment, each flushed to disk before it is acknowledged.

use std::{
    fs::{File, OpenOptions},
    io::{self, Seek as _, SeekFrom, Write as _},
    path::{Path, PathBuf},
    sync::Arc,
};

use textsearch_core::{Error, ErrorKind, Result, vector::RecordKey};

use super::file::{DataFile, is_sound, open_regular, unreadable, unwritable};
use crate::{
    error::{CONNECTOR, invalid_options},
    rows::Payload,
    schema::Schema,
    snapshot::{
        Budget, Bytes, Memory, RECORDS, SECTION_HEADER, batches, records_body, section_header,
    },
    state::{Batch, State},
};

/// The kind of an entry with removed keys, as JSON.
const REMOVED: u32 = 16;

/// Ends each entry. A file system that grew the file before it wrote the entry leaves a zero here.
const END: u8 = 1;

/// Bytes that a file system writes at once.
const PAGE: u64 = 4096;

/// The body of an entry.
pub(crate) struct Entry {
    kind: u32,
    body: Vec<u8>,
}

impl Entry {
    /// # Errors
    ///
    /// Returns an error if the batch would take more memory than a reader allows.
    pub(crate) fn stored(batch: &Batch<'_>, schema: &Schema) -> Result<Self> {
        let payloads: Vec<&Payload> = batch.records.iter().map(|record| &*record.payload).collect();
        let body = records_body(&payloads, schema, |place, record| {
            let vector = batch.records.get(record)?.vectors.get(place)?.as_ref()?;
            Some(&*vector.elements)
        });
        let marks = (0..schema.definition().vectors.len()).map(|place| {
            let vectors = batch.records.iter().map(|record| record.vectors.get(place));
            vectors.map(|vector| u8::from(vector.is_some_and(Option::is_some))).collect()
        });
        let marks: Vec<Vec<u8>> = marks.collect();
        let marks: Vec<&[u8]> = marks.iter().map(Vec::as_slice).collect();
        let length = body.len();
        Budget::of_file(length as u64)
            .take_records(schema, batch.records.len(), &marks, length)
            .map_err(|_| {
                let allowed = "fewer at once, because few of them have vectors";
                invalid_options("records", batch.records.len(), allowed)
            })?;
        Ok(Self { kind: RECORDS, body })
    }

    pub(crate) fn removed(keys: &[RecordKey]) -> Result<Self> {
        let body = serde_json::to_vec(keys).map_err(|error| {
            let message = format!("the keys of records cannot be written: {error}");
            Error::new(ErrorKind::Backend, CONNECTOR, message)
        })?;
        Ok(Self { kind: REMOVED, body })
    }

    /// Changes `state` as the entry says.
    fn apply(&self, state: &mut State, file: &Arc<DataFile>, at: u64) -> Result<()> {
        if self.kind == REMOVED {
            let keys: Vec<RecordKey> = serde_json::from_slice(&self.body)
                .map_err(|error| file.damaged(at, &error.to_string()))?;
            return state.remove_keys(&keys);
        }
        let schema = Arc::clone(state.schema());
        let budget = Budget::of_file(self.body.len() as u64);
        let mut memory = Memory::default();
        let batches = batches(&self.body, &schema, &mut memory, &budget);
        let batches = batches
            .map_err(|fault| file.damaged(at, &fault.into_error_of("an entry").to_string()))?;
        batches.into_iter().try_for_each(|batch| state.replace(&batch.last_of_each_key()))
    }
}

/// A log that grows.
#[derive(Debug)]
pub(super) struct Log {
    file: File,
    path: PathBuf,
    /// Where the next entry starts.
    end: u64,
}

impl Log {
    pub(super) fn create(path: &Path) -> Result<Self> {
        let create = || {
            let file = File::create_new(path)?;
            file.sync_all()?;
            Ok(file)
        };
        let file = create().map_err(|error| unwritable(path, error))?;
        Ok(Self { file, path: path.to_owned(), end: 0 })
    }

    /// Applies all entries of the file to `state`. An incomplete last entry, which was never
    /// acknowledged, is left out; a writer removes it.
    pub(super) fn open(path: &Path, state: &mut State, is_writer: bool) -> Result<Self> {
        let mut file = open_regular(path)?;
        if is_writer {
            file = OpenOptions::new()
                .write(true)
                .open(path)
                .map_err(|error| unwritable(path, error))?;
        }
        let mut log = Self { file, path: path.to_owned(), end: 0 };
        log.follow(state)?;
        if is_writer {
            let cut = log.file.set_len(log.end).and_then(|()| log.file.sync_all());
            cut.map_err(|error| unwritable(path, error))?;
        }
        Ok(log)
    }

    /// Returns whether the file has another length than when it was read.
    pub(super) fn has_changed(&self) -> Result<bool> {
        let metadata = self.file.metadata().map_err(|error| unreadable(&self.path, error))?;
        Ok(metadata.len() != self.end)
    }

    /// Applies the entries that were added since. The file must not have become shorter.
    pub(super) fn follow(&mut self, state: &mut State) -> Result<()> {
        let file = Arc::new(DataFile::open(&self.path)?);
        let mut end = self.end;
        while let Some((entry, length)) = next(&file, end)? {
            entry.apply(state, &file, end)?;
            end += length;
        }
        self.end = end;
        Ok(())
    }

    pub(super) fn is_shorter(&self) -> bool {
        self.file.metadata().is_ok_and(|metadata| metadata.len() < self.end)
    }

    pub(super) fn length(&self) -> u64 {
        self.end
    }

    /// Appends an entry and flushes it to disk. After an error the log ends where it ended before.
    ///
    /// # Errors
    ///
    /// Returns the error, and whether the log could be restored.
    pub(super) fn append(&mut self, entry: &Entry) -> std::result::Result<(), (Error, bool)> {
        let body = [entry.body.as_slice(), &[END]].concat();
        let header = section_header(entry.kind, &body);
        let length = (header.len() + body.len()) as u64;
        let write = |mut file: &File| -> io::Result<()> {
            file.seek(SeekFrom::Start(self.end))?;
            file.write_all(&header)?;
            file.write_all(&body)?;
            file.sync_data()
        };
        if let Err(error) = write(&self.file) {
            let restored = self.file.set_len(self.end).and_then(|()| self.file.sync_all());
            return Err((unwritable(&self.path, error), restored.is_ok()));
        }
        self.end += length;
        Ok(())
    }
}

/// Returns the entry at `at` and its length in the file, or `None` if it is incomplete.
fn next(file: &DataFile, at: u64) -> Result<Option<(Entry, u64)>> {
    let left = file.length().saturating_sub(at);
    if left < SECTION_HEADER as u64 {
        return Ok(None);
    }
    let header = file.bytes(at, SECTION_HEADER as u64)?;
    let (fields, checksum) = header.split_at(SECTION_HEADER - 4);
    let is_whole = is_sound(fields, checksum);
    let mut fields = Bytes(fields);
    let numbers = (fields.u32().ok(), fields.u64().ok(), fields.u32().ok());
    let (Some(kind), Some(length), Some(checksum)) = numbers else { return Ok(None) };
    if !is_whole {
        let is_torn = is_lost(&file.bytes(at, left)?);
        return torn_or(is_torn, || file.damaged(at, "the header of an entry"));
    }
    if length > left - SECTION_HEADER as u64 {
        return Ok(None);
    }
    let mut body = file.bytes(at + SECTION_HEADER as u64, length)?;
    if !is_sound(&body, &checksum.to_le_bytes()) || body.pop() != Some(END) {
        // What follows was written after it was acknowledged.
        let is_last = length == left - SECTION_HEADER as u64;
        let is_torn = is_last
            && pages(&file.bytes(at, left)?, at).any(|page| page.len() >= 8 && is_lost(page));
        return torn_or(is_torn, || file.damaged(at, "the checksum of an entry does not match"));
    }
    if kind != RECORDS && kind != REMOVED {
        return Err(file.damaged(at, "an entry is of an unknown kind"));
    }
    Ok(Some((Entry { kind, body }, SECTION_HEADER as u64 + length)))
}

/// After a power failure, pages of an entry that was being written may be zeros.
fn torn_or<T>(is_torn: bool, error: impl FnOnce() -> Error) -> Result<Option<T>> {
    if is_torn { Ok(None) } else { Err(error()) }
}

fn is_lost(page: &[u8]) -> bool {
    page.iter().all(|byte| *byte == 0)
}

/// The bytes from `at` on, cut where pages of the file start.
fn pages(bytes: &[u8], at: u64) -> impl Iterator<Item = &[u8]> {
    let (first, others) = bytes.split_at(bytes.len().min((PAGE - at % PAGE) as usize));
    std::iter::once(first).chain(others.chunks(PAGE as usize))
}

/// Removes a file that no manifest names. It may be gone already, and may stay.
pub(super) fn remove(path: &Path) {
    let _ignored = std::fs::remove_file(path);
}
