//! How recent the records are that a read sees.

use std::{fmt, str::FromStr};

/// Which writes a read sees: Milvus's
/// [consistency levels](https://milvus.io/docs/consistency.md). Milvus Lite has one process and is
/// always strongly consistent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ConsistencyLevel {
    /// All writes that were acknowledged before the read. Spelled `Strong`.
    #[default]
    Strong,
    /// All writes of this store and its clones. Spelled `Session`.
    Session,
    /// All writes but the most recent, by a few seconds. Spelled `Bounded`.
    Bounded,
    /// Any state. The fastest level. Spelled `Eventually`.
    Eventually,
}

impl ConsistencyLevel {
    /// All levels, from the strictest.
    pub const ALL: [Self; 4] = [Self::Strong, Self::Session, Self::Bounded, Self::Eventually];

    /// Returns Milvus's spelling.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Strong => "Strong",
            Self::Session => "Session",
            Self::Bounded => "Bounded",
            Self::Eventually => "Eventually",
        }
    }

    /// Returns the number in the protocol.
    pub(crate) const fn number(self) -> i32 {
        match self {
            Self::Strong => 0,
            Self::Session => 1,
            Self::Bounded => 2,
            Self::Eventually => 3,
        }
    }

    /// Returns the timestamp of the newest write that a read must see: 0 is now, 1 any time, and 2 a
    /// few seconds ago.
    pub(crate) const fn guarantee(self, last_write: u64) -> u64 {
        match self {
            Self::Strong => 0,
            Self::Session if last_write == 0 => 1,
            Self::Session => last_write,
            Self::Bounded => 2,
            Self::Eventually => 1,
        }
    }
}

impl fmt::Display for ConsistencyLevel {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.as_str())
    }
}

impl FromStr for ConsistencyLevel {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let level = Self::ALL.into_iter().find(|level| level.as_str().eq_ignore_ascii_case(text));
        level.ok_or_else(|| format!("expected {}", Self::ALL.map(Self::as_str).join(", ")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_read_back() {
        for level in ConsistencyLevel::ALL {
            assert_eq!(level.to_string().to_lowercase().parse(), Ok(level));
        }
        assert_eq!(
            "weak".parse::<ConsistencyLevel>().unwrap_err(),
            "expected Strong, Session, Bounded, Eventually"
        );
    }

    #[test]
    fn sessions_see_their_last_write() {
        assert_eq!(ConsistencyLevel::Session.guarantee(7), 7);
        assert_eq!(ConsistencyLevel::Session.guarantee(0), 1);
        assert_eq!(ConsistencyLevel::Strong.guarantee(7), 0);
    }
}
