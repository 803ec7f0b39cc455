//! Stubs without the feature `metrics`, which compile to nothing.

use std::time::Duration;

use super::{Attribute, ChatTokens, Operation};

pub(super) fn record_duration(
    _: Duration,
    _: Operation,
    _: &[Attribute<'_>],
    _: Option<&'static str>,
) {
}

pub(super) fn record_chat_tokens(_: ChatTokens, _: &[Attribute<'_>], _: Option<&'static str>) {}

#[cfg(feature = "vector")]
pub(super) fn record_embedding_tokens(_: u64, _: &[Attribute<'_>]) {}

#[cfg(feature = "http")]
pub(crate) fn count_retry(_: &str, _: &'static str) {}

pub(super) struct Measured;

impl Measured {
    pub(super) fn new(_: &str, _: &str) -> Self {
        Self
    }

    pub(super) fn record(&self, _: Option<i64>, _: Option<&'static str>) {}
}
