//! Links new records in the graphs of a collection while readers and writers continue.

use std::sync::{Arc, atomic::Ordering};

use textsearch_core::Result;

use super::{Index, indexed};
use crate::{
    rows::Row,
    state::{SharedState, State},
    threads::{Cancelled, Threads},
};

/// Rows added before searches find them in the graph.
const PORTION: usize = 1 << 14;

/// Runs on threads of the store. A second caller waits for the first, so that records can't arrive
/// faster than they are linked. Dropping the future keeps what was linked so far.
///
/// # Errors
///
/// Returns `Backend` if linking panicked or the system cannot start the threads. Published graphs
/// stay, and the next call continues there.
pub(crate) async fn catch_up(cell: &Arc<SharedState>, threads: &Threads) -> Result<()> {
    if !is_behind(&cell.snapshot()) {
        return Ok(());
    }
    let turn = Arc::clone(cell.linking()).lock_owned().await;
    let cell = Arc::clone(cell);
    let work = move |cancelled: &Cancelled| {
        let _turn = turn;
        link(&cell, cancelled)
    };
    threads.build(work).await
}

/// Like `catch_up`, but blocks. The collection isn't shared yet.
pub(crate) fn catch_up_here(cell: &SharedState, threads: &Threads) -> Result<()> {
    if !is_behind(&cell.snapshot()) {
        return Ok(());
    }
    threads.build_here(|| link(cell, &Cancelled::new(false)))?
}

fn is_behind(state: &State) -> bool {
    indexed(state).any(|(_, index, measure)| index.is_behind(&measure))
}

fn link(cell: &SharedState, cancelled: &Cancelled) -> Result<()> {
    while is_behind(&cell.snapshot()) && !cancelled.load(Ordering::Relaxed) {
        link_portion(cell, cancelled)?;
    }
    Ok(())
}

fn link_portion(cell: &SharedState, cancelled: &Cancelled) -> Result<()> {
    let seen = cell.snapshot();
    for (place, index, measure) in indexed(&seen) {
        if index.is_behind(&measure) {
            let is_cancelled = || cancelled.load(Ordering::Relaxed);
            let (newer, rows) = index.brought_up(&measure, PORTION, is_cancelled);
            cell.change(|now| Ok(Some(publish(&seen, now, place, newer, &rows))))?;
        }
    }
    Ok(())
}

fn publish(
    seen: &State,
    now: &State,
    place: usize,
    newer: Index,
    rows: &[Row],
) -> impl FnOnce(&mut State) + use<> {
    // A replaced record has another payload; its linked vector is outdated.
    let is_same = |row: &Row| match (seen.memory_payload(*row), now.memory_payload(*row)) {
        (Some(seen), Some(now)) => Arc::ptr_eq(seen, now),
        _ => false,
    };
    let current = now.indexes().get(place).filter(|_| Arc::ptr_eq(seen.schema(), now.schema()));
    let followed = current.and_then(|current| {
        let rows = rows.iter().copied().filter(is_same);
        current.follow(newer, rows)
    });
    move |state| {
        if let Some(index) = followed {
            state.indexes_mut().set(place, index);
        }
    }
}
