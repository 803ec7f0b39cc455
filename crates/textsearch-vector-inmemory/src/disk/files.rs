//! Opens the files of a collection.

use std::{fs, io, path::Path, sync::Arc};

use textsearch_core::{Error, ErrorKind, Result};

use super::{
    definition::check_exact,
    file::{damaged, unreadable, unwritable},
    log::{self, Log},
    manifest::{self, Manifest, Stamp, is_name},
    segment::Segment,
};
use crate::{
    error::CONNECTOR,
    rows::Bitmap,
    schema::{Schema, check_definition},
    state::{State, StoredPart},
};

/// How often a reader starts again, if a writer replaces files meanwhile.
const ATTEMPTS: usize = 100;

pub(super) struct Files {
    pub(super) manifest: Manifest,
    /// Of the manifest that was read last.
    pub(super) stamp: Option<Stamp>,
    pub(super) log: Log,
    /// Set if the files are no longer known to be those of the state in memory, or are removed.
    pub(super) is_broken: bool,
    pub(super) is_merging: bool,
    /// Set after an error. A merge that starts again would meet the same one.
    pub(super) has_merge_failed: bool,
    /// Records in the segments when the manifest was written.
    pub(super) records: usize,
}

impl Files {
    pub(super) fn new(manifest: Manifest, stamp: Option<Stamp>, log: Log, records: usize) -> Self {
        let is_broken = false;
        let is_merging = false;
        let has_merge_failed = false;
        Self { manifest, stamp, log, is_broken, is_merging, has_merge_failed, records }
    }

    /// Returns a name that no file has.
    pub(super) fn new_segment(&mut self) -> String {
        let number = self.manifest.next;
        self.manifest.next = number.saturating_add(1);
        format!("segment-{number}")
    }
}

/// Starts again if a writer replaced the files meanwhile. `known` are segments that are open, of
/// the collection with the id.
///
/// # Errors
///
/// Returns `Backend` if the collection has another id, and vectors.
pub(super) fn load(
    folder: &Path,
    name: &str,
    is_writer: bool,
    known: Option<(u64, &[Arc<Segment>])>,
) -> Result<Option<(State, Files)>> {
    let mut attempt = 0;
    loop {
        let stamp = Stamp::read(folder)?;
        let loaded = match stamp {
            Some(stamp) => load_once(folder, name, is_writer, known, stamp).map(Some),
            None => check_unused(folder).map(|()| None),
        };
        attempt += 1;
        match loaded {
            Err(_) if attempt < ATTEMPTS && Stamp::read(folder)? != stamp => {}
            loaded => return loaded,
        }
    }
}

fn load_once(
    folder: &Path,
    name: &str,
    is_writer: bool,
    known: Option<(u64, &[Arc<Segment>])>,
    stamp: Stamp,
) -> Result<(State, Files)> {
    let manifest = Manifest::read(folder)?;
    let known = match known {
        Some((id, segments)) if id == manifest.id => segments,
        // They may be of another model than the queries of this process.
        Some(_) if !manifest.definition.vectors.is_empty() => return Err(replaced(folder)),
        _ => &[],
    };
    manifest.check_analysis(folder)?;
    check_definition(name, &manifest.definition)?;
    check_exact(&manifest.definition)?;
    let schema = Arc::new(Schema::new(Arc::new(manifest.definition.clone())));
    let mut state = State::new(Arc::clone(&schema));
    state.set_statistics(manifest.documents, &manifest.statistics);
    for entry in &manifest.segments {
        let open = known.iter().find(|segment| segment.name() == entry.file);
        let segment = match open {
            Some(segment) => Arc::clone(segment),
            None => Arc::new(Segment::open(folder, &entry.file, &schema)?),
        };
        if segment.length() != entry.length {
            let path = folder.join(&entry.file);
            return Err(damaged(
                &path,
                segment.length(),
                "it has another length than when written",
            ));
        }
        let live = segment.chunks().iter().enumerate().map(|(number, chunk)| {
            let mut live = Bitmap::first(chunk.rows());
            let free = entry.free.get(&number).into_iter().flatten();
            free.for_each(|row| live.remove(usize::from(*row)));
            live
        });
        let live = live.collect();
        let end = state.segments().len();
        state = state.with_parts(end..end, [StoredPart { segment, live }]);
        state.check_room(0)?;
    }
    let records = state.len();
    let log = Log::open(&folder.join(&manifest.log), &mut state, is_writer)?;
    Ok((state, Files::new(manifest, Some(stamp), log, records)))
}

fn replaced(folder: &Path) -> Error {
    let message = format!(
        "the collection in `{}` cannot be read: it was replaced since it was opened, perhaps with \
         vectors of another model; open the store again",
        folder.display()
    );
    Error::new(ErrorKind::Backend, CONNECTOR, message)
}

/// Refuses a folder without a manifest that holds records: someone removed the manifest, or a copy of
/// the folder wasn't finished.
pub(super) fn check_unused(folder: &Path) -> Result<()> {
    if folder.join(manifest::REMOVED).exists() {
        return Ok(());
    }
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(unreadable(folder, error)),
    };
    let is_empty_log = |entry: &fs::DirEntry, name: &str| {
        name.starts_with("log") && entry.metadata().is_ok_and(|metadata| metadata.len() == 0)
    };
    let has_records = entries.flatten().any(|entry| {
        let name = entry.file_name();
        // An empty log is left by a process that ended while it created the collection.
        name.to_str().is_some_and(|name| is_name(name) && !is_empty_log(&entry, name))
    });
    if has_records {
        let fault = "it is missing, but there are records; restore it, or delete the collection";
        return Err(damaged(&folder.join(manifest::NAME), 0, fault));
    }
    Ok(())
}

/// Removes what is left of a removed collection. Files that are open may stay until the next time.
pub(super) fn remove_rest(folder: &Path) -> Result<()> {
    remove_others(folder, &[])?;
    let entries = fs::read_dir(folder).map_err(|error| unreadable(folder, error))?;
    let is_left = |entry: fs::DirEntry| entry.file_name().to_str().is_some_and(is_name);
    // The mark goes last: without it, the rest would be a collection whose manifest is missing.
    if !entries.flatten().any(is_left) {
        fs::remove_dir_all(folder).map_err(|error| unwritable(folder, error))?;
    }
    Ok(())
}

/// Removes files of processes that ended while they wrote them.
pub(super) fn remove_others(folder: &Path, names: &[&str]) -> Result<()> {
    let entries = fs::read_dir(folder).map_err(|error| unreadable(folder, error))?;
    for entry in entries.flatten() {
        let name = entry.file_name();
        if let Some(name) = name.to_str()
            && is_name(name)
            && !names.contains(&name)
        {
            log::remove(&entry.path());
        }
    }
    Ok(())
}
