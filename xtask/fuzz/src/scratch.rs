//! Files for readers that open a path.

use std::path::{Path, PathBuf};

use tempfile::TempDir;

/// In memory if possible: thousands of files a second would wear out a disk.
fn folder() -> TempDir {
    let memory = Path::new("/dev/shm");
    let folder = if memory.is_dir() { tempfile::tempdir_in(memory) } else { tempfile::tempdir() };
    folder.unwrap_or_else(|error| panic!("no scratch folder: {error}"))
}

pub(crate) fn with_file<T>(bytes: &[u8], read: impl FnOnce(&Path) -> T) -> T {
    with_folder(|folder| {
        let path = folder.join("input");
        std::fs::write(&path, bytes).unwrap_or_else(|error| panic!("cannot write: {error}"));
        read(&path)
    })
}

/// Each thread has one folder; the next call may overwrite its files.
pub(crate) fn with_folder<T>(work: impl FnOnce(PathBuf) -> T) -> T {
    thread_local! {
        static FOLDER: TempDir = folder();
    }
    FOLDER.with(|folder| work(folder.path().to_path_buf()))
}
