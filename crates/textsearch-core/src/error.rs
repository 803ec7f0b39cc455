//! The error of this crate.

use std::{error::Error as StdError, fmt, sync::Arc, time::Duration};

use crate::filter::FilterOperator;

/// The result of a fallible call.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Maximum number of field names in one message.
const MAX_NAMES: usize = 40;

/// The boxed cause of an [`Error`].
pub type BoxError = Box<dyn StdError + Send + Sync + 'static>;

/// A failure, with its kind and its connector.
///
/// `Display` prints the connector and the message, without the [`source`](StdError::source).
/// Neither holds a key: connectors strip URLs of their query.
///
/// ```
/// use textsearch_core::{Error, ErrorKind};
///
/// let error = Error::new(ErrorKind::RateLimited, "brave", "1 request a second is allowed");
/// assert!(error.is_retryable());
/// assert_eq!(error.to_string(), "brave: 1 request a second is allowed");
/// ```
#[derive(Clone)]
pub struct Error(Box<Inner>);

#[derive(Clone)]
struct Inner {
    kind: ErrorKind,
    connector: String,
    message: String,
    retry_after: Option<Duration>,
    attempts: u32,
    // Shared, so that several callers who waited for one search can get the same failure.
    source: Option<Arc<dyn StdError + Send + Sync>>,
}

/// The kind of failure of an [`Error`]; branch on it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive] // Backends fail in new ways.
pub enum ErrorKind {
    /// An option is out of range or contradicts another. Nothing was sent.
    // Variants with fields may get more of them.
    #[non_exhaustive]
    InvalidOptions {
        /// The option's name, such as `top`.
        option: String,
        /// The allowed values, such as `at most 100`.
        allowed: String,
    },
    /// The backend cannot apply a comparison. Nothing was sent.
    #[non_exhaustive]
    UnsupportedFilter {
        /// The filter's field.
        field: String,
        /// The filter's operator.
        operator: FilterOperator,
        /// The operators that the field supports; empty if the field is unknown.
        supported: Vec<FilterOperator>,
    },
    /// A record cannot be stored: a wrong dimension, a value that is not a number, a missing key.
    #[non_exhaustive]
    InvalidRecord {
        /// The record's key as text; empty if it has none.
        key: String,
    },
    /// The collection does not exist in the store.
    #[non_exhaustive]
    CollectionNotFound {
        /// The collection's name.
        collection: String,
    },
    /// The key or the credentials were refused.
    Authentication,
    /// Too many requests in a short time; wait and retry.
    RateLimited,
    /// The plan's allowance is used up; a short wait does not help.
    QuotaExceeded,
    /// The backend did not answer within the timeout.
    Timeout,
    /// The backend could not be reached or is unavailable.
    Unavailable,
    /// The backend sent a status that no other kind covers.
    #[non_exhaustive]
    UnexpectedStatus {
        /// The HTTP status.
        status: u16,
        /// The provider's error code, if any.
        code: Option<String>,
        /// The beginning of the body.
        excerpt: String,
    },
    /// The response could not be decoded as documented, or a record could not be written as JSON.
    Undecodable,
    /// An embedding could not be made.
    Embedding,
    /// Any other failure of the backend, such as a file that cannot be written.
    Backend,
}

impl ErrorKind {
    /// Creates the kind for an invalid option; `allowed` describes valid values.
    pub fn invalid_options(option: impl Into<String>, allowed: impl Into<String>) -> Self {
        Self::InvalidOptions { option: option.into(), allowed: allowed.into() }
    }

    /// Creates the kind for a record that cannot be stored; `key` is empty if it has none.
    pub fn invalid_record(key: impl Into<String>) -> Self {
        Self::InvalidRecord { key: key.into() }
    }

    /// Creates the kind for an unexpected status, with the provider's error code and the beginning
    /// of the body.
    pub fn unexpected_status(
        status: u16,
        code: Option<String>,
        excerpt: impl Into<String>,
    ) -> Self {
        Self::UnexpectedStatus { status, code, excerpt: excerpt.into() }
    }

    /// Creates the kind for a missing collection.
    pub fn collection_not_found(collection: impl Into<String>) -> Self {
        Self::CollectionNotFound { collection: collection.into() }
    }

    /// Returns whether a retry of the same call may succeed.
    pub const fn is_retryable(&self) -> bool {
        matches!(self, Self::RateLimited | Self::Timeout | Self::Unavailable)
    }

    /// Returns a short stable name, used as `error.type` in spans.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::InvalidOptions { .. } => "invalid_options",
            Self::UnsupportedFilter { .. } => "unsupported_filter",
            Self::InvalidRecord { .. } => "invalid_record",
            Self::CollectionNotFound { .. } => "collection_not_found",
            Self::Authentication => "authentication",
            Self::RateLimited => "rate_limited",
            Self::QuotaExceeded => "quota_exceeded",
            Self::Timeout => "timeout",
            Self::Unavailable => "unavailable",
            Self::UnexpectedStatus { .. } => "unexpected_status",
            Self::Undecodable => "undecodable",
            Self::Embedding => "embedding",
            Self::Backend => "backend",
        }
    }
}

impl Error {
    /// Creates an error. The `message` names the fault, the value and the remedy.
    pub fn new(kind: ErrorKind, connector: impl Into<String>, message: impl Into<String>) -> Self {
        Self(Box::new(Inner {
            kind,
            connector: connector.into(),
            message: message.into(),
            retry_after: None,
            attempts: 1,
            source: None,
        }))
    }

    /// Creates an error for an invalid `option` with its `value` and the `allowed` values.
    pub fn invalid_options(
        connector: impl Into<String>,
        option: impl Into<String>,
        value: impl fmt::Display,
        allowed: impl Into<String>,
    ) -> Self {
        let option = option.into();
        let allowed = allowed.into();
        let message = format!("`{option}` is {value}; expected {allowed}");
        Self::new(ErrorKind::InvalidOptions { option, allowed }, connector, message)
    }

    /// Creates an error for a comparison that the backend cannot apply. `supported` lists the
    /// operators of `field`; empty if it is unknown.
    ///
    /// For `And`, `Or` and `Not` the message says that a search takes a single value of the field.
    /// [`unsupported_filter_because`](Self::unsupported_filter_because) takes another reason.
    pub fn unsupported_filter(
        connector: impl Into<String>,
        field: impl Into<String>,
        operator: FilterOperator,
        supported: &[FilterOperator],
    ) -> Self {
        let field = field.into();
        let reason = match operator {
            FilterOperator::And => {
                "one search takes one condition on it; keep one of them".to_owned()
            }
            FilterOperator::Or => "one search takes one value of it; keep one of them".to_owned(),
            FilterOperator::Not => {
                "one search can ask for a value of it, but not rule one out; drop the condition"
                    .to_owned()
            }
            _ if supported.is_empty() => {
                let message =
                    format!("cannot filter on `{field}`: there is no such filterable field");
                let kind = ErrorKind::UnsupportedFilter { field, operator, supported: Vec::new() };
                return Self::new(kind, connector, message);
            }
            _ => {
                let names: Vec<&str> = supported.iter().map(|operator| operator.name()).collect();
                format!("expected {}", names.join(", "))
            }
        };
        Self::unsupported_filter_because(connector, field, operator, supported, reason)
    }

    /// As [`unsupported_filter`](Self::unsupported_filter), with a `reason` that names the obstacle
    /// and the way around it.
    pub fn unsupported_filter_because(
        connector: impl Into<String>,
        field: impl Into<String>,
        operator: FilterOperator,
        supported: &[FilterOperator],
        reason: impl fmt::Display,
    ) -> Self {
        let field = field.into();
        let message = format!("cannot apply `{operator}` to `{field}`: {reason}");
        let kind = ErrorKind::UnsupportedFilter { field, operator, supported: supported.to_vec() };
        Self::new(kind, connector, message)
    }

    pub(crate) fn unknown_filter_field<'a>(
        connector: impl Into<String>,
        field: impl Into<String>,
        operator: FilterOperator,
        known: impl IntoIterator<Item = &'a str>,
    ) -> Self {
        let field = field.into();
        let mut known: Vec<&str> = known.into_iter().collect();
        let more = known.len().saturating_sub(MAX_NAMES);
        known.truncate(MAX_NAMES);
        let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
        let names = known.join(", ");
        let why = match known.len() {
            0 => "there are no filterable fields".to_owned(),
            1 => format!("there is no such filterable field; there is {names}"),
            _ => format!("there is no such filterable field; there are {names}{rest}"),
        };
        let message = format!("cannot filter on `{field}`: {why}");
        let kind = ErrorKind::UnsupportedFilter { field, operator, supported: Vec::new() };
        Self::new(kind, connector, message)
    }

    /// Sets how long to wait before the next attempt, as the backend asks. An error about another
    /// one passes on its delay, which may be `None`.
    #[must_use]
    pub fn with_retry_after(mut self, delay: impl Into<Option<Duration>>) -> Self {
        self.0.retry_after = delay.into();
        self
    }

    /// Sets the number of failed attempts; 1 by default. The core's HTTP client sets it.
    #[must_use]
    pub fn with_attempts(mut self, attempts: u32) -> Self {
        self.0.attempts = attempts;
        self
    }

    /// Sets the [`source`](StdError::source).
    #[must_use]
    pub fn with_source(mut self, source: impl Into<BoxError>) -> Self {
        self.0.source = Some(Arc::from(source.into()));
        self
    }

    /// Returns the kind of failure.
    pub fn kind(&self) -> &ErrorKind {
        &self.0.kind
    }

    /// Returns the connector's name.
    pub fn connector(&self) -> &str {
        &self.0.connector
    }

    /// Returns the message without the connector's name.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// Returns how long to wait before the next attempt, as the backend asks.
    pub fn retry_after(&self) -> Option<Duration> {
        self.0.retry_after
    }

    /// Returns the number of failed attempts. This error is from the last one. An earlier attempt may
    /// have taken effect on the backend.
    pub fn attempts(&self) -> u32 {
        self.0.attempts
    }

    /// Returns whether a retry of the same call may succeed.
    pub fn is_retryable(&self) -> bool {
        self.0.kind.is_retryable()
    }

    /// Returns whether the backend rejected the request and did nothing. A status of 408 or 499
    /// doesn't say so.
    pub fn is_refusal(&self) -> bool {
        match self.kind() {
            ErrorKind::UnexpectedStatus { status, .. } => {
                (400..500).contains(status) && !matches!(status, 408 | 499)
            }
            ErrorKind::Authentication
            | ErrorKind::QuotaExceeded
            | ErrorKind::CollectionNotFound { .. }
            | ErrorKind::InvalidOptions { .. } => true,
            _ => false,
        }
    }

    /// Returns whether the backend refuses the caller's options, such as a filter: a wrapper that
    /// asks another backend or query instead would drop them. A query that is too long for one
    /// backend may suit another, so it isn't meant.
    pub fn refuses_options(&self) -> bool {
        match self.kind() {
            ErrorKind::UnsupportedFilter { .. } => true,
            ErrorKind::InvalidOptions { option, .. } => option != "query",
            _ => false,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {}", self.0.connector, self.0.message)
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Error")
            .field("kind", &self.0.kind)
            .field("connector", &self.0.connector)
            .field("message", &self.0.message)
            .field("retry_after", &self.0.retry_after)
            .field("source", &self.0.source)
            .finish()
    }
}

impl StdError for Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.0.source.as_deref().map(|source| source as _)
    }
}
