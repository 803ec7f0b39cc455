//! Opens the files of a collection.

use std::{fs, path::Path, sync::Arc};

use textsearch_core::Result;

use super::{
    definition::check_exact,
    file::{damaged, unreadable},
    log::{self, Log},
    manifest::{Manifest, Stamp, is_name},
    segment::Segment,
};
use crate::{
    rows::{Bitmap, CHUNK_ROWS},
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
}

impl Files {
    pub(super) fn new(manifest: Manifest, stamp: Option<Stamp>, log: Log) -> Self {
        Self { manifest, stamp, log, is_broken: false, is_merging: false }
    }

    /// Returns a name that no file has.
    pub(super) fn new_segment(&mut self) -> String {
        let number = self.manifest.next;
        self.manifest.next = number.saturating_add(1);
        format!("segment-{number}")
    }
}

pub(super) struct Loaded {
    pub(super) files: Files,
    pub(super) state: State,
}

/// Starts again if a writer replaced the files meanwhile. `known` are segments that are open, of
/// the collection with the id.
pub(super) fn load(
    folder: &Path,
    name: &str,
    is_writer: bool,
    known: Option<(u64, &[Arc<Segment>])>,
) -> Result<Option<Loaded>> {
    let mut attempt = 0;
    loop {
        let Some(stamp) = Stamp::read(folder) else { return Ok(None) };
        let loaded = load_once(folder, name, is_writer, known, stamp);
        attempt += 1;
        match loaded {
            Err(_) if attempt < ATTEMPTS && Stamp::read(folder) != Some(stamp) => {}
            loaded => return loaded.map(Some),
        }
    }
}

fn load_once(
    folder: &Path,
    name: &str,
    is_writer: bool,
    known: Option<(u64, &[Arc<Segment>])>,
    stamp: Stamp,
) -> Result<Loaded> {
    let manifest = Manifest::read(folder)?;
    check_definition(name, &manifest.definition)?;
    check_exact(&manifest.definition)?;
    let schema = Arc::new(Schema::new(Arc::new(manifest.definition.clone())));
    let known = known.filter(|(id, _)| *id == manifest.id).map_or(&[][..], |(_, known)| known);
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
            let mut live = Bitmap::default();
            (0..chunk.rows().min(CHUNK_ROWS)).for_each(|row| live.insert(row));
            let free = entry.free.get(&number).into_iter().flatten();
            free.for_each(|row| live.remove(usize::from(*row)));
            live
        });
        let live = live.collect();
        let end = state.segments().len();
        state = state.with_parts(end..end, [StoredPart { segment, live }]);
        state.check_room(0)?;
    }
    let log = Log::open(&folder.join(&manifest.log), &mut state, is_writer)?;
    Ok(Loaded { files: Files::new(manifest, Some(stamp), log), state })
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
