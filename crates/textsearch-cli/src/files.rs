//! Reads and locks files that options name.

use std::{
    env,
    fs::{self, File, TryLockError},
    io::{self, ErrorKind},
    path::{Path, PathBuf},
};

use anyhow::{Result, anyhow};

/// Reads the file at `path`, which is the value of `option`.
pub(crate) fn read(path: &Path, option: &str) -> Result<String> {
    let bytes = fs::read(path).map_err(|error| unreadable(path, option, &error))?;
    String::from_utf8(bytes)
        .map_err(|_| anyhow!("`{}` is not UTF-8: try to convert the file", path.display()))
}

fn unreadable(path: &Path, option: &str, error: &io::Error) -> anyhow::Error {
    let shown = path.display();
    match error.kind() {
        ErrorKind::NotFound => anyhow!("there is no file `{shown}`: try another {option}"),
        _ if path.is_dir() => {
            anyhow!("`{shown}` is a folder, and {option} takes a file: try a file in it")
        }
        _ => anyhow!("`{shown}` cannot be read: {error}: try another {option}"),
    }
}

/// Locks the file at `path` until the returned file is dropped. Returns `None` if another process holds
/// the lock.
pub(crate) fn lock(path: &Path) -> io::Result<Option<File>> {
    // The lock has its own file, because every write replaces the other.
    let mut options = File::options();
    // The name may be of a file that others use, such as `Cargo.lock`.
    let file = options.write(true).create(true).truncate(false).open(beside(path, ".lock"))?;
    match file.try_lock() {
        Ok(()) => Ok(Some(file)),
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

/// Returns the program's folder in the folder that an environment variable names, or else in `path` below
/// the user's home.
pub(crate) fn folder_of_user(variable: &str, path: &str) -> Option<PathBuf> {
    let folder = env::var_os(variable).map(PathBuf::from).filter(|folder| folder.is_absolute());
    let folder = folder.or_else(|| env::home_dir().map(|home| home.join(path)))?;
    Some(folder.join("textsearch"))
}

/// Returns `path` with `ending` after its name.
pub(crate) fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut path = path.to_owned().into_os_string();
    path.push(ending);
    path.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unreadable_files_are_reported_with_path_and_option() {
        let folder = tempfile::tempdir().unwrap();
        let message = |path: &Path| read(path, "--queries").unwrap_err().to_string();
        let missing = folder.path().join("none");
        let expected = format!("there is no file `{}`: try another --queries", missing.display());
        assert_eq!(message(&missing), expected);
        assert!(
            message(folder.path())
                .ends_with("is a folder, and --queries takes a file: try a file in it")
        );
        let binary = folder.path().join("binary");
        fs::write(&binary, b"\xFF").unwrap();
        assert!(message(&binary).ends_with("is not UTF-8: try to convert the file"));
    }
}
