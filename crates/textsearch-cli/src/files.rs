//! Reads a file that an option names.

use std::{
    fs,
    io::{self, ErrorKind},
    path::Path,
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
