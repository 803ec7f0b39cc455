//! The files of one collection: a manifest, segments, and a log of the changes since the last one.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use textsearch_core::{Error, ErrorKind, Result};

use super::{
    Entry, Segment,
    file::{damaged, unwritable},
    files::{Files, Loaded, load, remove_others},
    log::{self, Log},
    manifest::{Manifest, SegmentEntry, Stamp, is_name},
    root::Root,
    segment::SegmentWriter,
};
use crate::{
    error::CONNECTOR,
    rows::Row,
    schema::Schema,
    state::{State, StoredPart, prepare},
    terms::Posting,
};

/// Bytes of the log from which it becomes a segment when the store is closed, because reading it
/// again would take long.
const LONG_LOG: u64 = 1 << 20;

pub(crate) struct Journal {
    root: Arc<Root>,
    folder: PathBuf,
    files: Mutex<Files>,
}

impl Journal {
    /// Creates an empty collection in `folder`.
    pub(super) fn create(
        root: &Arc<Root>,
        folder: &Path,
        schema: &Arc<Schema>,
    ) -> Result<(State, Self)> {
        root.check_writable()?;
        fs::create_dir_all(folder).map_err(|error| unwritable(folder, error))?;
        // Of a process that ended before it wrote the manifest.
        remove_others(folder, &[])?;
        let log = "log-1".to_owned();
        let manifest = Manifest {
            id: random(),
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
        let files = Files::new(manifest, Stamp::read(folder), log);
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
        let Some(Loaded { files, state }) = load(folder, name, is_writer, None)? else {
            return Ok(None);
        };
        if is_writer {
            remove_others(folder, &files.manifest.names().collect::<Vec<_>>())?;
        }
        Ok(Some((state, Self::new(root, folder, files))))
    }

    fn new(root: &Arc<Root>, folder: &Path, files: Files) -> Self {
        Self { root: Arc::clone(root), folder: folder.to_owned(), files: Mutex::new(files) }
    }

    /// Writes an entry of the log. It is on disk when the function returns.
    pub(crate) fn append(&self, entry: &Entry) -> Result<()> {
        self.root.check_writable()?;
        let mut files = self.files();
        self.check_whole(&files)?;
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
        let is_full = files.log.length() >= full.log || state.memory_records() >= full.records;
        if is_full { self.seal(&mut files, state).map(Some) } else { Ok(None) }
    }

    /// Like [`seal_if_full`](Self::seal_if_full), before the store is closed.
    pub(crate) fn seal_if_long(&self, state: &State) -> Result<Option<State>> {
        let mut files = self.files();
        let is_long = files.log.length() >= LONG_LOG;
        if is_long { self.seal(&mut files, state).map(Some) } else { Ok(None) }
    }

    fn seal(&self, files: &mut Files, state: &State) -> Result<State> {
        self.check_whole(files)?;
        let state = self.without_memory(files, state)?;
        self.commit(files, &state)?;
        Ok(state)
    }

    /// Returns the state under another definition, which fits its records.
    pub(crate) fn redefine(&self, state: &State, schema: &Arc<Schema>) -> Result<State> {
        self.root.check_writable()?;
        let mut files = self.files();
        self.check_whole(&files)?;
        let mut redefined = if state.schema().is_stored_like(schema) {
            self.without_memory(&mut files, state)?.under(Arc::clone(schema))?
        } else {
            let mut rewritten = State::new(Arc::clone(schema));
            for rows in state.rows_by_chunk() {
                let records = rows.iter().map(|row| state.record(*row, true));
                let records = records.collect::<Result<Vec<_>>>()?;
                rewritten.replace(&prepare(records, schema)?)?;
                if rewritten.memory_records() >= self.root.full.records {
                    rewritten = self.without_memory(&mut files, &rewritten)?;
                }
            }
            rewritten
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
        if files.is_broken
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
        let stamp = Stamp::read(&self.folder);
        if stamp.is_none() {
            return Ok(None);
        }
        if stamp == files.stamp && !files.log.has_changed()? {
            return Ok(Some(None));
        }
        if stamp == files.stamp && !files.log.is_shorter() {
            let mut newer = state.clone();
            let followed = files.log.follow(&mut newer);
            if Stamp::read(&self.folder) == stamp {
                return followed.map(|()| Some(Some(newer)));
            }
        }
        let known = (files.manifest.id, state.segments());
        let Some(loaded) = load(&self.folder, name, false, Some(known))? else {
            return Ok(None);
        };
        *files = loaded.files;
        Ok(Some(Some(loaded.state)))
    }

    /// After this, nothing is written to the folder.
    pub(crate) fn abandon(&self) {
        self.files().is_broken = true;
    }

    /// Returns whether no other merge runs. Then [`end_merge`](Self::end_merge) must follow.
    pub(super) fn start_merge(&self) -> bool {
        let mut files = self.files();
        !std::mem::replace(&mut files.is_merging, true)
    }

    pub(super) fn end_merge(&self) {
        self.files().is_merging = false;
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
        for name in old.names().filter(|name| is_name(name)) {
            if files.manifest.names().all(|kept| kept != name) {
                log::remove(&self.folder.join(name));
            }
        }
        Ok(())
    }

    fn check_whole(&self, files: &Files) -> Result<()> {
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
