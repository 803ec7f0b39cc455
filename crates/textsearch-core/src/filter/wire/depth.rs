//! The depth limit of filters read by serde.

use serde::de::Error;

use crate::filter::Filter;

#[derive(Debug, Clone, Copy)]
pub(super) struct Depth(usize);

impl Depth {
    pub(super) const ROOT: Self = Self(1);

    pub(super) fn deeper<E: Error>(self) -> Result<Self, E> {
        if self.0 < Filter::MAX_DEPTH {
            return Ok(Self(self.0 + 1));
        }
        let max = Filter::MAX_DEPTH;
        Err(E::custom(format_args!("a filter may be nested at most {max} levels deep")))
    }
}
