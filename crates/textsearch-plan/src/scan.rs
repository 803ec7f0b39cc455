//! Bounds the work of references to lists, and lets other tasks run meanwhile.

use std::{
    sync::atomic::{AtomicUsize, Ordering},
    time::{Duration, Instant},
};

/// The time after which other tasks get a turn.
const TURN: Duration = Duration::from_millis(1);
/// The bytes after which the time is read again.
const BYTES: usize = 16 << 10;

/// What references may still go through.
pub(crate) struct Scan<'s> {
    /// The bytes, for the whole run.
    left: &'s AtomicUsize,
    begun: Instant,
    max_time: Duration,
    /// The bytes since the time was read.
    passed: usize,
    /// Starts with the first long scan.
    turn: Option<Turn>,
}

/// The limit that a value would exceed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exceeded {
    Bytes,
    Scans,
    Time,
}

impl<'s> Scan<'s> {
    pub(crate) fn new(left: &'s AtomicUsize, begun: Instant, max_time: Duration) -> Self {
        Self { left, begun, max_time, passed: 0, turn: None }
    }

    /// Takes the size of a value, before the work on it.
    pub(crate) async fn take(&mut self, size: usize) -> Result<(), Exceeded> {
        let less = |left: usize| left.checked_sub(size);
        let taken = self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less);
        taken.map_err(|_| Exceeded::Scans)?;
        self.passed = self.passed.saturating_add(size);
        if self.passed < BYTES {
            return Ok(());
        }
        self.passed = 0;
        if self.begun.elapsed() >= self.max_time {
            return Err(Exceeded::Time);
        }
        self.turn.get_or_insert_default().give_way().await;
        Ok(())
    }
}

/// The time since other tasks had a turn. Work that never waits would keep the time limits of the
/// run and of its caller from firing.
pub(crate) struct Turn(Instant);

impl Default for Turn {
    fn default() -> Self {
        Self(Instant::now())
    }
}

impl Turn {
    pub(crate) async fn give_way(&mut self) {
        if self.0.elapsed() >= TURN {
            tokio::task::yield_now().await;
            *self = Self::default();
        }
    }
}
