//! The folder of a store.

use std::{
    fs::{self, File, OpenOptions, TryLockError},
    io,
    path::{Path, PathBuf},
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    thread::JoinHandle,
};

use textsearch_core::{Error, ErrorKind, Result};

use super::{
    file::{damaged, open_regular, unreadable, unwritable},
    files::{check_unused, remove_rest},
    manifest::{NAME, REMOVED, Stamp},
};
use crate::error::CONNECTOR;

/// Held by the one process that writes.
const LOCK: &str = "lock";

const COLLECTION: &str = "collection-";

/// Keeps the store out of repositories, and out of indexes of the folder that it is in.
const IGNORE: &str = ".gitignore";

#[derive(Debug)]
pub(crate) struct Root {
    path: PathBuf,
    /// `None` if the store is only read.
    lock: Option<File>,
    pub(super) is_closing: AtomicBool,
    threads: Mutex<Vec<JoinHandle<()>>>,
    pub(super) full: Full,
}

/// The bytes of the log, and the records, from which they become a segment.
#[derive(Debug, Clone, Copy)]
pub(super) struct Full {
    pub(super) log: u64,
    pub(super) records: usize,
}

impl Full {
    const DEFAULT: Self = Self { log: 64 << 20, records: 1 << 16 };
}

impl Root {
    pub(super) fn open(path: &Path) -> Result<Self> {
        if !path.exists() {
            fs::create_dir_all(path).map_err(|error| unwritable(path, error))?;
            // Otherwise a power failure could take the whole store.
            let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
            let parent = parent.unwrap_or(Path::new("."));
            crate::snapshot::sync_folder(parent).map_err(|error| unwritable(parent, error))?;
        }
        // Other files of a folder that isn't new may belong into a repository.
        let is_new = fs::read_dir(path).is_ok_and(|mut entries| entries.next().is_none());
        let lock = path.join(LOCK);
        if fs::symlink_metadata(&lock).is_ok() {
            open_regular(&lock)?;
        }
        let file = OpenOptions::new().write(true).create(true).truncate(false).open(&lock);
        let file = file.map_err(|error| unwritable(&lock, error))?;
        file.try_lock().map_err(|error| match error {
            TryLockError::WouldBlock => {
                let path = path.display();
                let message = format!(
                    "the store `{path}` cannot be opened: another process writes to it; \
                     wait for it to end, or open the store only to read"
                );
                Error::new(ErrorKind::Backend, CONNECTOR, message)
            }
            TryLockError::Error(error) => unwritable(&lock, error),
        })?;
        if is_new {
            let ignore = path.join(IGNORE);
            fs::write(&ignore, "*\n").map_err(|error| unwritable(&ignore, error))?;
        }
        let root = Self::new(path, Some(file));
        root.remove_leftovers();
        Ok(root)
    }

    pub(super) fn open_read_only(path: &Path) -> Result<Self> {
        let metadata = fs::metadata(path).map_err(|error| unreadable(path, error))?;
        if metadata.is_dir() {
            return Ok(Self::new(path, None));
        }
        let message =
            format!("the store `{}` cannot be opened: it is not a folder", path.display());
        Err(Error::new(ErrorKind::Backend, CONNECTOR, message))
    }

    /// Returns whether a store was made in the folder.
    pub(crate) fn is_store(path: &Path) -> Result<bool> {
        let entries = fs::read_dir(path).map_err(|error| unreadable(path, error))?;
        Ok(entries.flatten().any(|entry| {
            let name = entry.file_name();
            // A copy may lack the lock.
            name == LOCK || name.to_string_lossy().starts_with(COLLECTION)
        }))
    }

    fn new(path: &Path, lock: Option<File>) -> Self {
        let is_closing = AtomicBool::new(false);
        let full = Full::DEFAULT;
        Self { path: path.to_owned(), lock, is_closing, threads: Mutex::default(), full }
    }

    pub(super) fn is_read_only(&self) -> bool {
        self.lock.is_none()
    }

    pub(super) fn check_writable(&self) -> Result<()> {
        if self.lock.is_some() {
            return Ok(());
        }
        let message = format!("the store `{}` was opened only to read", self.path.display());
        Err(Error::new(ErrorKind::Backend, CONNECTOR, message))
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// The folder of a collection.
    pub(super) fn folder(&self, collection: &str) -> PathBuf {
        self.path.join(folder_name(collection))
    }

    /// Sorted.
    pub(super) fn collections(&self) -> Result<Vec<String>> {
        let entries = fs::read_dir(&self.path).map_err(|error| unreadable(&self.path, error))?;
        // Damage must not look like absence.
        let is_collection = |folder: &Path| {
            !matches!(Stamp::read(folder), Ok(None)) || check_unused(folder).is_err()
        };
        let folders = entries.flatten().filter(|entry| {
            entry.file_type().is_ok_and(|kind| kind.is_dir()) && is_collection(&entry.path())
        });
        let names = folders.filter_map(|entry| name_of(entry.file_name().to_str()?));
        let mut names: Vec<String> = names.collect();
        names.sort_unstable();
        Ok(names)
    }

    /// Removes a collection: after a crash, all of it or nothing is there. Renames the manifest only,
    /// because Windows renames no folder with open files.
    pub(super) fn remove(&self, collection: &str) -> Result<()> {
        self.check_writable()?;
        let folder = self.folder(collection);
        let metadata = fs::symlink_metadata(&folder).map_err(|error| unreadable(&folder, error))?;
        if !metadata.is_dir() {
            return Err(damaged(&folder, 0, "it is not a folder"));
        }
        match fs::rename(folder.join(NAME), folder.join(REMOVED)) {
            // Of a damaged collection. The files are removed all the same.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            renamed => renamed.map_err(|error| unwritable(&folder, error))?,
        }
        crate::snapshot::sync_folder(&folder).map_err(|error| unwritable(&folder, error))?;
        // Otherwise they are removed when the store is opened again.
        let _ignored = remove_rest(&folder);
        Ok(())
    }

    fn remove_leftovers(&self) {
        let Ok(entries) = fs::read_dir(&self.path) else { return };
        let collections = entries.flatten().filter(|entry| {
            let is_named = entry.file_name().to_str().is_some_and(|name| name_of(name).is_some());
            is_named && entry.file_type().is_ok_and(|kind| kind.is_dir())
        });
        for folder in collections.map(|entry| entry.path()) {
            if folder.join(REMOVED).exists() && matches!(Stamp::read(&folder), Ok(None)) {
                let _ignored = remove_rest(&folder);
            }
        }
    }

    pub(super) fn add_thread(&self, thread: JoinHandle<()>) {
        let mut threads = self.threads.lock().unwrap_or_else(PoisonError::into_inner);
        threads.retain(|thread| !thread.is_finished());
        threads.push(thread);
    }

    /// Stops the threads and waits for them.
    pub(super) fn close(&self) {
        self.is_closing.store(true, Ordering::Relaxed);
        let mut threads = self.threads.lock().unwrap_or_else(PoisonError::into_inner);
        for thread in std::mem::take(&mut *threads) {
            // It only fails if the thread panicked.
            let _ignored = thread.join();
        }
    }
}

/// Bytes other than lower-case letters, digits and `-` become `%` and two hexadecimal digits:
/// a file system may not tell upper case from lower case.
fn folder_name(collection: &str) -> String {
    let mut name = COLLECTION.to_owned();
    for byte in collection.bytes() {
        match byte {
            b'a'..=b'z' | b'0'..=b'9' | b'-' => name.push(char::from(byte)),
            _ => name.push_str(&format!("%{byte:02x}")),
        }
    }
    name
}

fn name_of(folder: &str) -> Option<String> {
    let mut rest = folder.strip_prefix(COLLECTION)?.bytes();
    let mut name = Vec::new();
    while let Some(byte) = rest.next() {
        let byte = match byte {
            b'%' => {
                let digits = [rest.next()?, rest.next()?];
                u8::from_str_radix(std::str::from_utf8(&digits).ok()?, 16).ok()?
            }
            byte => byte,
        };
        name.push(byte);
    }
    let name = String::from_utf8(name).ok()?;
    (folder_name(&name) == folder).then_some(name)
}
