//! Temporary files of processes that ended while they wrote a snapshot.

use std::{
    ffi::{OsStr, OsString},
    fs::{self, DirEntry, File},
    io::{self, Read as _},
    path::Path,
    process,
};

use super::section::MAGIC;

/// Used by no other program.
const INFIX: &str = ".textsearch-";

const ENDING: &str = ".tmp";

pub(super) fn temporary_name(mut name: OsString, number: u64) -> OsString {
    name.push(format!("{INFIX}{}-{number}{ENDING}", process::id()));
    name
}

/// Ignores errors, because a new snapshot can be written regardless.
pub(super) fn remove_beside(path: &Path) {
    let Some(name) = path.file_name() else { return };
    let Ok(entries) = fs::read_dir(folder(path)) else { return };
    let entries = entries.flatten().filter(|entry| is_temporary(&entry.file_name(), name));
    for (locked, entry) in entries.filter_map(|entry| Some((lock_abandoned(&entry)?, entry))) {
        let _ignored = fs::remove_file(entry.path());
        // Unlock after removing. Otherwise another process could create and lock the file, and then
        // lose it.
        drop(locked);
    }
}

pub(super) fn folder(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

fn is_temporary(candidate: &OsStr, name: &OsStr) -> bool {
    let suffix = candidate.as_encoded_bytes().strip_prefix(name.as_encoded_bytes());
    let inner = suffix
        .and_then(|suffix| suffix.strip_prefix(INFIX.as_bytes()))
        .and_then(|rest| rest.strip_suffix(ENDING.as_bytes()));
    let mut numbers = inner.unwrap_or_default().split(|byte| *byte == b'-');
    let mut is_number = || {
        let number = numbers.next().unwrap_or_default();
        !number.is_empty() && number.iter().all(u8::is_ascii_digit)
    };
    is_number() && is_number() && numbers.next().is_none()
}

/// Returns the locked file if no process writes it and it holds a partial snapshot. A writer would
/// hold the lock.
fn lock_abandoned(entry: &DirEntry) -> Option<File> {
    if !entry.file_type().ok()?.is_file() {
        return None;
    }
    let file = File::open(entry.path()).ok()?;
    file.try_lock().ok()?;
    begins_a_snapshot(&file).unwrap_or(false).then_some(file)
}

/// Returns whether the file is empty or starts like a snapshot, as far as it goes.
pub(super) fn begins_a_snapshot(file: &File) -> io::Result<bool> {
    let mut start = Vec::with_capacity(MAGIC.len());
    file.take(MAGIC.len() as u64).read_to_end(&mut start)?;
    Ok(MAGIC.starts_with(&start))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn temporary_name_has_infix_two_numbers_and_ending() {
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
