//! Why a file has no text.

use std::{borrow::Cow, time::Duration};

use serde::{Deserialize, Serialize};

/// Why the content of a file can't be read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ReadError {
    /// Nothing reads the format, or not without a feature of this crate.
    #[error("nothing here reads {format}")]
    NoReader {
        /// The format, such as `PDF`.
        format: Cow<'static, str>,
    },
    /// It is neither text nor a known format.
    #[error("it is neither text nor in a known format")]
    Binary,
    /// It is encrypted, or needs a password.
    #[error("it is encrypted")]
    Encrypted,
    /// Its pages hold images, and no text.
    #[error("its pages are images without text")]
    OnlyImages,
    /// It exceeds a limit of [`ReadLimits`](crate::ReadLimits).
    #[error("it has more than {limit} {unit}")]
    AboveLimit {
        /// The limit.
        limit: u64,
        /// What was counted, such as `bytes` or `pages`.
        unit: Cow<'static, str>,
    },
    /// It took too long.
    #[error("reading it took more than {} s", .0.as_secs_f64())]
    TimedOut(Duration),
    /// It is damaged, or holds what its format doesn't allow.
    #[error("it is damaged: {0}")]
    Damaged(String),
}

impl ReadError {
    /// Returns whether nothing here reads the format of the file.
    pub fn is_unsupported_format(&self) -> bool {
        matches!(self, Self::NoReader { .. } | Self::Binary)
    }

    pub(crate) fn above(limit: usize, unit: &'static str) -> Self {
        Self::AboveLimit { limit: limit as u64, unit: unit.into() }
    }

    pub(crate) fn damaged(error: impl std::fmt::Display) -> Self {
        Self::Damaged(error.to_string())
    }
}
