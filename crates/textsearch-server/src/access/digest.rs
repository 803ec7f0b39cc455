//! Hashes of tokens, to compare in constant time.

use std::fmt;

use sha2::{Digest as _, Sha256};
use subtle::{Choice, ConstantTimeEq};

/// The SHA-256 hash of a token. Tokens of any length have hashes of one length, so a comparison
/// reveals neither a prefix nor the length.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct Digest([u8; 32]);

impl Digest {
    pub(crate) fn from_token(token: &[u8]) -> Self {
        Self(Sha256::digest(token).into())
    }
}

impl ConstantTimeEq for Digest {
    fn ct_eq(&self, other: &Self) -> Choice {
        self.0.ct_eq(&other.0)
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Digest(..)")
    }
}
