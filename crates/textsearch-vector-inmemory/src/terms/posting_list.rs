//! A compressed list of the rows that contain a term.
//!
//! A posting is the distance from the previous row, shifted by one bit. The bit says whether the
//! term occurs more than once; if so, the frequency follows. Both numbers use 7 bits a byte, so a
//! posting takes one to three bytes instead of eight.

use std::{iter, sync::Arc};

use crate::rows::Row;

/// Bytes stored inline. Most terms are in a few records only and need no more.
const INLINE: usize = 14;

/// Two numbers.
const LONGEST: usize = 10;

/// Postings between two bookmarks.
const BOOKMARKED: u32 = 64;

/// Reserved memory of a heap list, as a divisor of its length.
const GROWTH: usize = 8;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Posting {
    pub(crate) row: Row,
    pub(crate) frequency: u32,
}

/// Sorted by row, without duplicates.
#[derive(Clone)]
pub(crate) enum PostingList {
    Short { length: u8, bytes: [u8; INLINE] },
    Long(Arc<Encoded>),
}

#[derive(Clone, Default)]
pub(crate) struct Encoded {
    bytes: Vec<u8>,
    postings: u32,
    last: u32,
}

impl PostingList {
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Short { .. } => self.iter().count(),
            Self::Long(encoded) => encoded.postings as usize,
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.bytes().is_empty()
    }

    pub(crate) fn iter(&self) -> Iter<'_> {
        Iter::new(self.bytes())
    }

    /// `added` is sorted by row and not in the list yet.
    pub(crate) fn add(&mut self, added: &[Posting]) {
        if self.add_inline(added) {
            return;
        }
        self.change(|encoded| match added.first() {
            Some(first) if encoded.postings > 0 && first.row.0 < encoded.last => {
                *encoded = encoded.merged(&[], added);
            }
            _ => added.iter().for_each(|posting| encoded.push(*posting)),
        });
    }

    /// `rows` are sorted.
    pub(crate) fn remove(&mut self, rows: &[Row]) {
        self.change(|encoded| *encoded = encoded.merged(rows, &[]));
    }

    /// Starts where the bookmark was set.
    pub(crate) fn iter_from(&self, bookmark: &Bookmark) -> Iter<'_> {
        let bytes = self.bytes();
        let read = bytes.len().saturating_sub(bookmark.left);
        let rest = bytes.get(read..).unwrap_or_default();
        Iter { rest, row: bookmark.row.0, taken: 0 }
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        match self {
            Self::Short { length, bytes } => bytes.split_at(usize::from(*length)).0,
            Self::Long(encoded) => &encoded.bytes,
        }
    }

    /// Appends to a short list. Returns whether the postings fit.
    fn add_inline(&mut self, added: &[Posting]) -> bool {
        let Self::Short { length, bytes } = self else { return false };
        let mut last = Iter::new(bytes.split_at(usize::from(*length)).0).at_end().row;
        let mut longer = *bytes;
        let mut end = usize::from(*length);
        for posting in added {
            let code = Code::new(*posting, last);
            let Some(place) = longer.get_mut(end..end + code.length) else { return false };
            if end > 0 && posting.row.0 < last {
                return false;
            }
            place.copy_from_slice(code.bytes());
            (end, last) = (end + code.length, posting.row.0);
        }
        *self = Self::Short { length: end as u8, bytes: longer };
        true
    }

    fn change(&mut self, change: impl Fn(&mut Encoded)) {
        if let Self::Long(encoded) = self {
            change(Arc::make_mut(encoded));
            if encoded.bytes.len() > INLINE {
                return;
            }
        }
        let mut encoded = self.encoded();
        if matches!(self, Self::Short { .. }) {
            change(&mut encoded);
        }
        let mut bytes = [0; INLINE];
        *self = match bytes.get_mut(..encoded.bytes.len()) {
            None => Self::Long(Arc::new(encoded)),
            Some(place) => {
                place.copy_from_slice(&encoded.bytes);
                Self::Short { length: encoded.bytes.len() as u8, bytes }
            }
        };
    }

    fn encoded(&self) -> Encoded {
        let mut bytes = Vec::with_capacity(self.bytes().len() + LONGEST);
        bytes.extend_from_slice(self.bytes());
        let Iter { row, taken, .. } = self.iter().at_end();
        Encoded { bytes, postings: taken, last: row }
    }
}

impl Default for PostingList {
    fn default() -> Self {
        Self::Short { length: 0, bytes: [0; INLINE] }
    }
}

impl Encoded {
    /// The row must come after the others.
    fn push(&mut self, posting: Posting) {
        let code = Code::new(posting, self.last);
        if self.bytes.capacity() - self.bytes.len() < code.length {
            // Doubling, as `Vec` does by default, would leave a third of all lists empty.
            self.bytes.reserve_exact(LONGEST + self.bytes.len() / GROWTH);
        }
        self.bytes.extend_from_slice(code.bytes());
        self.postings += 1;
        self.last = posting.row.0;
    }

    /// Copies the bytes before the first change and after the last unchanged.
    fn merged(&self, removed: &[Row], added: &[Posting]) -> Self {
        let first = added.first().map(|posting| posting.row);
        let first = first.into_iter().chain(removed.first().copied()).min();
        let mut old = Iter::new(&self.bytes);
        let mut merged = self.before(first.unwrap_or(Row(u32::MAX)), &mut old);
        let mut added = added.iter().copied().peekable();
        let mut removed = removed.iter().copied().peekable();
        while removed.peek().is_some() || added.peek().is_some() {
            let Some(posting) = old.next() else { break };
            while let Some(new) = added.next_if(|new| new.row < posting.row) {
                merged.push(new);
            }
            while removed.next_if(|row| *row < posting.row).is_some() {}
            if removed.next_if_eq(&posting.row).is_none() {
                merged.push(posting);
            }
        }
        added.for_each(|posting| merged.push(posting));
        if let Some(posting) = old.next() {
            merged.push(posting);
            merged.bytes.extend_from_slice(old.rest);
            merged.postings += self.postings - old.taken;
            merged.last = self.last;
        }
        merged
    }

    /// Advances `left` past the returned postings.
    fn before(&self, row: Row, left: &mut Iter<'_>) -> Self {
        let mut next = left.clone();
        while next.next().is_some_and(|posting| posting.row < row) {
            *left = next.clone();
        }
        let (before, _) = self.bytes.split_at(self.bytes.len() - left.rest.len());
        let mut bytes = Vec::with_capacity(self.bytes.len() + LONGEST);
        bytes.extend_from_slice(before);
        Self { bytes, postings: left.taken, last: left.row }
    }
}

struct Code {
    bytes: [u8; LONGEST],
    length: usize,
}

impl Code {
    /// `last` is the previous row, 0 for the first posting.
    #[inline]
    fn new(posting: Posting, last: u32) -> Self {
        let mut code = Self { bytes: [0; LONGEST], length: 0 };
        let distance = u64::from(posting.row.0.wrapping_sub(last));
        let is_repeated = posting.frequency != 1;
        code.write(distance << 1 | u64::from(is_repeated));
        if is_repeated {
            code.write(u64::from(posting.frequency));
        }
        code
    }

    fn bytes(&self) -> &[u8] {
        self.bytes.split_at(self.length).0
    }

    /// Writes 7 bits a byte, lowest first. The highest bit says that more follow.
    #[inline]
    fn write(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.push(number as u8);
    }

    #[inline]
    fn push(&mut self, byte: u8) {
        if let Some(place) = self.bytes.get_mut(self.length) {
            *place = byte;
            self.length += 1;
        }
    }
}

/// A place in a list.
#[derive(Clone)]
pub(crate) struct Bookmark {
    left: usize,
    row: Row,
}

impl Bookmark {
    /// Returns the row of the last posting, 0 before the first.
    pub(crate) fn row(&self) -> Row {
        self.row
    }
}

#[derive(Clone)]
pub(crate) struct Iter<'a> {
    rest: &'a [u8],
    /// The row of the last posting, and the number of postings so far.
    row: u32,
    taken: u32,
}

impl<'a> Iter<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes, row: 0, taken: 0 }
    }

    /// Returns whether all bytes were read. After the last posting, bytes are left if they are
    /// damaged.
    pub(crate) fn is_at_end(&self) -> bool {
        self.rest.is_empty()
    }

    /// Notes its place in `bookmarks` before every 64th posting.
    pub(crate) fn bookmarked(
        mut self,
        bookmarks: &mut Vec<Bookmark>,
    ) -> impl Iterator<Item = Posting> {
        iter::from_fn(move || {
            if self.taken.is_multiple_of(BOOKMARKED) {
                bookmarks.push(Bookmark { left: self.rest.len(), row: Row(self.row) });
            }
            self.next()
        })
    }

    fn at_end(mut self) -> Self {
        self.by_ref().for_each(drop);
        self
    }

    fn number(&mut self) -> Option<u64> {
        let (first, mut rest) = self.rest.split_first()?;
        let mut number = u64::from(first & 0x7f);
        let mut byte = *first;
        let mut shift = 7;
        while byte >= 0x80 {
            let (next, behind) = rest.split_first()?;
            number |= u64::from(next & 0x7f).wrapping_shl(shift);
            (byte, rest, shift) = (*next, behind, shift + 7);
        }
        self.rest = rest;
        Some(number)
    }
}

impl Iterator for Iter<'_> {
    type Item = Posting;

    #[inline]
    fn next(&mut self) -> Option<Posting> {
        let number = self.number()?;
        // Both fit 32 bits, as they did when written.
        let frequency = if number & 1 == 0 { 1 } else { self.number()? as u32 };
        self.row = self.row.wrapping_add((number >> 1) as u32);
        self.taken += 1;
        Some(Posting { row: Row(self.row), frequency })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::{collection::btree_map, prelude::*};

    use super::*;

    fn postings(rows: &BTreeMap<u32, u32>) -> Vec<Posting> {
        rows.iter()
            .map(|(row, frequency)| Posting { row: Row(*row), frequency: *frequency })
            .collect()
    }

    fn rows() -> impl Strategy<Value = BTreeMap<u32, u32>> {
        let row = prop_oneof![0..40_u32, 0..5000_u32, any::<u32>()];
        btree_map(row, prop_oneof![Just(1_u32), 1..300_u32, any::<u32>()], 0..40)
    }

    proptest! {
        #[test]
        fn list_contains_added_and_not_removed_postings(
            changes in proptest::collection::vec((rows(), rows()), 1..6),
        ) {
            let mut list = PostingList::default();
            let mut expected = BTreeMap::new();
            for (mut added, removed) in changes {
                let removed: Vec<Row> = removed.into_keys().map(Row).collect();
                list.remove(&removed);
                expected.retain(|row, _| !removed.contains(&Row(*row)));
                added.retain(|row, _| !expected.contains_key(row));
                list.add(&postings(&added));
                expected.extend(added);
                prop_assert_eq!(list.iter().collect::<Vec<_>>(), postings(&expected));
                prop_assert_eq!(list.len(), expected.len());
                prop_assert_eq!(list.is_empty(), expected.is_empty());
                prop_assert_eq!(matches!(list, PostingList::Short { .. }), list.bytes().len() <= INLINE);
            }
        }
    }

    #[test]
    fn posting_takes_one_or_two_bytes() {
        let mut list = PostingList::default();
        let rows = (0..1000).map(|row| (row * 50, 1 + row % 2));
        list.add(&postings(&rows.collect()));
        assert_eq!(list.bytes().len(), 1000 + 500);
        assert_eq!(size_of::<PostingList>(), 16);
    }
}
