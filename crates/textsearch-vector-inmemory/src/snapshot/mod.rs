//! The whole store in one file, whose format is in `SNAPSHOT.md`.

mod abandoned;
mod assembly;
mod budget;
mod fault;
mod file;
#[cfg(feature = "hnsw")]
mod graphs;
mod load;
mod partial_read;
mod read;
mod section;
mod write;

use std::{fs::File, path::Path};

use textsearch_core::{Error, ErrorKind, Result};

#[cfg(test)]
#[cfg(feature = "hnsw")]
mod tests;

use self::fault::Fault;
use crate::{InMemoryVectorStore, error::CONNECTOR, threads::Threads};

impl InMemoryVectorStore {
    /// Writes all collections into the file at `path`, in place of what is there.
    ///
    /// The file is written beside its place under another name, flushed to the disk and then renamed: after a crash
    /// there is the old file or the new one, and never a part. What a process that was killed left under such a name,
    /// `<file>.textsearch-<number>-<number>.tmp`, is removed by the next call for the same file, if it begins as a
    /// snapshot does. Each collection is written as it is at one moment; searches and changes go on meanwhile. The call
    /// blocks on the file: in an async program, run it where blocking is welcome.
    ///
    /// # Errors
    ///
    /// [`Backend`](ErrorKind::Backend) where the file cannot be written, or what is at `path` is no file; what was at `path`
    /// is still there then. An approximate index that cannot be brought up to date, since the system refuses the threads,
    /// is left out of the file, and built again by [`open_file`](Self::open_file).
    ///
    /// ```
    /// use textsearch_vector_inmemory::InMemoryVectorStore;
    ///
    /// # let folder = std::env::temp_dir().join(format!("textsearch-doc-{}", std::process::id()));
    /// # std::fs::create_dir_all(&folder)?;
    /// let path = folder.join("notes.tsvs");
    /// InMemoryVectorStore::new().save_to_file(&path)?;
    /// let store = InMemoryVectorStore::open_file(&path)?;
    /// # std::fs::remove_dir_all(&folder)?;
    /// # drop(store);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn save_to_file(&self, path: impl AsRef<Path>) -> Result<()> {
        let path = path.as_ref();
        file::replace(path, |output| write::store(self, output)).map_err(|error| {
            let message = format!("the snapshot `{}` cannot be written: {error}", path.display());
            Error::new(ErrorKind::Backend, CONNECTOR, message).with_source(error)
        })
    }

    /// The store that was written into the file at `path`. Approximate indexes are part of it; one that does not fit its
    /// records is built again; where that fails, since the system refuses the threads, searches are exact until a later
    /// change of the collection builds it.
    ///
    /// The call blocks on the file: in an async program, run it where blocking is welcome.
    ///
    /// # Errors
    ///
    /// [`Backend`](ErrorKind::Backend) where the file cannot be read, and [`Undecodable`](ErrorKind::Undecodable) where it
    /// is not a whole and undamaged snapshot of a version that this one reads, or would take more memory than 256 MiB and
    /// 16 times its own size; the message says which.
    pub fn open_file(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        read::store(path, None, Threads::default()).map_err(|fault| fault.into_error(path))
    }

    /// Like [`open_file`](Self::open_file), for a file that may take `memory` bytes of memory.
    ///
    /// A forged file of a few megabytes can ask for gigabytes. The memory is counted before it is taken, from vectors,
    /// filterable fields, texts and graphs.
    ///
    /// # Errors
    ///
    /// Those of [`open_file`](Self::open_file), with `memory` in place of its limit.
    pub fn open_file_within(path: impl AsRef<Path>, memory: u64) -> Result<Self> {
        let path = path.as_ref();
        read::store(path, Some(memory), Threads::default()).map_err(|fault| fault.into_error(path))
    }

    /// Whether the file at `path` is a snapshot of this store by its first bytes, of whatever version, and perhaps
    /// damaged; so is an empty file. A program that is to replace a store can ask before it replaces something else.
    ///
    /// # Errors
    ///
    /// [`Backend`](ErrorKind::Backend) where the file cannot be read.
    pub fn is_snapshot(path: impl AsRef<Path>) -> Result<bool> {
        let path = path.as_ref();
        let begins = File::open(path).and_then(|file| abandoned::begins_a_snapshot(&file));
        begins.map_err(|error| Fault::Unreadable(error).into_error(path))
    }
}
