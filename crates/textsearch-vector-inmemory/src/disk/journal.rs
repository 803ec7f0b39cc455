//! The files of one collection: a manifest, segments, and a log of the changes since the last one.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::{
        Arc, Condvar, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

use textsearch_core::{Error, ErrorKind, Result, text_analysis::Analyzer};

use super::{
    Entry, Segment,
    file::{damaged, unwritable},
    files::{Files, check_unused, load, remove_others},
    log::{self, Log},
    manifest::{Manifest, REMOVED, SegmentEntry, Stamp},
    root::Root,
    segment::SegmentWriter,
};
use crate::{
    error::CONNECTOR,
    rows::Row,
    schema::Schema,
    state::{State, StoredPart},
    terms::Posting,
};

/// Bytes of the log from which it becomes a segment when the store is closed, because reading it
/// again would take long.
const LONG_LOG: u64 = 1 << 20;

pub(crate) struct Journal {
    root: Arc<Root>,
    folder: PathBuf,
    files: Mutex<Files>,
    /// Set when the collection is removed.
    is_abandoned: AtomicBool,
    /// Wakes who waits for the end of a merge.
    merge_ended: Condvar,
}

impl Journal {
    /// Creates an empty collection in `folder`.
    pub(super) fn create(
        root: &Arc<Root>,
        folder: &Path,
        schema: &Arc<Schema>,
    ) -> Result<(State, Self)> {
        root.check_writable()?;
        check_unused(folder)?;
        fs::create_dir_all(folder).map_err(|error| unwritable(folder, error))?;
        // Of a process that ended before it wrote the manifest, or of a removed collection.
        remove_others(folder, &[])?;
        log::remove(&folder.join(REMOVED));
        let log = "log-1".to_owned();
        let manifest = Manifest {
            id: random(),
            analysis: Analyzer::VERSION,
            definition: (**schema.definition()).clone(),
            segments: Vec::new(),
            log,
            next: 2,
            documents: 0,
            statistics: schema.text_fields().iter().map(|_| Default::default()).collect(),
        };
        let log = Log::create(&folder.join(&manifest.log))?;
        manifest.write(folder)?;
        let parent = folder.parent().unwrap_or(folder);
        crate::snapshot::sync_folder(parent).map_err(|error| unwritable(parent, error))?;
        let files = Files::new(manifest, Stamp::read(folder)?, log, 0);
        Ok((State::new(Arc::clone(schema)), Self::new(root, folder, files)))
    }

    /// Returns `None` if there is no collection in `folder`.
    pub(super) fn open(
        root: &Arc<Root>,
        folder: &Path,
        name: &str,
    ) -> Result<Option<(State, Self)>> {
        let is_writer = root.check_writable().is_ok();
        if fs::symlink_metadata(folder).is_ok_and(|metadata| !metadata.is_dir()) {
            return Err(damaged(folder, 0, "it is not a folder"));
        }
        let Some((state, files)) = load(folder, name, is_writer, None)? else {
            return Ok(None);
        };
        if is_writer {
            remove_others(folder, &files.manifest.names().collect::<Vec<_>>())?;
        }
        Ok(Some((state, Self::new(root, folder, files))))
    }

    fn new(root: &Arc<Root>, folder: &Path, files: Files) -> Self {
        Self {
            root: Arc::clone(root),
            folder: folder.to_owned(),
            files: Mutex::new(files),
            is_abandoned: AtomicBool::new(false),
            merge_ended: Condvar::new(),
        }
    }

    /// Writes an entry of the log. It is on disk when the function returns.
    pub(crate) fn append(&self, entry: &Entry) -> Result<()> {
        let mut files = self.files();
        self.check_changeable(&files)?;
        files.log.append(entry).map_err(|(error, is_restored)| {
            files.is_broken = !is_restored;
            error
        })
    }

    /// Moves the records in memory to a segment if they are many. Returns the state to continue
    /// with.
    pub(crate) fn seal_if_full(&self, state: &State) -> Result<Option<State>> {
        let mut files = self.files();
        let full = self.root.full;
        let removed = files.records.saturating_sub(state.stored_records());
        let is_full = files.log.length() >= full.log
            || state.memory_records() >= full.records
            || removed >= full.records;
        if is_full { self.seal(&mut files, state).map(Some) } else { Ok(None) }
    }

    /// Like [`seal_if_full`](Self::seal_if_full), before the store is closed.
    pub(crate) fn seal_if_long(&self, state: &State) -> Result<Option<State>> {
        let mut files = self.files();
        let is_long = files.log.length() >= LONG_LOG;
        if is_long { self.seal(&mut files, state).map(Some) } else { Ok(None) }
    }

    fn seal(&self, files: &mut Files, state: &State) -> Result<State> {
        self.check_changeable(files)?;
        let state = self.without_memory(files, state)?;
        self.commit(files, &state)?;
        Ok(state)
    }

    /// Returns the state under another definition, which fits its records.
    pub(crate) fn redefine(&self, state: &State, schema: &Arc<Schema>) -> Result<State> {
        let mut files = self.files();
        self.check_changeable(&files)?;
        let mut redefined = if state.schema().is_stored_like(schema) {
            self.without_memory(&mut files, state)?.under(Arc::clone(schema))?
        } else {
            let full = self.root.full;
            let mut bytes = 0;
            state.rewritten(schema, |state, added| {
                bytes += added;
                if state.memory_records() < full.records && bytes < full.log {
                    return Ok(state);
                }
                bytes = 0;
                self.without_memory(&mut files, &state)
            })?
        };
        redefined = self.without_memory(&mut files, &redefined)?;
        self.commit(&mut files, &redefined)?;
        Ok(redefined)
    }

    /// Puts a merged segment in the place of its `sources`. Returns `None` if they changed.
    pub(super) fn replace_segments(
        &self,
        state: &State,
        sources: &[Arc<Segment>],
        part: impl FnOnce(&State, usize) -> StoredPart,
    ) -> Result<Option<State>> {
        let mut files = self.files();
        let segments = state.segments();
        let is_source = |segment: &Arc<Segment>| {
            sources.first().is_some_and(|source| Arc::ptr_eq(segment, source))
        };
        let Some(first) = segments.iter().position(is_source) else { return Ok(None) };
        let are_there = segments.iter().skip(first).zip(sources);
        if self.check_changeable(&files).is_err()
            || are_there.clone().count() < sources.len()
            || !are_there.clone().all(|(segment, source)| Arc::ptr_eq(segment, source))
        {
            return Ok(None);
        }
        // Rows in memory are numbered from the end of the segments, so there must be none.
        let state = self.without_memory(&mut files, state)?;
        let merged = state.with_parts(first..first + sources.len(), [part(&state, first)]);
        self.commit(&mut files, &merged)?;
        Ok(Some(merged))
    }

    /// Brings the state of a reader up to date with the files. Returns `None` if the collection was
    /// removed, and no state if nothing changed.
    pub(crate) fn refreshed(&self, name: &str, state: &State) -> Result<Option<Option<State>>> {
        let mut files = self.files();
        let stamp = Stamp::read(&self.folder)?;
        if stamp == files.stamp && !files.log.has_changed()? {
            return Ok(Some(None));
        }
        if stamp == files.stamp && !files.log.is_shorter() {
            let mut newer = state.clone();
            let followed = files.log.follow(&mut newer);
            if Stamp::read(&self.folder)? == stamp {
                return followed.map(|()| Some(Some(newer)));
            }
        }
        let known = (files.manifest.id, state.segments());
        let Some(loaded) = load(&self.folder, name, false, Some(known))? else {
            return Ok(None);
        };
        let (newer, newer_files) = loaded;
        *files = newer_files;
        Ok(Some(Some(newer)))
    }

    /// After this, nothing is written to the folder. Waits for a merge.
    pub(crate) fn abandon(&self) {
        self.is_abandoned.store(true, Ordering::Relaxed);
        let mut files = self.files();
        files.is_broken = true;
        while files.is_merging {
            files = self.merge_ended.wait(files).unwrap_or_else(PoisonError::into_inner);
        }
    }

    pub(super) fn is_abandoned(&self) -> bool {
        self.is_abandoned.load(Ordering::Relaxed)
    }

    /// Returns `None` while another merge runs, and after an error.
    pub(super) fn start_merge(self: &Arc<Self>) -> Option<Merging> {
        let mut files = self.files();
        if files.is_broken || files.is_merging || files.has_merge_failed {
            return None;
        }
        files.is_merging = true;
        Some(Merging(Arc::clone(self)))
    }

    pub(super) fn root(&self) -> &Arc<Root> {
        &self.root
    }

    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    pub(super) fn new_segment(&self) -> String {
        self.files().new_segment()
    }

    /// Writes the records in memory to a segment. They are in the log until the commit.
    fn without_memory(&self, files: &mut Files, state: &State) -> Result<State> {
        let chunks = state.memory_chunks();
        let end = state.segments().len();
        if state.memory_records() == 0 {
            return Ok(state.with_parts(end..end, None));
        }
        let first = Row::new(state.chunks().len() - chunks.len(), 0);
        let name = files.new_segment();
        write_segment(&self.folder.join(&name), state.schema(), |writer| {
            chunks.iter().try_for_each(|chunk| writer.chunk(chunk))?;
            for place in 0..state.schema().text_fields().len() {
                let terms = state.text(place).map(|index| index.sorted()).unwrap_or_default();
                writer.dictionary(terms.into_iter().map(|(term, list)| {
                    let relative =
                        |posting: Posting| Posting { row: Row(posting.row.0 - first.0), ..posting };
                    Ok((term.to_string(), list.iter().map(relative).collect()))
                }))?;
            }
            Ok(())
        })?;
        let segment = Segment::open(&self.folder, &name, state.schema())?;
        let live = chunks.iter().map(|chunk| chunk.live()).collect();
        Ok(state.with_parts(end..end, [StoredPart { segment: Arc::new(segment), live }]))
    }

    /// Makes `state`, which has no records in memory, the one that is opened from now on.
    fn commit(&self, files: &mut Files, state: &State) -> Result<()> {
        let number = files.manifest.next;
        let entry = |part: StoredPart| SegmentEntry {
            file: part.segment.name().to_owned(),
            length: part.segment.length(),
            free: free_rows(&part),
        };
        let manifest = Manifest {
            id: files.manifest.id,
            analysis: Analyzer::VERSION,
            definition: (**state.schema().definition()).clone(),
            segments: state.parts().map(entry).collect(),
            log: format!("log-{number}"),
            next: number.saturating_add(1),
            documents: state.documents(),
            statistics: state.statistics(),
        };
        let log = Log::create(&self.folder.join(&manifest.log))?;
        if let Err(error) = manifest.write(&self.folder) {
            // Either manifest may be on disk now, and they name different logs.
            files.is_broken = true;
            return Err(error);
        }
        let old = std::mem::replace(&mut files.manifest, manifest);
        files.log = log;
        files.records = state.len();
        for name in old.names() {
            if files.manifest.names().all(|kept| kept != name) {
                log::remove(&self.folder.join(name));
            }
        }
        Ok(())
    }

    /// Every change asks this first: a reader that wrote would replace the files of the writer.
    fn check_changeable(&self, files: &Files) -> Result<()> {
        self.root.check_writable()?;
        if !files.is_broken {
            return Ok(());
        }
        let message = format!(
            "the collection in `{}` cannot be changed: an earlier change failed; open the store again",
            self.folder.display()
        );
        Err(Error::new(ErrorKind::Backend, CONNECTOR, message))
    }

    fn files(&self) -> MutexGuard<'_, Files> {
        self.files.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A merge that runs until this is dropped.
pub(super) struct Merging(Arc<Journal>);

impl Merging {
    pub(super) fn journal(&self) -> &Journal {
        &self.0
    }

    /// No other merge starts in this process.
    pub(super) fn fail(&self, error: &Error) {
        self.0.files().has_merge_failed = true;
        let folder = self.0.folder.display();
        tracing::warn!("segments in `{folder}` are not merged any more: {error}");
    }
}

impl Drop for Merging {
    fn drop(&mut self) {
        self.0.files().is_merging = false;
        self.0.merge_ended.notify_all();
    }
}

/// Removes the file again after an error.
pub(super) fn write_segment(
    path: &Path,
    schema: &Schema,
    write: impl FnOnce(&mut SegmentWriter<'_>) -> Result<()>,
) -> Result<()> {
    let mut writer = SegmentWriter::create(path, schema)?;
    write(&mut writer).and_then(|()| writer.finish()).inspect_err(|_| log::remove(path))
}

fn free_rows(part: &StoredPart) -> std::collections::BTreeMap<usize, Vec<u16>> {
    let chunks = part.segment.chunks().iter().zip(&part.live).enumerate();
    let free = chunks.map(|(number, (chunk, live))| {
        let rows = (0..chunk.rows()).filter(|row| !live.contains(*row));
        (number, rows.map(|row| row as u16).collect::<Vec<_>>())
    });
    free.filter(|(_, rows)| !rows.is_empty()).collect()
}

fn random() -> u64 {
    use std::hash::{BuildHasher as _, RandomState};
    RandomState::new().hash_one(std::time::SystemTime::now())
}
