//! Why a result keeps its snippet: a word for whoever reads the result, the reason for the log.

use textsearch_core::ErrorKind;

use crate::reader::ReadFailure;

/// The class of a failure. Only the class is part of a result, since a result may reach a model: the reason names hosts
/// and the addresses that they resolve to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unread {
    NoLink,
    InvalidLink,
    Refused,
    Unreachable,
    Timeout,
    Status,
    TooLarge,
    Unreadable,
    Empty,
    BudgetSpent,
}

impl Unread {
    /// The class of `failure`.
    pub(super) fn of(failure: &ReadFailure) -> Self {
        match failure.error.kind() {
            _ if failure.is_too_large => Self::TooLarge,
            ErrorKind::InvalidOptions { .. } => Self::Refused,
            ErrorKind::Timeout => Self::Timeout,
            ErrorKind::Undecodable => Self::Unreadable,
            ErrorKind::Authentication
            | ErrorKind::RateLimited
            | ErrorKind::QuotaExceeded
            | ErrorKind::UnexpectedStatus { .. } => Self::Status,
            _ => Self::Unreachable,
        }
    }

    /// The word that stands in the metadata.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::NoLink => "no_link",
            Self::InvalidLink => "invalid_link",
            Self::Refused => "refused",
            Self::Unreachable => "unreachable",
            Self::Timeout => "timeout",
            Self::Status => "status",
            Self::TooLarge => "too_large",
            Self::Unreadable => "unreadable",
            Self::Empty => "empty",
            Self::BudgetSpent => "budget_spent",
        }
    }

    /// Logs the reason, and returns the class alone.
    pub(super) fn because(self, reason: &dyn std::fmt::Display) -> Self {
        tracing::debug!(class = self.name(), reason = %reason, "a result keeps its snippet");
        self
    }
}
