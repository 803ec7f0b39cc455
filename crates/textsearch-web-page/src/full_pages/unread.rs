//! Failure classes for results that keep their snippet. The reasons are only logged.

use textsearch_core::ErrorKind;

use crate::reader::ReadFailure;

/// Failure class. Results carry only the class because they may reach a model, and the reason names
/// hosts and the addresses they resolve to.
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
    /// Returns the class of `failure`.
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

    /// Returns the word for the metadata.
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

    /// Logs the reason and returns the class.
    pub(super) fn because(self, reason: &dyn std::fmt::Display) -> Self {
        tracing::debug!(class = self.name(), reason = %reason, "a result keeps its snippet");
        self
    }
}
