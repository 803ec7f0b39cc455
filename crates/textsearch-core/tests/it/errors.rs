//! Errors.

use std::{error::Error as _, io, time::Duration};

use textsearch_core::{Error, ErrorKind, filter::FilterOperator};

#[test]
fn the_cause_is_walked_and_not_printed() {
    let cause = io::Error::other("connection reset");
    let error = Error::new(ErrorKind::Unavailable, "brave", "cannot be reached").with_source(cause);
    assert_eq!(error.to_string(), "brave: cannot be reached");
    assert_eq!(error.source().unwrap().to_string(), "connection reset");
}

#[test]
fn only_failures_that_may_pass_are_retryable() {
    let retryable = [ErrorKind::RateLimited, ErrorKind::Timeout, ErrorKind::Unavailable];
    let fatal = [
        ErrorKind::Authentication,
        ErrorKind::QuotaExceeded,
        ErrorKind::Undecodable,
        ErrorKind::Backend,
    ];
    assert!(retryable.iter().all(ErrorKind::is_retryable));
    assert!(!fatal.iter().any(ErrorKind::is_retryable));
}

#[test]
fn options_are_refused_but_a_query_is_not() {
    let refused = |option: &str| Error::invalid_options("brave", option, 1, "2").refuses_options();
    assert!(refused("top") && !refused("query"));
    assert!(Error::unsupported_filter("brave", "site", FilterOperator::Ge, &[]).refuses_options());
    assert!(!Error::new(ErrorKind::Timeout, "brave", "too slow").refuses_options());
}

#[test]
fn an_unsupported_filter_says_what_is_supported() {
    let error = Error::unsupported_filter(
        "google",
        "site",
        FilterOperator::Ge,
        &[FilterOperator::Eq, FilterOperator::Ne],
    );
    assert_eq!(error.to_string(), "google: cannot apply `ge` to `site`: expected eq, ne");
}

#[test]
fn a_refused_logical_operator_names_the_obstacle() {
    let cases = [
        (FilterOperator::And, "one search takes one condition on it; keep one of them"),
        (FilterOperator::Or, "one search takes one value of it; keep one of them"),
        (
            FilterOperator::Not,
            "one search can ask for a value of it, but not rule one out; drop the condition",
        ),
    ];
    for (operator, reason) in cases {
        let error =
            Error::unsupported_filter("google", "excludeTerms", operator, &[FilterOperator::Eq]);
        let expected = format!("google: cannot apply `{operator}` to `excludeTerms`: {reason}");
        assert_eq!(error.to_string(), expected);
    }
}

#[test]
fn the_time_to_wait_is_kept() {
    let error = Error::new(ErrorKind::RateLimited, "brave", "slow down")
        .with_retry_after(Duration::from_secs(3));
    assert_eq!(error.retry_after(), Some(Duration::from_secs(3)));
}

#[test]
fn an_error_is_one_pointer_wide() {
    assert_eq!(size_of::<Error>(), size_of::<usize>());
}

#[test]
fn a_copy_of_an_error_has_the_same_cause() {
    let error =
        Error::new(ErrorKind::Timeout, "brave", "no answer").with_source(io::Error::other("slow"));
    let copy = error.clone();
    assert_eq!(copy.to_string(), error.to_string());
    assert_eq!(copy.source().unwrap().to_string(), "slow");
}
