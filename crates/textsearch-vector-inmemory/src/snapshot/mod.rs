//! Saves the store in one file and opens it. `SNAPSHOT.md` of this crate describes the format.

mod budget;
mod bytes;
mod fault;
mod file;
#[cfg(feature = "hnsw")]
mod graphs;
mod load;
mod read;
mod section;
mod write;

use std::{fs::File, path::Path};

use textsearch_core::{Error, ErrorKind, Result};

use self::fault::Fault;
pub(crate) use self::{
    budget::Budget,
    bytes::Bytes,
    file::sync_folder,
    load::{Memory, batches},
    section::{RECORDS, SECTION_HEADER, section_header},
    write::records_body,
};
use crate::{InMemoryVectorStore, error::CONNECTOR, threads::Threads};

impl InMemoryVectorStore {
    /// Writes all collections to the file at `path`, replacing an existing file.
    ///
    /// The file is written under a temporary name, flushed to disk and renamed. After a crash,
    /// either the old or the new file is there, never a partial one. A killed process may leave a
    /// file `<file>.textsearch-<number>-<number>.tmp`; delete it.
    ///
    /// Each collection is saved as it is at one moment; searches and changes continue meanwhile.
    /// The call blocks on the file: in an async program, use a blocking task.
    ///
    /// An approximate index that cannot be updated, because the system refuses to start threads, is
    /// left out. [`open_file`](Self::open_file) rebuilds it.
    ///
    /// # Errors
    ///
    /// Returns [`Backend`](ErrorKind::Backend) if the file cannot be written, or if `path` is not a
    /// regular file. An existing file is then unchanged.
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

    /// Opens the store that was saved to the file at `path`.
    ///
    /// An approximate index that is missing or does not fit its records is rebuilt. If the system
    /// refuses to start threads for that, searches are exact until a later change builds it.
    ///
    /// A forged file of a few megabytes can request gigabytes. So the memory of vectors, filterable
    /// fields, texts and graphs is counted before it is allocated.
    ///
    /// The call blocks on the file: in an async program, use a blocking task.
    ///
    /// # Errors
    ///
    /// - [`Backend`](ErrorKind::Backend) if the file cannot be read.
    /// - [`Undecodable`](ErrorKind::Undecodable) if it is not a complete, undamaged snapshot of a
    ///   supported version, or if it would take more memory than 256 MiB plus 16 times its size.
    ///   The message says which.
    pub fn open_file(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        read::store(path, Threads::default()).map_err(|fault| fault.into_error(path))
    }

    /// Returns whether the file at `path` is empty or starts like a snapshot of this store, for
    /// programs that are about to replace it. Doesn't check the version or the rest of the file.
    ///
    /// # Errors
    ///
    /// Returns [`Backend`](ErrorKind::Backend) if the file cannot be read.
    pub fn is_snapshot(path: impl AsRef<Path>) -> Result<bool> {
        let path = path.as_ref();
        let begins = File::open(path).and_then(|file| section::begins_a_snapshot(&file));
        begins.map_err(|error| Fault::Unreadable(error).into_error(path))
    }
}
