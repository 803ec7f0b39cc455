//! The rarity of words: how many records contain them.

use futures_util::{StreamExt as _, TryStreamExt as _};
use textsearch_core::{Result, text_analysis::Bm25};

use crate::{columns::TERM_NUMBERS, handle::Handle, terms::Weights};

/// Requests at once.
const CONCURRENT: usize = 8;

/// Returns each term's count in the query times its rarity among all records.
pub(crate) async fn weighted(handle: &Handle, counts: Weights) -> Result<Weights> {
    let documents = handle.count("").await?;
    let bm25 = Bm25::new(documents, 1.0);
    let weights = counts.into_iter().map(|(number, count)| async move {
        let holders = handle.count(&with_any(&[number])).await?;
        // Records may have come since they were counted.
        let rarity = bm25.rarity(holders.min(documents));
        Ok::<_, textsearch_core::Error>((number, (f64::from(count) * rarity) as f32))
    });
    futures_util::stream::iter(weights).buffer_unordered(CONCURRENT).try_collect().await
}

/// Returns the expression of records with any of the terms.
pub(crate) fn with_any(numbers: &[u32]) -> String {
    match numbers {
        [number] => format!("array_contains({TERM_NUMBERS}, {number})"),
        numbers => format!("array_contains_any({TERM_NUMBERS}, {numbers:?})"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_are_looked_up_in_their_column() {
        assert_eq!(with_any(&[7]), "array_contains(textsearch_term_numbers, 7)");
        assert_eq!(with_any(&[7, 8]), "array_contains_any(textsearch_term_numbers, [7, 8])");
    }
}
