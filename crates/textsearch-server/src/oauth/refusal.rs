//! Why a token isn't accepted. No text of the token is repeated.

use super::PAUSE;
use crate::problem::{Kind, Problem};

pub(super) fn refused(fault: &str) -> Problem {
    Problem::new(Kind::Unauthorized, format!("the token {fault}"))
}

/// The provider failed, and isn't asked again for a while.
pub(super) fn unavailable() -> Problem {
    let detail = "the identity provider does not answer; try again later";
    Problem::new(Kind::BackendUnavailable, detail).with_retry_after(Some(PAUSE))
}
