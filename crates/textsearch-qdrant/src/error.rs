//! Converts gRPC statuses to errors. Only this module decides their kinds.

use std::time::Duration;

use qdrant_client::{
    QdrantError,
    qdrant::{PointsOperationResponse, UpdateResult, UpdateStatus},
};
use textsearch_core::{Error, ErrorKind, secret::Secret};
use tonic::{Code, Status};

use crate::CONNECTOR;

/// In characters.
const LONGEST_MESSAGE: usize = 400;

const REPLACEMENT: &str = "***";

#[derive(Clone, Copy)]
pub(crate) struct Context<'a> {
    pub(crate) collection: Option<&'a str>,
    pub(crate) api_key: Option<&'a Secret>,
}

/// The node was unreachable or didn't respond in time.
pub(crate) fn may_be_answered_elsewhere(error: &QdrantError) -> bool {
    match error {
        QdrantError::ResponseError { status } => {
            matches!(kind(status, None), ErrorKind::Unavailable | ErrorKind::Timeout)
        }
        QdrantError::Io(_) => true,
        _ => false,
    }
}

pub(crate) fn is_timeout(error: &QdrantError) -> bool {
    let QdrantError::ResponseError { status } = error else { return false };
    matches!(kind(status, None), ErrorKind::Timeout)
}

/// A cluster repairs missing replicas by itself.
pub(crate) fn lacks_replicas(error: &QdrantError) -> bool {
    let QdrantError::ResponseError { status } = error else { return false };
    is_about_replicas(status)
}

/// The server rejected the request without doing anything. After any other failure, part of it may
/// have been done.
pub(crate) fn is_refusal(error: &QdrantError) -> bool {
    use Code::{InvalidArgument, NotFound, PermissionDenied, Unauthenticated};

    let QdrantError::ResponseError { status } = error else { return false };
    matches!(status.code(), InvalidArgument | NotFound | PermissionDenied | Unauthenticated)
}

pub(crate) fn from_client(failure: QdrantError, context: Context<'_>) -> Error {
    match failure {
        QdrantError::ResponseError { status } => status_error(&status, context),
        QdrantError::ResourceExhaustedError { status, retry_after_seconds } => {
            status_error(&status, context)
                .with_retry_after(Duration::from_secs(retry_after_seconds))
        }
        QdrantError::Io(cause) => {
            Error::new(ErrorKind::Unavailable, CONNECTOR, "the server cannot be reached")
                .with_source(cause)
        }
        other => {
            let message = readable(&other.to_string(), context.api_key);
            Error::new(ErrorKind::Backend, CONNECTOR, message)
        }
    }
}

/// Checks that a write without an error in its response was really done, and is searchable if
/// `waits` is set.
///
/// The write isn't retried here: a server that already has it would queue it twice.
///
/// # Errors
/// Unless the kind is `Unavailable`, the write may still be done later.
pub(crate) fn check_written(answer: &PointsOperationResponse, waits: bool) -> Result<(), Error> {
    let status = answer.result.as_ref().map(UpdateResult::status).unwrap_or_default();
    let (kind, message) = match status {
        UpdateStatus::Completed => return Ok(()),
        UpdateStatus::Acknowledged | UpdateStatus::WaitTimeout if !waits => return Ok(()),
        UpdateStatus::Acknowledged => (
            ErrorKind::Backend,
            "the server acknowledged the write without waiting until it is searchable, as nodes that only listen do: write \
             through another node, or without `with_wait_for_writes`",
        ),
        UpdateStatus::WaitTimeout => (
            ErrorKind::Timeout,
            "the server has the write but stopped waiting until it is searchable: it may be later",
        ),
        UpdateStatus::ClockRejected => (
            ErrorKind::Unavailable,
            "the server rejected the write, because its clock was behind another node's: write again",
        ),
        UpdateStatus::UnknownUpdateStatus => {
            (ErrorKind::Undecodable, "the response does not say whether the write was done")
        }
    };
    Err(Error::new(kind, CONNECTOR, message))
}

pub(crate) fn is_collection_not_found(error: &Error) -> bool {
    matches!(error.kind(), ErrorKind::CollectionNotFound { .. })
}

fn status_error(status: &Status, context: Context<'_>) -> Error {
    let kind = kind(status, context.collection);
    let detail = readable(status.message(), context.api_key);
    let message = match &kind {
        ErrorKind::CollectionNotFound { collection, .. } => {
            return Error::collection_not_found(CONNECTOR, collection);
        }
        ErrorKind::Backend if is_strict_mode(status) => {
            format!("the collection's strict mode refused the request: {detail}{}", remedy(status))
        }
        ErrorKind::Authentication => format!("the key was refused: {detail}"),
        ErrorKind::RateLimited => format!("too much at once: {detail}"),
        ErrorKind::Timeout => format!("no answer in time: {detail}"),
        ErrorKind::Unavailable if is_about_replicas(status) => {
            format!("a part of the cluster is unavailable: {detail}")
        }
        ErrorKind::Unavailable => format!("the server cannot be reached: {detail}"),
        _ => format!("the server answered {:?}: {detail}", status.code()),
    };
    Error::new(kind, CONNECTOR, message)
}

fn kind(status: &Status, collection: Option<&str>) -> ErrorKind {
    match (status.code(), collection) {
        (Code::NotFound, Some(name)) if is_about_collection(status.message(), name) => {
            ErrorKind::collection_not_found(name)
        }
        (Code::PermissionDenied, _) if is_strict_mode(status) => ErrorKind::Backend,
        (Code::Unauthenticated | Code::PermissionDenied, _) => ErrorKind::Authentication,
        (Code::ResourceExhausted, _) => ErrorKind::RateLimited,
        (Code::DeadlineExceeded | Code::Cancelled, _) => ErrorKind::Timeout,
        (Code::Unavailable, _) => ErrorKind::Unavailable,
        (Code::Internal | Code::Unknown, _)
            if is_about_connection(status) || is_about_replicas(status) =>
        {
            ErrorKind::Unavailable
        }
        _ => ErrorKind::Backend,
    }
}

/// The request exceeded a strict-mode limit of the collection. Such messages end with advice. Older
/// servers report them as forbidden, like requests that an API key doesn't allow.
fn is_strict_mode(status: &Status) -> bool {
    matches!(status.code(), Code::InvalidArgument | Code::PermissionDenied)
        && status.message().contains(". Help: ")
}

/// Advises on a limit that the server's own message doesn't cover.
fn remedy(status: &Status) -> &'static str {
    if status.message().contains("Index required") {
        " Some fields that filters read have no index: set `unindexed_filtering_retrieve` and \
         `unindexed_filtering_update` in its strict mode, as in collections that this crate creates."
    } else {
        ""
    }
}

/// Tells a missing collection from a missing point, alias or index. The collection's own name is
/// ignored.
fn is_about_collection(message: &str, name: &str) -> bool {
    let without_name = message.replace(name, "").to_ascii_lowercase();
    message.to_ascii_lowercase().contains("collection") && !without_name.contains("field")
}

/// A failure on the server has the same codes as a broken connection, but no local cause.
fn is_about_connection(status: &Status) -> bool {
    use std::error::Error as _;

    status.source().is_some()
        || ["Failed to connect", "Failed to create TLS", "transport error", "h2 protocol error"]
            .iter()
            .any(|begin| status.message().starts_with(begin))
}

/// Until the other nodes notice that one is missing, requests that need it fail with an internal
/// error.
///
/// `2 out of 3 shards failed to apply operation. First error captured: …` also has permanent
/// causes, such as a full disk.
fn is_about_replicas(status: &Status) -> bool {
    let message = status.message().to_ascii_lowercase();
    let has = |word: &str| message.contains(word);
    let is_transient = || {
        ["unavailable", "connect", "timeout", "timed out", "cancelled", "transport error"]
            .iter()
            .any(|word| has(word))
    };
    let lacks_replicas = ["active replicas", "healthy replicas"].iter().any(|word| has(word));
    matches!(status.code(), Code::Internal | Code::Unknown)
        && (lacks_replicas || (has("shards failed to apply operation") && is_transient()))
}

/// One line, truncated, without the API key.
fn readable(message: &str, api_key: Option<&Secret>) -> String {
    let without = match api_key.filter(|key| !key.is_empty()) {
        Some(key) => message.replace(key.expose(), REPLACEMENT),
        None => message.to_owned(),
    };
    let is_gap = |c: char| c.is_whitespace() || c.is_control();
    let words: Vec<&str> = without.split(is_gap).filter(|word| !word.is_empty()).collect();
    let line = words.join(" ");
    match line.char_indices().nth(LONGEST_MESSAGE) {
        Some((end, _)) => format!("{}…", line.split_at(end).0),
        None => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error_of(status: Status) -> Error {
        let key = Secret::from("sesame");
        let context = Context { collection: Some("docs"), api_key: Some(&key) };
        from_client(QdrantError::ResponseError { status }, context)
    }

    #[test]
    fn each_code_has_its_kind() {
        let cases = [
            (Status::not_found("Collection `docs` doesn't exist!"), "collection_not_found"),
            (Status::not_found("No point with id 7"), "backend"),
            (Status::unauthenticated("no"), "authentication"),
            (Status::permission_denied("no"), "authentication"),
            (Status::resource_exhausted("slow down"), "rate_limited"),
            (Status::deadline_exceeded("late"), "timeout"),
            (Status::cancelled("Timeout expired"), "timeout"),
            (Status::unavailable("gone"), "unavailable"),
            (Status::internal("Failed to connect to http://localhost:1"), "unavailable"),
            (Status::internal("Failed to create TLS config: no roots"), "unavailable"),
            (Status::internal("Service internal error: disk"), "backend"),
            (Status::invalid_argument("Wrong input"), "backend"),
        ];
        for (status, expected) in cases {
            let message = status.message().to_owned();
            assert_eq!(error_of(status).kind().name(), expected, "{message}");
        }
    }

    #[test]
    fn only_missing_replicas_are_unavailable() {
        let shards = "Service internal error: 2 out of 3 shards failed to apply operation. First error captured: ";
        let cases = [
            (format!("{shards}Tonic status error: status: Unavailable"), "unavailable"),
            (format!("{shards}Failed to connect to http://10.0.0.2:6335/"), "unavailable"),
            (format!("{shards}Service internal error: No space left on device"), "backend"),
            (
                "Service internal error: The replica set for shard 1 on peer 7 does not have enough active replicas"
                    .to_owned(),
                "unavailable",
            ),
        ];
        for (message, expected) in cases {
            let error = error_of(Status::internal(message.as_str()));
            assert_eq!(error.kind().name(), expected, "{error}");
            let says_so = error.message().starts_with("a part of the cluster is unavailable: ");
            assert_eq!(says_so, expected == "unavailable", "{error}");
        }
    }

    #[test]
    fn strict_mode_limit_is_no_authentication_error() {
        let index = "Index required but not found for \"_textsearch.fields.year.number\" of one of the following types: \
                     [float]. Help: Create an index for this key or use a different filter.";
        for status in [
            Status::invalid_argument(format!("Bad request: {index}")),
            Status::permission_denied(format!("Forbidden: {index}")),
        ] {
            let error = error_of(status);
            assert_eq!(*error.kind(), ErrorKind::Backend);
            assert!(
                error.message().starts_with("the collection's strict mode refused the request: ")
            );
            assert!(error.message().contains("set `unindexed_filtering_retrieve`"), "{error}");
        }
        let limit = "Limit exceeded 1000 > 100 for \"upsert limit\". Help: Reduce the \"upsert limit\" parameter to or below 100.";
        let error = error_of(Status::invalid_argument(limit));
        assert!(error.message().ends_with("to or below 100."), "{error}");
        let key = error_of(Status::permission_denied(
            "Forbidden: Write access to collection docs is required",
        ));
        assert_eq!(*key.kind(), ErrorKind::Authentication);
    }

    #[test]
    fn recognizes_missing_collection_named_like_fields() {
        let context = Context { collection: Some("my_fields"), api_key: None };
        let missing = |message| {
            let status = Status::not_found(message);
            let error = from_client(QdrantError::ResponseError { status }, context);
            is_collection_not_found(&error)
        };
        assert!(missing("Not found: Collection `my_fields` doesn't exist!"));
        assert!(!missing("Not found: field index in collection `my_fields`"));
    }

    #[test]
    fn message_is_short_and_hides_the_key() {
        let error = error_of(Status::internal(format!("key\nsesame {}", "a".repeat(1_000))));
        assert!(error.message().contains("key *** aaa"));
        assert!(error.message().chars().count() < 500);
    }

    #[test]
    fn waiting_write_needs_status_completed() {
        let checked = |status: UpdateStatus, waits| {
            let result = UpdateResult { status: status.into(), ..UpdateResult::default() };
            let answer = PointsOperationResponse { result: Some(result), ..Default::default() };
            check_written(&answer, waits).map_err(|error| error.kind().name())
        };
        let cases = [
            (UpdateStatus::Completed, Ok(()), Ok(())),
            (UpdateStatus::Acknowledged, Err("backend"), Ok(())),
            (UpdateStatus::WaitTimeout, Err("timeout"), Ok(())),
            (UpdateStatus::ClockRejected, Err("unavailable"), Err("unavailable")),
            (UpdateStatus::UnknownUpdateStatus, Err("undecodable"), Err("undecodable")),
        ];
        for (status, waiting, not_waiting) in cases {
            assert_eq!((checked(status, true), checked(status, false)), (waiting, not_waiting));
        }
        assert!(check_written(&PointsOperationResponse::default(), true).is_err());
    }

    #[test]
    fn keeps_retry_after_of_the_server() {
        let status = Status::resource_exhausted("slow down");
        let failure = QdrantError::ResourceExhaustedError { status, retry_after_seconds: 7 };
        let error = from_client(failure, Context { collection: None, api_key: None });
        assert_eq!(error.retry_after(), Some(Duration::from_secs(7)));
        assert!(error.is_retryable());
    }
}
