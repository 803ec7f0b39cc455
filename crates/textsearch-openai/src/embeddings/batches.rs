//! Splits texts into requests.

/// For fewer texts and tokens, several requests aren't worth it.
const FEW_TEXTS: usize = 64;
const FEW_TOKENS: usize = 8_000;

/// Spreads a call that fits into fewer batches over all `requests`, unless it is small. Returns the
/// maximum number of texts and tokens of a batch.
pub(super) fn shares(
    texts: &[String],
    max_texts: usize,
    max_tokens: usize,
    requests: usize,
) -> (usize, usize) {
    let tokens = texts.iter().map(|text| estimated_tokens(text)).fold(0, usize::saturating_add);
    let share = |all: usize, few: usize| all.div_ceil(requests.max(1)).max(few);
    (max_texts.min(share(texts.len(), FEW_TEXTS)), max_tokens.min(share(tokens, FEW_TOKENS)))
}

/// A text that exceeds the token limit forms its own batch.
pub(super) fn split(texts: &[String], max_texts: usize, max_tokens: usize) -> Vec<&[String]> {
    let mut batches = Vec::new();
    let mut start = 0;
    let mut tokens = 0_usize;
    for (place, text) in texts.iter().enumerate() {
        let more = estimated_tokens(text);
        let is_full = place - start >= max_texts || tokens.saturating_add(more) > max_tokens;
        if is_full && place > start {
            batches.extend(texts.get(start..place));
            (start, tokens) = (place, 0);
        }
        tokens = tokens.saturating_add(more);
    }
    batches.extend(texts.get(start..).filter(|rest| !rest.is_empty()));
    batches
}

/// About one per four ASCII characters, and one per other character.
fn estimated_tokens(text: &str) -> usize {
    let ascii = text.bytes().filter(u8::is_ascii).count();
    let others = text.chars().filter(|c| !c.is_ascii()).count();
    ascii.div_ceil(4) + others
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn lengths(texts: &[&str], max_texts: usize, max_tokens: usize) -> Vec<usize> {
        let texts: Vec<String> = texts.iter().map(|text| (*text).to_owned()).collect();
        split(&texts, max_texts, max_tokens).iter().map(|batch| batch.len()).collect()
    }

    #[test]
    fn a_batch_ends_at_its_text_or_token_limit() {
        assert_eq!(lengths(&["a", "b", "c", "d", "e"], 2, 100), [2, 2, 1]);
        assert_eq!(lengths(&["aaaa", "bbbb", "cccc", "東京"], 9, 2), [2, 1, 1]);
        assert_eq!(lengths(&["a", &"b".repeat(100), "c"], 9, 2), [1, 1, 1]);
        assert_eq!(lengths(&[], 9, 9), [0_usize; 0]);
    }

    #[test]
    fn large_calls_are_split_evenly_over_requests() {
        let shares = |count: usize, length: usize, requests: usize| {
            super::shares(&vec!["a".repeat(length); count], 2_048, 250_000, requests)
        };
        assert_eq!(shares(400, 40, 4), (100, 8_000));
        assert_eq!(shares(400, 400, 4), (100, 10_000));
        assert_eq!(shares(100, 40, 4), (64, 8_000));
        assert_eq!(shares(400, 400, 1), (400, 40_000));
        assert_eq!(shares(100_000, 400, 4), (2_048, 250_000));
    }

    proptest! {
        #[test]
        fn no_text_is_lost_or_moved(texts in prop::collection::vec("\\PC{0,30}", 0..40), max in 1_usize..9, tokens in 1_usize..40) {
            prop_assert_eq!(split(&texts, max, tokens).concat(), texts);
        }
    }
}
