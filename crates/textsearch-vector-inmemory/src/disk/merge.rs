//! Merges neighbouring segments in the background, without the records that were removed.

use std::{
    iter::Peekable,
    ops::Range,
    sync::{Arc, atomic::Ordering},
    thread,
};

use textsearch_core::{Error, ErrorKind, Result};

use super::{
    Segment,
    journal::{Journal, write_segment},
    log,
    segment::SegmentWriter,
};
use crate::{
    error::CONNECTOR,
    rows::{Bitmap, CHUNK_ROWS, Row},
    state::{Chunk, SharedState, State, StoredPart},
    terms::Posting,
};

/// From so many segments of similar size on, they are merged.
const MIN_SEGMENTS: usize = 8;

/// Records of a merge that ends before the store is closed. Otherwise a program that always runs for
/// a short time would never merge.
const MAX_RECORDS_AT_CLOSE: usize = 1 << 16;

/// Marks a row that has no place in the merged segment.
const REMOVED: u32 = u32::MAX;

/// Moves the records in memory to disk if they are many, and then merges segments in the background.
pub(crate) fn make_room(cell: &Arc<SharedState>) -> Result<()> {
    if let Some(journal) = cell.journal()
        && cell.seal_if_full()?
    {
        start(cell, journal);
    }
    Ok(())
}

/// Starts a thread if there is something to merge and none runs.
pub(crate) fn start(cell: &Arc<SharedState>, journal: &Arc<Journal>) {
    if plan(&cell.snapshot()).is_none() {
        return;
    }
    let Some(merging) = journal.start_merge() else { return };
    let cell = Arc::clone(cell);
    let work = move || {
        loop {
            match merge(&cell, merging.journal()) {
                Ok(true) => {}
                Ok(false) => break,
                Err(_) if is_stopped(merging.journal(), usize::MAX) => break,
                Err(error) => break merging.fail(&error),
            }
        }
    };
    // Without a thread the segments stay as they are.
    if let Ok(thread) = thread::Builder::new().name("textsearch-merge".to_owned()).spawn(work) {
        journal.root().add_thread(thread);
    }
}

/// Returns the segments to merge: a run at the end in which none is larger than all after it, or
/// one that lost most of its records.
fn plan(state: &State) -> Option<Range<usize>> {
    let parts: Vec<StoredPart> = state.parts().collect();
    let sizes: Vec<usize> = parts.iter().map(|part| records_of([part])).collect();
    let mut first = sizes.len();
    let mut total = 0;
    while let Some(size) = first.checked_sub(1).and_then(|place| sizes.get(place)) {
        if total > 0 && *size > total {
            break;
        }
        total += size;
        first -= 1;
    }
    if sizes.len() - first >= MIN_SEGMENTS {
        return Some(first..sizes.len());
    }
    let rows = |part: &StoredPart| part.segment.chunks().iter().map(|chunk| chunk.rows()).sum();
    let mut parts = parts.iter().map(rows).zip(&sizes);
    let sparse = parts.position(|(rows, records): (usize, &usize)| records * 2 < rows)?;
    Some(sparse..sparse + 1)
}

/// Returns whether a merge of so many records must end.
fn is_stopped(journal: &Journal, records: usize) -> bool {
    let is_closing = journal.root().is_closing.load(Ordering::Relaxed);
    journal.is_abandoned() || is_closing && records > MAX_RECORDS_AT_CLOSE
}

/// Returns whether segments were merged, so that there may be more to do.
fn merge(cell: &Arc<SharedState>, journal: &Journal) -> Result<bool> {
    let state = cell.snapshot();
    let Some(range) = plan(&state) else { return Ok(false) };
    let parts: Vec<StoredPart> = state.parts().skip(range.start).take(range.len()).collect();
    let name = journal.new_segment();
    let path = journal.folder().join(&name);
    let mut places = Places::default();
    let records = records_of(&parts);
    let check_running = || {
        if is_stopped(journal, records) {
            return Err(Error::new(ErrorKind::Backend, CONNECTOR, "the merge was stopped"));
        }
        Ok(())
    };
    write_segment(&path, state.schema(), |writer| {
        places.write_records(&parts, writer, check_running)?;
        let mut fields = 0..state.schema().text_fields().len();
        fields.try_for_each(|place| {
            let terms = places.terms(&parts, place);
            writer.dictionary(terms.map(|term| check_running().and(term)))
        })
    })?;
    drop(state);
    let segment = Arc::new(Segment::open(journal.folder(), &name, cell.snapshot().schema())?);
    let sources: Vec<_> = parts.iter().map(|part| Arc::clone(&part.segment)).collect();
    let is_merged = cell.replace(|now| {
        let part = |now: &State, first| {
            let now: Vec<_> = now.parts().skip(first).take(parts.len()).collect();
            StoredPart { live: places.live(&segment, &parts, &now), segment }
        };
        journal.replace_segments(now, &sources, part)
    })?;
    if !is_merged {
        log::remove(&path);
    }
    Ok(is_merged)
}

/// The rows of the merged segment, by the rows of its sources one after another.
#[derive(Default)]
struct Places(Vec<u32>);

impl Places {
    fn write_records(
        &mut self,
        parts: &[StoredPart],
        writer: &mut SegmentWriter<'_>,
        check_running: impl Fn() -> Result<()>,
    ) -> Result<()> {
        let mut merged = Chunk::with_capacity(CHUNK_ROWS);
        let mut next = 0;
        for (chunk, live) in chunks(parts) {
            check_running()?;
            let first = self.0.len();
            self.0.resize(first + CHUNK_ROWS, REMOVED);
            // The parts that it reads would stay in memory.
            let chunk = chunk.unread();
            for row in live.rows().map(usize::from) {
                if merged.rows() == CHUNK_ROWS {
                    writer.chunk(&merged)?;
                    merged = Chunk::with_capacity(CHUNK_ROWS);
                }
                let offset = merged.push_free();
                let (record, lengths) = chunk.prepared(row)?;
                merged.set(offset, &record);
                merged.set_lengths(offset, &lengths);
                if let Some(place) = self.0.get_mut(first + row) {
                    *place = next;
                }
                next += 1;
            }
        }
        if merged.rows() > 0 {
            writer.chunk(&merged)?;
        }
        Ok(())
    }

    fn terms<'a>(
        &'a self,
        parts: &'a [StoredPart],
        place: usize,
    ) -> impl Iterator<Item = Result<(String, Vec<Posting>)>> + 'a {
        let mut first = 0;
        let sources = parts.iter().map(|part| {
            let start = first;
            first += part.segment.chunks().len() * CHUNK_ROWS;
            part.segment.terms(place).map(move |term| self.moved(start, term)).peekable()
        });
        let mut sources: Vec<_> = sources.collect();
        std::iter::from_fn(move || next_term(&mut sources))
    }

    fn moved(
        &self,
        start: usize,
        term: Result<(String, Vec<Posting>)>,
    ) -> Result<(String, Vec<Posting>)> {
        let (term, postings) = term?;
        let moved = postings.into_iter().filter_map(|posting| {
            let row = *self.0.get(start + posting.row.0 as usize)?;
            (row != REMOVED).then_some(Posting { row: Row(row), ..posting })
        });
        Ok((term, moved.collect()))
    }

    /// Returns the rows that are in use `now`, when some may have been removed since.
    fn live(&self, segment: &Segment, parts: &[StoredPart], now: &[StoredPart]) -> Vec<Bitmap> {
        let rows = segment.chunks().iter().map(|chunk| Bitmap::first(chunk.rows()));
        let mut rows: Vec<Bitmap> = rows.collect();
        let both = chunks(parts).zip(chunks(now)).enumerate();
        for (number, ((_, before), (_, after))) in both {
            for row in before.and(after.not()).rows() {
                let place = self.0.get(number * CHUNK_ROWS + usize::from(row));
                let place = place.map(|place| Row(*place));
                if let Some(place) = place
                    && let Some(live) = rows.get_mut(place.chunk())
                {
                    live.remove(place.offset());
                }
            }
        }
        rows
    }
}

fn records_of<'a>(parts: impl IntoIterator<Item = &'a StoredPart>) -> usize {
    parts.into_iter().flat_map(|part| &part.live).map(|live| live.len()).sum()
}

fn chunks(parts: &[StoredPart]) -> impl Iterator<Item = (&Arc<super::StoredChunk>, Bitmap)> {
    parts.iter().flat_map(|part| part.segment.chunks().iter().zip(part.live.iter().copied()))
}

/// Takes the first term of all sources, with the rows of each that has it.
fn next_term<I: Iterator<Item = Result<(String, Vec<Posting>)>>>(
    sources: &mut [Peekable<I>],
) -> Option<Result<(String, Vec<Posting>)>> {
    let mut first: Option<String> = None;
    for source in sources.iter_mut() {
        match source.peek() {
            Some(Ok((term, _))) if first.as_ref().is_none_or(|first| term < first) => {
                first = Some(term.clone());
            }
            Some(Err(_)) => return source.next(),
            _ => {}
        }
    }
    let first = first?;
    let mut postings = Vec::new();
    for source in sources {
        let is_first = |entry: &Result<(String, Vec<Posting>)>| {
            entry.as_ref().is_ok_and(|(term, _)| *term == first)
        };
        if let Some(Ok((_, more))) = source.next_if(is_first) {
            postings.extend(more);
        }
    }
    Some(Ok((first, postings)))
}
