//! Files that were being written when their process ended, and that nobody will rename any more.

use std::{
    ffi::OsStr,
    fs::{self, DirEntry, File},
    path::Path,
};

use super::file::folder;

/// The end of the name of a file that is being written.
pub(super) const ENDING: &str = ".tmp";

/// Removes what processes left behind that were writing the file at `path`. What cannot be removed stays: that is no
/// reason not to write.
pub(super) fn remove_beside(path: &Path) {
    let Some(name) = path.file_name() else { return };
    let Ok(entries) = fs::read_dir(folder(path)) else { return };
    let entries = entries.flatten().filter(|entry| is_temporary(&entry.file_name(), name));
    for entry in entries.filter(is_abandoned) {
        let _stays_if_it_must = fs::remove_file(entry.path());
    }
}

/// Whether `candidate` is what a file is called that will become `name`.
fn is_temporary(candidate: &OsStr, name: &OsStr) -> bool {
    let numbers = candidate.as_encoded_bytes().strip_prefix(name.as_encoded_bytes());
    let numbers = numbers.and_then(|rest| rest.strip_prefix(b"."));
    let numbers = numbers.and_then(|rest| rest.strip_suffix(ENDING.as_bytes()));
    let mut numbers = numbers.unwrap_or_default().split(|byte| *byte == b'-');
    let mut is_number = || {
        let number = numbers.next().unwrap_or_default();
        !number.is_empty() && number.iter().all(u8::is_ascii_digit)
    };
    is_number() && is_number() && numbers.next().is_none()
}

/// Whether nobody writes the file: its writer would have it locked.
fn is_abandoned(entry: &DirEntry) -> bool {
    let is_file = entry.file_type().is_ok_and(|kind| kind.is_file());
    is_file && File::open(entry.path()).is_ok_and(|file| file.try_lock().is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_temporary_file_has_two_numbers_between_the_name_and_the_ending() {
        let is = |candidate: &str| is_temporary(candidate.as_ref(), "notes.tsvs".as_ref());
        assert!(is("notes.tsvs.4242-0.tmp"));
        for other in [
            "notes.tsvs",
            "notes.tsvs.tmp",
            "notes.tsvs.4242.tmp",
            "notes.tsvs.4242-.tmp",
            "notes.tsvs.-0.tmp",
            "notes.tsvs.4242-0-1.tmp",
            "notes.tsvs.4242-x.tmp",
            "notes.tsvs.4242-0.tmp.txt",
            "other.tsvs.4242-0.tmp",
            "notes.tsvs.bak.4242-0.tmp",
        ] {
            assert!(!is(other), "{other}");
        }
    }
}
