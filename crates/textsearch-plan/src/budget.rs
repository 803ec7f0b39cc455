//! Bounds the work of building values.

use std::{
    sync::atomic::{AtomicUsize, Ordering},
    time::{Duration, Instant},
};

use serde_json::Value;

use crate::{limits::Limit, size::weigh};

/// The scanned bytes after which the time is read again.
const BYTES_PER_LOOK: usize = 16 << 10;

/// What building a value may still use.
pub(crate) struct Budget<'r> {
    /// The bytes that the value may still have, about its length as JSON.
    pub(crate) bytes: usize,
    /// The bytes that references may still go through, for the whole run.
    scans: &'r AtomicUsize,
    begun: Instant,
    max_time: Duration,
    /// The scanned bytes since the time was read.
    passed: usize,
}

impl<'r> Budget<'r> {
    pub(crate) fn new(
        bytes: usize,
        scans: &'r AtomicUsize,
        begun: Instant,
        max_time: Duration,
    ) -> Self {
        Self { bytes, scans, begun, max_time, passed: 0 }
    }

    pub(crate) fn copy(&mut self, value: &Value) -> Result<Value, Limit> {
        weigh(value, &mut self.bytes).ok_or(Limit::ResultBytes)?;
        Ok(value.clone())
    }

    /// Takes the size of a value, before a reference goes through it.
    pub(crate) fn scan(&mut self, size: usize) -> Result<(), Limit> {
        let less = |left: usize| left.checked_sub(size);
        let taken = self.scans.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less);
        taken.map_err(|_| Limit::ScannedBytes)?;
        self.passed = self.passed.saturating_add(size);
        if self.passed < BYTES_PER_LOOK {
            return Ok(());
        }
        self.passed = 0;
        if self.begun.elapsed() < self.max_time { Ok(()) } else { Err(Limit::Time) }
    }
}
