//! Reads a store from untrusted bytes.

use std::{
    fs::File,
    io::{self, Read},
    path::Path,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use serde_json::{Map, Value};
use textsearch_core::{BoxError, vector::RecordDefinition};

#[cfg(feature = "hnsw")]
use super::section::GRAPH;
use super::{
    assembly::{Assembly, Part},
    budget::Budget,
    bytes::Bytes,
    fault::{Fault, Result},
    load::{self, Memory},
    section::{COLLECTION, END, HEADER, MAGIC, RECORDS, SECTION_HEADER, VERSION},
};
use crate::{
    InMemoryVectorStore,
    schema::{Schema, check_definition},
    threads::Threads,
};

/// Smaller files are loaded by one thread, since starting threads takes time.
const FEW: u64 = 1 << 21;

/// Each thread reads a section and prepares its records while others read on. Sections are added in
/// file order.
pub(super) fn store(path: &Path, threads: Threads) -> Result<InMemoryVectorStore> {
    let file = File::open(path).map_err(Fault::Unreadable)?;
    let length = file.metadata().map_err(Fault::Unreadable)?.len();
    let budget = Budget::of_file(length);
    let input = Mutex::new(Input::begin(file)?);
    let assembly = Mutex::new(Assembly::new(&budget));
    let shared = threads.share(length > FEW, usize::MAX, |turns| {
        let mut body = Vec::new();
        let mut memory = Memory::default();
        let mut load_next = || {
            let (number, section) = lock(&input).next(&mut body)?;
            let part = section.and_then(|section| section.load(&body, &mut memory, &budget));
            lock(&assembly).add(number, part).then_some(())
        };
        turns.map_while(|_| load_next()).for_each(drop);
    });
    shared.map_err(|error| Fault::Unreadable(io::Error::other(error)))?;
    assembly.into_inner().unwrap_or_else(PoisonError::into_inner).finish(threads)
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

struct Input {
    file: File,
    /// The schema of the collection that started last.
    schema: Option<Arc<Schema>>,
    sections: usize,
    is_over: bool,
}

impl Input {
    fn begin(mut file: File) -> Result<Self> {
        check_header(&mut file)?;
        Ok(Self { file, schema: None, sections: 0, is_over: false })
    }

    /// Reads the next section, with its body into `body`, and returns its number. Returns `None`
    /// after the last section or an error.
    fn next(&mut self, body: &mut Vec<u8>) -> Option<(usize, Result<Section>)> {
        if self.is_over {
            return None;
        }
        let section = self.read(body);
        self.is_over = matches!(section, Ok(Section::End) | Err(_));
        self.sections += 1;
        Some((self.sections - 1, section))
    }

    fn read(&mut self, body: &mut Vec<u8>) -> Result<Section> {
        let header = up_to(&mut self.file, SECTION_HEADER as u64)?;
        let mut fields = Bytes(unsealed(&header, SECTION_HEADER, "the header of a section")?);
        let kind = fields.u32()?;
        let length = fields.u64()?;
        let checksum = fields.u32()?;
        body.clear();
        (&self.file).take(length).read_to_end(body).map_err(Fault::Unreadable)?;
        if body.len() as u64 != length {
            return Err(Fault::Truncated);
        }
        match (kind, &self.schema) {
            (COLLECTION, _) => {
                let (name, schema) = collection(checked(body, checksum)?)?;
                self.schema = Some(Arc::clone(&schema));
                Ok(Section::Collection(name, schema))
            }
            (RECORDS, Some(schema)) => {
                Ok(Section::Records { schema: Arc::clone(schema), checksum })
            }
            (RECORDS, None) => Err(Fault::Damaged("records belong to no collection")),
            #[cfg(feature = "hnsw")]
            (GRAPH, Some(_)) => Ok(Section::Graph { checksum }),
            #[cfg(feature = "hnsw")]
            (GRAPH, None) => Err(Fault::Damaged("a graph belongs to no collection")),
            (END, _) => {
                checked(body, checksum)?;
                self.check_end()?;
                Ok(Section::End)
            }
            _ => Err(Fault::Damaged("a section is of an unknown kind")),
        }
    }

    fn check_end(&mut self) -> Result<()> {
        if up_to(&mut self.file, 1)?.is_empty() {
            Ok(())
        } else {
            Err(Fault::Damaged("data follows its end section"))
        }
    }
}

enum Section {
    Collection(String, Arc<Schema>),
    /// The checksum was not checked yet.
    Records {
        schema: Arc<Schema>,
        checksum: u32,
    },
    /// The checksum was not checked yet.
    #[cfg(feature = "hnsw")]
    Graph {
        checksum: u32,
    },
    End,
}

impl Section {
    fn load(self, body: &[u8], memory: &mut Memory, budget: &Budget) -> Result<Part> {
        match self {
            Self::Collection(name, schema) => {
                budget.take_collection(body.len())?;
                Ok(Part::Collection(name, schema))
            }
            Self::Records { schema, checksum } => {
                Ok(Part::Records(load::records(checked(body, checksum)?, &schema, memory, budget)?))
            }
            #[cfg(feature = "hnsw")]
            Self::Graph { checksum } => Ok(Part::Graph(checked(body, checksum)?.to_vec())),
            Self::End => Ok(Part::End),
        }
    }
}

fn checked(body: &[u8], checksum: u32) -> Result<&[u8]> {
    if crc32fast::hash(body) == checksum {
        Ok(body)
    } else {
        Err(Fault::Damaged("the checksum of a section does not match"))
    }
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
