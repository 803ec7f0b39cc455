//! Mistakes in values.

use std::fmt::{self, Display, Formatter};

use serde_json::Value;

use super::Type;
use crate::text::{excerpt, excerpt_of};

/// A mistake, whose words follow the name of the value: "must be a text: found 5". Words are slow to
/// write, and most mistakes are dropped because another alternative fits.
#[derive(Debug)]
pub(crate) enum Mistake<'a, 'v> {
    /// The value is too large, or its schema made so that checking it takes too long.
    TooMuch,
    Type(Type<'a>, &'v Value),
    /// The first listed values.
    Unlisted(Vec<&'a Value>, &'v Value),
    LacksField(&'a str),
    UnknownField(&'v str),
    /// A number, or the number of items, is out of bounds.
    Bound(String),
    InField(&'v str, Box<Self>),
    InItem(usize, Box<Self>),
}

impl Mistake<'_, '_> {
    /// Returns it as a mistake in a part of the value. Too much work is too much for the whole.
    pub(super) fn within(self, part: impl FnOnce(Box<Self>) -> Self) -> Self {
        match self {
            Self::TooMuch => Self::TooMuch,
            mistake => part(Box::new(mistake)),
        }
    }
}

impl Display for Mistake<'_, '_> {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooMuch => {
                formatter.write_str("is too large to check against its schema; use a smaller value")
            }
            Self::Type(needed, value) => {
                write!(formatter, "must be {}: found {}", needed.describe(), excerpt_of(value))
            }
            Self::Unlisted(listed, value) => {
                let names: Vec<String> = listed.iter().map(|allowed| excerpt_of(allowed)).collect();
                write!(
                    formatter,
                    "must be one of {}: found {}",
                    names.join(", "),
                    excerpt_of(value)
                )
            }
            Self::LacksField(name) => write!(formatter, "lacks the field `{}`", excerpt(name)),
            Self::UnknownField(name) => {
                write!(formatter, "has the unknown field `{}`", excerpt(name))
            }
            Self::Bound(message) => formatter.write_str(message),
            Self::InField(name, inner) => write!(formatter, "at `{}` {inner}", excerpt(name)),
            Self::InItem(index, inner) => write!(formatter, "at [{index}] {inner}"),
        }
    }
}
