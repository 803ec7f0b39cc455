//! Stubs without the feature `metrics`, which compile to nothing.

use super::{Attribute, ChatTokens, Operation};

/// Whether anything is measured.
pub const IS_ON: bool = false;

/// Measures nothing.
#[derive(Debug, Clone, Copy)]
pub struct Timer(());

impl Timer {
    /// Starts nothing.
    #[expect(clippy::new_without_default, reason = "as the timer that measures")]
    pub fn new() -> Self {
        Self(())
    }

    /// Records nothing.
    pub fn record(self, _: Operation, _: &[Attribute<'_>], _: Option<&'static str>) {}
}

/// Records nothing.
pub fn record_chat_tokens(_: ChatTokens, _: &[Attribute<'_>], _: Option<&'static str>) {}

/// Records nothing.
pub fn record_embedding_tokens(_: u64, _: &[Attribute<'_>]) {}

#[cfg(feature = "http")]
pub(crate) fn count_retry(_: &str, _: &'static str) {}

pub(super) struct Measured;

impl Measured {
    pub(super) fn new(_: &str, _: &str) -> Self {
        Self
    }

    pub(super) fn record(&self, _: Option<i64>, _: Option<&'static str>) {}
}
