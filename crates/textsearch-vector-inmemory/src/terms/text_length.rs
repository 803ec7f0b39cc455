//! The length of a text.

use textsearch_core::text_analysis::DocumentTerms;

/// How many terms a text has, without stop words, and whether it has any, with them. Kept as
/// `length * 2 + has_terms`, in memory and on disk.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct TextLength(u32);

impl TextLength {
    pub(crate) fn of(terms: &DocumentTerms) -> Self {
        Self((terms.length.min(u32::MAX >> 1) << 1) | u32::from(!terms.is_empty()))
    }

    pub(crate) fn from_bits(bits: u32) -> Self {
        Self(bits)
    }

    pub(crate) fn to_bits(self) -> u32 {
        self.0
    }

    pub(crate) fn length(self) -> u32 {
        self.0 >> 1
    }

    pub(crate) fn has_terms(self) -> bool {
        self.0 & 1 == 1
    }
}
