//! Mistakes in values.

use serde_json::{Number, Value};

use super::{Fuel, Type};
use crate::text::{excerpt, excerpt_of};

/// A mistake, which [`describe`](Self::describe) puts into words. Words are slow to write, and most
/// mistakes are dropped because another alternative fits.
pub(super) enum Mistake<'a, 'v> {
    TooMuch,
    TooComplex,
    Type(Type<'a>, &'v Value),
    /// The first listed values.
    Unlisted(Vec<&'a Value>, &'v Value),
    LacksField(&'a str),
    UnknownField(&'v str),
    TooSmall(f64, &'v Number),
    TooLarge(f64, &'v Number),
    TooFewItems(u64, usize),
    TooManyItems(u64, usize),
    InField(&'v str, Box<Self>),
    InItem(usize, Box<Self>),
}

impl Mistake<'_, '_> {
    /// Returns the words to follow the name of the value: "must be a text: found 5".
    pub(super) fn describe(&self) -> String {
        match self {
            Self::TooMuch => {
                "is too large to check against its schema; use a smaller value".to_owned()
            }
            Self::TooComplex => {
                "can't be checked: its schema combines too many others, such as hundreds of alternatives; \
                 use a function with a simpler schema"
                    .to_owned()
            }
            Self::Type(of, found) => {
                format!("must be {}: found {}", of.describe(&mut Fuel::default()), excerpt_of(found))
            }
            Self::Unlisted(listed, found) => {
                let names: Vec<String> = listed.iter().map(|one| excerpt_of(one)).collect();
                format!("must be one of {}: found {}", names.join(", "), excerpt_of(found))
            }
            Self::LacksField(name) => format!("lacks the field `{}`", excerpt(name)),
            Self::UnknownField(name) => format!("has the unknown field `{}`", excerpt(name)),
            Self::TooSmall(least, found) => format!("must be at least {least}: found {found}"),
            Self::TooLarge(most, found) => format!("must be at most {most}: found {found}"),
            Self::TooFewItems(least, found) => {
                format!("must have at least {least} items: found {found}")
            }
            Self::TooManyItems(most, found) => {
                format!("must have at most {most} items: found {found}")
            }
            Self::InField(name, inner) => format!("at `{}` {}", excerpt(name), inner.describe()),
            Self::InItem(place, inner) => format!("at [{place}] {}", inner.describe()),
        }
    }
}
