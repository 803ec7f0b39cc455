//! Separates callers' mistakes from internal errors.

use textsearch_core::{Error, ErrorKind};
use textsearch_kernel::KernelError;

use super::{Kind, Problem};

/// The options that a request sets. Any other is a setting of the server.
const OPTIONS: [&str; 5] = ["top", "skip", "include_total_count", "filter", "query"];

/// Errors of searches and stores. Internal ones are logged and hidden.
impl From<Error> for Problem {
    fn from(error: Error) -> Self {
        match error.kind() {
            ErrorKind::InvalidOptions { option, allowed, .. }
                if OPTIONS.contains(&option.as_str()) =>
            {
                Self::invalid(option, error.message().to_owned()).with_allowed([allowed.as_str()])
            }
            ErrorKind::UnsupportedFilter { field, supported, .. } => {
                Self::new(Kind::InvalidFilter, error.message().to_owned())
                    .with_field(field.as_str())
                    .with_allowed(supported.iter().map(|operator| operator.name()))
            }
            ErrorKind::InvalidRecord { .. } => {
                Self::new(Kind::InvalidRequest, error.message().to_owned())
            }
            _ => hidden(&error),
        }
    }
}

fn hidden(error: &Error) -> Problem {
    let cause: &dyn std::error::Error = error;
    tracing::warn!(error.type = error.kind().name(), error = cause, "a backend failed");
    match error.kind() {
        ErrorKind::Timeout => {
            Problem::new(Kind::Timeout, "a service behind the server did not answer in time")
        }
        ErrorKind::RateLimited | ErrorKind::QuotaExceeded | ErrorKind::Unavailable => {
            let detail = "a service behind the server is unavailable; try again later";
            Problem::new(Kind::BackendUnavailable, detail).with_retry_after(error.retry_after())
        }
        _ => Problem::new(Kind::BackendFailed, "a service behind the server failed"),
    }
}

/// The errors of prompts and chats.
impl From<KernelError> for Problem {
    fn from(error: KernelError) -> Self {
        match error {
            KernelError::Template { line, column, message, .. } => {
                Self::new(Kind::InvalidTemplate, message).with_field("template").at(line, column)
            }
            KernelError::ChatFailed { source, .. } => hidden(&source),
            KernelError::FunctionNotFound { .. }
            | KernelError::InvalidArgument { .. }
            | KernelError::InvalidArguments { .. }
            | KernelError::NestedTooDeep => Self::new(Kind::InvalidTemplate, error.to_string()),
            other => match other.search_error() {
                Some(search) => search.clone().into(),
                None => internal(&other),
            },
        }
    }
}

pub(crate) fn internal(error: &(dyn std::error::Error + 'static)) -> Problem {
    tracing::error!(error, "a request failed");
    Problem::new(Kind::Internal, "the server failed; its log has the cause")
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use textsearch_core::filter::FilterOperator;

    use super::*;

    fn printed(problem: impl Into<Problem>) -> Value {
        serde_json::to_value(problem.into()).unwrap()
    }

    #[test]
    fn a_callers_mistake_is_explained() {
        let error = Error::invalid_options("brave", "top", 300, "at most 200");
        let problem = printed(error);
        assert_eq!(problem["status"], 400);
        assert_eq!(problem["field"], "top");
        assert_eq!(problem["allowed"], json!(["at most 200"]));

        let operators = [FilterOperator::Eq];
        let error = Error::unsupported_filter("brave", "site", FilterOperator::Ne, &operators);
        let problem = printed(error);
        assert_eq!(problem["detail"], "cannot apply `ne` to `site`: expected eq");
        assert_eq!(problem["allowed"], json!(["eq"]));
    }

    #[test]
    fn internal_causes_stay_hidden() {
        let kinds = [
            (ErrorKind::Authentication, 502),
            (ErrorKind::RateLimited, 503),
            (ErrorKind::Timeout, 504),
            (ErrorKind::Backend, 502),
            (ErrorKind::invalid_options("dimensions", "10.0.0.7"), 502),
        ];
        for (kind, status) in kinds {
            let error = Error::new(kind, "qdrant", "no route to 10.0.0.7");
            for problem in [printed(error.clone()), printed(KernelError::failed("f", error))] {
                assert_eq!(problem["status"], status);
                assert!(!problem.to_string().contains("10.0.0.7"), "{problem}");
                assert!(!problem.to_string().contains("qdrant"), "{problem}");
            }
        }
    }
}
