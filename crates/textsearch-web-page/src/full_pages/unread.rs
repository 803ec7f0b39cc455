//! Failure classes of results that keep their snippet.

use textsearch_core::ErrorKind;

use crate::reader::ReadFailure;

/// Results carry only the class: they may reach a model, and the reason names hosts and addresses.
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
    pub(super) fn from_failure(failure: &ReadFailure) -> Self {
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

    pub(super) fn because(self, reason: &dyn std::fmt::Display) -> Self {
        tracing::debug!(class = self.name(), reason = %reason, "a result keeps its snippet");
        self
    }
}
