//! Files that were being written when their process ended, and that nobody will rename any more.

use std::{
    ffi::{OsStr, OsString},
    fs::{self, DirEntry, File},
    io::{self, Read as _},
    path::Path,
    process,
};

use super::{file::folder, section::MAGIC};

/// What stands between the name that a file will have and the numbers: nobody else calls a file so.
const INFIX: &str = ".textsearch-";

/// The end of the name of a file that is being written.
const ENDING: &str = ".tmp";

/// What the file with this number of this process is called while it is written, before it becomes `name`.
pub(super) fn temporary_name(mut name: OsString, number: u64) -> OsString {
    name.push(format!("{INFIX}{}-{number}{ENDING}", process::id()));
    name
}

/// Removes what processes left behind that were writing the file at `path`. What cannot be removed stays: that is no
/// reason not to write.
pub(super) fn remove_beside(path: &Path) {
    let Some(name) = path.file_name() else { return };
    let Ok(entries) = fs::read_dir(folder(path)) else { return };
    let entries = entries.flatten().filter(|entry| is_temporary(&entry.file_name(), name));
    for (locked, entry) in entries.filter_map(|entry| Some((lock_abandoned(&entry)?, entry))) {
        let _stays_if_it_must = fs::remove_file(entry.path());
        // Not before: whoever has just created the file would lock it, still see it, and lose it.
        drop(locked);
    }
}

/// Whether `candidate` is what a file is called that will become `name`.
fn is_temporary(candidate: &OsStr, name: &OsStr) -> bool {
    let numbers = candidate.as_encoded_bytes().strip_prefix(name.as_encoded_bytes());
    let numbers = numbers.and_then(|rest| rest.strip_prefix(INFIX.as_bytes()));
    let numbers = numbers.and_then(|rest| rest.strip_suffix(ENDING.as_bytes()));
    let mut numbers = numbers.unwrap_or_default().split(|byte| *byte == b'-');
    let mut is_number = || {
        let number = numbers.next().unwrap_or_default();
        !number.is_empty() && number.iter().all(u8::is_ascii_digit)
    };
    is_number() && is_number() && numbers.next().is_none()
}

/// The file, locked, where nobody writes it, since its writer would have it locked, and it holds a part of a snapshot.
fn lock_abandoned(entry: &DirEntry) -> Option<File> {
    if !entry.file_type().ok()?.is_file() {
        return None;
    }
    let file = File::open(entry.path()).ok()?;
    file.try_lock().ok()?;
    begins_a_snapshot(&file).unwrap_or(false).then_some(file)
}

/// Whether the file is empty or begins as a snapshot does, as far as it goes.
pub(super) fn begins_a_snapshot(file: &File) -> io::Result<bool> {
    let mut start = Vec::with_capacity(MAGIC.len());
    file.take(MAGIC.len() as u64).read_to_end(&mut start)?;
    Ok(MAGIC.starts_with(&start))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_temporary_file_has_the_name_of_the_program_and_two_numbers_before_its_ending() {
        let is = |candidate: &str| is_temporary(candidate.as_ref(), "notes.tsvs".as_ref());
        assert!(is("notes.tsvs.textsearch-4242-0.tmp"));
        for other in [
            "notes.tsvs",
            "notes.tsvs.tmp",
            "notes.tsvs.2026-11.tmp",
            "notes.tsvs.textsearch-.tmp",
            "notes.tsvs.textsearch-4242.tmp",
            "notes.tsvs.textsearch-4242-.tmp",
            "notes.tsvs.textsearch--0.tmp",
            "notes.tsvs.textsearch-4242-0-1.tmp",
            "notes.tsvs.textsearch-4242-x.tmp",
            "notes.tsvs.textsearch-4242-0.tmp.txt",
            "other.tsvs.textsearch-4242-0.tmp",
            "notes.tsvs.bak.textsearch-4242-0.tmp",
        ] {
            assert!(!is(other), "{other}");
        }
    }
}
