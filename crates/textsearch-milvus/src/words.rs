//! The rarity of words: how many records contain them.
//!
//! A search for one word finds its holders, up to the server's limit. Only words with more holders
//! must be counted by a filter, which reads all records.

use futures_util::{StreamExt as _, TryStreamExt as _};
use textsearch_core::{Error, Result, text_analysis::Bm25};

use crate::{
    columns::{TERM_NUMBERS, TERMS},
    error::undecodable,
    handle::Handle,
    proto::DataType,
    request::{MOST, Search},
    terms::{NO_TERMS, Weights, to_bytes},
};

/// Words of one request: the response has a key for each holder.
const AT_ONCE: usize = 16;

/// Requests at once.
const CONCURRENT: usize = 4;

/// Returns each term's count in the query times its rarity among the records with any term.
pub(crate) async fn weighted(handle: &Handle, counts: Weights) -> Result<Weights> {
    let mut numbers: Vec<u32> = counts.keys().copied().collect();
    numbers.push(NO_TERMS);
    let requests: Vec<Vec<u32>> = numbers.chunks(AT_ONCE).map(<[u32]>::to_vec).collect();
    let requests = futures_util::stream::iter(requests);
    let requests = requests.map(|numbers| holders(handle, numbers)).buffer_unordered(CONCURRENT);
    let (all, holders) =
        futures_util::future::try_join(handle.count(""), requests.try_concat()).await?;
    let of = |number: u32| holders.iter().find(|(one, _)| *one == number).map_or(0, |(_, n)| *n);
    let documents = all.saturating_sub(of(NO_TERMS));
    let bm25 = Bm25::new(documents, 1.0);
    let weights = counts.into_iter().map(|(number, count)| {
        // Records may be written between the counts.
        let rarity = bm25.rarity(of(number).min(documents));
        (number, (f64::from(count) * rarity) as f32)
    });
    Ok(weights.collect())
}

/// Returns how many records have each of the terms.
async fn holders(handle: &Handle, numbers: Vec<u32>) -> Result<Vec<(u32, u64)>> {
    let search = Search {
        condition: "",
        column: TERMS,
        metric: "IP",
        data_type: DataType::SparseFloatVector,
        vectors: numbers.iter().map(|number| to_bytes(&Weights::from([(*number, 1.0)]))).collect(),
        limit: MOST,
        parameters: serde_json::json!({}),
        outputs: Vec::new(),
    };
    let found = handle.found(search).await.map_err(Error::from)?;
    if found.topks.len() != numbers.len() {
        let fault = format!("it has {} results for {} words", found.topks.len(), numbers.len());
        return Err(undecodable("Search", fault));
    }
    let mut holders = Vec::with_capacity(numbers.len());
    for (number, found) in numbers.into_iter().zip(found.topks) {
        let found = found.unsigned_abs();
        let is_all = found < MOST as u64;
        let count = if is_all { found } else { handle.count(&with_any(&[number])).await? };
        holders.push((number, count));
    }
    Ok(holders)
}

/// Returns the expression of records with any of the terms.
pub(crate) fn with_any(numbers: &[u32]) -> String {
    match numbers {
        [NO_TERMS] => format!("array_length({TERM_NUMBERS}) == 0"),
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
        assert_eq!(with_any(&[NO_TERMS]), "array_length(textsearch_term_numbers) == 0");
    }
}
