//! The version of pgvector, and what needs a newer one.

use std::fmt;

use textsearch_core::{Error, ErrorKind, Result};

use crate::{CONNECTOR, error::refused};

/// A version such as 0.8.0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Version(u32, u32, u32);

/// Half vectors, bit vectors, and HNSW by Manhattan.
pub(crate) const WITH_TYPES: Version = Version(0, 7, 0);

impl Version {
    pub(crate) fn parse(text: &str) -> Result<Self> {
        let mut parts = text.split('.').map(str::parse);
        match (parts.next(), parts.next(), parts.next().unwrap_or(Ok(0))) {
            (Some(Ok(major)), Some(Ok(minor)), Ok(patch)) => Ok(Self(major, minor, patch)),
            _ => {
                let message = format!("the extension vector has an unreadable version (`{text}`)");
                Err(Error::new(ErrorKind::Undecodable, CONNECTOR, message))
            }
        }
    }

    /// Refuses `what`, a setting of `option`, before `needed`.
    pub(crate) fn check(self, needed: Self, option: &str, what: &str) -> Result<()> {
        if self >= needed {
            return Ok(());
        }
        let value = format_args!("{what}, and the server has pgvector {self}");
        Err(refused(option, value, &format!("pgvector {needed} or newer for it")))
    }
}

impl fmt::Display for Version {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}.{}.{}", self.0, self.1, self.2)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_compare_as_numbers() {
        let parsed = |text| Version::parse(text).unwrap();
        assert!(parsed("0.10.0") > parsed("0.8.5"));
        assert!(parsed("0.7") == WITH_TYPES && parsed("0.6.2") < WITH_TYPES);
        assert!(Version::parse("new").is_err());
    }

    #[test]
    fn refusal_names_both_versions() {
        let error = Version(0, 6, 2).check(WITH_TYPES, "embedding", "half vectors").unwrap_err();
        assert_eq!(
            error.message(),
            "`embedding` is half vectors, and the server has pgvector 0.6.2; expected pgvector 0.7.0 or newer for it"
        );
    }
}
