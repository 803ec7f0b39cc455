//! Failure classes of results that keep their snippet.

use textsearch_core::ErrorKind;

use crate::reader::ReadFailure;

/// Results carry only the class: they may reach a model, and the reason names hosts and addresses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unread {
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
    pub(crate) fn from_failure(failure: &ReadFailure) -> Self {
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

    /// Returns whether another reader may read a page after this failure: not if the address rules refuse it, or
    /// the site has no such page.
    pub(crate) fn may_pass_elsewhere(self, kind: Option<&ErrorKind>) -> bool {
        let is_missing =
            matches!(kind, Some(ErrorKind::UnexpectedStatus { .. } | ErrorKind::QuotaExceeded));
        !is_missing
            && matches!(
                self,
                Self::Unreachable | Self::Timeout | Self::Status | Self::Unreadable | Self::Empty
            )
    }

    pub(crate) const fn name(self) -> &'static str {
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

    pub(crate) fn because(self, reason: &dyn std::fmt::Display) -> Self {
        tracing::debug!(class = self.name(), reason = %reason, "a result keeps its snippet");
        self
    }
}

#[cfg(test)]
mod tests {
    use textsearch_core::Error;

    use super::*;

    fn may_pass(kind: ErrorKind) -> bool {
        let failure = ReadFailure::from(Error::new(kind.clone(), "web-page", "x"));
        Unread::from_failure(&failure).may_pass_elsewhere(Some(&kind))
    }

    #[test]
    fn missing_and_refused_pages_are_read_by_nobody_else() {
        let refusing = [
            ErrorKind::Authentication,
            ErrorKind::RateLimited,
            ErrorKind::Unavailable,
            ErrorKind::Timeout,
            ErrorKind::Undecodable,
        ];
        assert!(refusing.into_iter().all(may_pass));
        assert!(Unread::Empty.may_pass_elsewhere(None));
        assert!(!may_pass(ErrorKind::unexpected_status(404, None, "")));
        assert!(!may_pass(ErrorKind::QuotaExceeded));
        assert!(!may_pass(ErrorKind::invalid_options("url", "a public address")));
    }
}
