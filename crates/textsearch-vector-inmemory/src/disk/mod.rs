//! A store in a folder. `DISK.md` of this crate describes the files, and
//! `docs/decisions/0043-store-on-disk.md` says why they are like that.

mod collections;
mod definition;
mod file;
mod files;
mod journal;
mod log;
mod manifest;
mod merge;
mod root;
mod segment;
#[cfg(test)]
mod tests;

use std::thread;

use futures_channel::oneshot;
use textsearch_core::{Error, ErrorKind, Result};

pub(crate) use self::{
    collections::Disk,
    definition::check_exact,
    journal::Journal,
    log::Entry,
    merge::make_room,
    root::Root,
    segment::{Segment, StoredChunk, StoredRows, key_hash},
};
use crate::error::CONNECTOR;

/// Runs `work`, which waits for a disk, while the task can do other things. The work goes on if the
/// future is dropped.
pub(crate) async fn on_thread<T: Send + 'static>(
    work: impl FnOnce() -> Result<T> + Send + 'static,
) -> Result<T> {
    let (sender, receiver) = oneshot::channel();
    let failed =
        |what: &str| Error::new(ErrorKind::Backend, CONNECTOR, format!("a change failed: {what}"));
    // The receiver may be gone.
    let work = move || drop(sender.send(work()));
    let thread = thread::Builder::new().name("textsearch-write".to_owned()).spawn(work);
    thread.map_err(|error| failed("no thread can be started").with_source(error))?;
    receiver.await.unwrap_or_else(|_| Err(failed("its thread stopped")))
}
