//! How streams are split into chunks.

/// How a stream is split into chunks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Chunks {
    /// At arbitrary bytes, even inside names, escapes and characters, determined by a seed.
    Arbitrary {
        /// The seed.
        seed: u64,
    },
    /// After each event, as a provider does.
    PerEvent,
    /// After this many bytes.
    OfBytes(usize),
    /// Not at all.
    Whole,
}

/// In bytes.
const LONGEST: u64 = 48;

impl Chunks {
    pub(super) fn cut(self, events: &[Vec<u8>]) -> Vec<Vec<u8>> {
        let whole = || events.concat();
        match self {
            Self::PerEvent => events.to_vec(),
            Self::Whole => vec![whole()],
            Self::OfBytes(length) => whole().chunks(length.max(1)).map(<[u8]>::to_vec).collect(),
            Self::Arbitrary { seed } => cut_at(&whole(), &mut Random::new(seed)),
        }
    }
}

fn cut_at(mut bytes: &[u8], random: &mut Random) -> Vec<Vec<u8>> {
    let mut pieces = Vec::new();
    while !bytes.is_empty() {
        let length = usize::try_from(1 + random.below(LONGEST)).unwrap_or(1).min(bytes.len());
        let (piece, rest) = bytes.split_at(length);
        pieces.push(piece.to_vec());
        bytes = rest;
    }
    pieces
}

/// Pseudorandom numbers (SplitMix64).
pub(super) struct Random(u64);

impl Random {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(super) fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % end.max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_split_keeps_all_bytes() {
        let events = [b"data: {\"a\":\"\xc3\xa4\"}\n\n".to_vec(), b"data: [DONE]\n\n".to_vec()];
        let ways =
            [Chunks::Arbitrary { seed: 7 }, Chunks::PerEvent, Chunks::OfBytes(1), Chunks::Whole];
        for way in ways {
            assert_eq!(way.cut(&events).concat(), events.concat(), "{way:?}");
        }
    }

    #[test]
    fn the_seed_determines_the_splits() {
        let events = [vec![b'x'; 2000]];
        let cut = |seed| Chunks::Arbitrary { seed }.cut(&events);
        assert_eq!(cut(1), cut(1));
        assert_ne!(cut(1), cut(2));
    }
}
