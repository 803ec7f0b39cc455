//! The rarity of words: how many records contain them.
//!
//! A search for one word finds its holders, up to the server's limit. A filter, which reads all
//! records, counts only words with more holders, or whose holders' keys exceed one response.

use futures_util::{StreamExt as _, TryStreamExt as _};
use textsearch_core::{Result, text_analysis::Bm25};

use crate::{
    columns::{MAX_ELEMENTS, TERM_NUMBERS, TERMS},
    error::{Failure, undecodable},
    filter::both,
    handle::Handle,
    proto::DataType,
    request::{MAX_RESULTS, Search},
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
    let batches: Vec<Vec<u32>> = numbers.chunks(AT_ONCE).map(<[u32]>::to_vec).collect();
    let batches = futures_util::stream::iter(batches);
    let requests = batches.map(|numbers| holders(handle, numbers)).buffer_unordered(CONCURRENT);
    let (all, holders) =
        futures_util::future::try_join(handle.count(""), requests.try_concat()).await?;
    let count_of =
        |number: u32| holders.iter().find(|(known, _)| *known == number).map_or(0, |(_, n)| *n);
    let documents = all.saturating_sub(count_of(NO_TERMS));
    let bm25 = Bm25::new(documents, 1.0);
    let weights = counts.into_iter().map(|(number, count)| {
        // Records may be written between the counts.
        let rarity = bm25.rarity(count_of(number).min(documents));
        (number, (f64::from(count) * rarity) as f32)
    });
    Ok(weights.collect())
}

/// Returns how many records have each of the terms. Asks for fewer terms at once if the response
/// would be too large.
async fn holders(handle: &Handle, numbers: Vec<u32>) -> Result<Vec<(u32, u64)>> {
    let mut holders = Vec::with_capacity(numbers.len());
    let mut rest = numbers.as_slice();
    let mut at_once = numbers.len();
    while !rest.is_empty() {
        let (batch, after) = rest.split_at(rest.len().min(at_once));
        match (counts_of(handle, batch).await, batch) {
            (Err(failure), &[number]) if failure.too_large => {
                holders.push((number, count(handle, number).await?));
            }
            (Err(failure), _) if failure.too_large => {
                at_once = batch.len() / 2;
                continue;
            }
            (counts, _) => {
                for (number, matched) in batch.iter().copied().zip(counts?) {
                    let is_all = matched < MAX_RESULTS as u64;
                    let matched = if is_all { matched } else { count(handle, number).await? };
                    holders.push((number, matched));
                }
            }
        }
        rest = after;
    }
    Ok(holders)
}

async fn count(handle: &Handle, number: u32) -> Result<u64> {
    handle.count(&with_any(&[number])).await
}

/// Counts the records of a condition that have any of the words. Returns `None` if the server can't.
///
/// The lists of a record's terms may be cut, so records with cut lists are searched.
pub(crate) async fn count_any(
    handle: &Handle,
    condition: &str,
    weights: &Weights,
) -> Result<Option<u64>> {
    let numbers: Vec<u32> = weights.keys().copied().collect();
    let listed = both(condition, &with_any(&numbers));
    let unlisted = cut_without(&numbers);
    let unlisted = both(condition, &unlisted);
    let listed = async { handle.count(&listed).await.map_err(Failure::from) };
    let unlisted = holders_of(handle, &unlisted, vec![to_bytes(weights)]);
    match futures_util::future::try_join(listed, unlisted).await {
        Ok((listed, unlisted)) => {
            let unlisted = unlisted.into_iter().sum::<u64>();
            Ok((unlisted < MAX_RESULTS as u64).then_some(listed + unlisted))
        }
        Err(failure) if failure.too_large => Ok(None),
        Err(failure) => Err(failure.into()),
    }
}

/// Returns how many records a search for each of the terms finds.
async fn counts_of(handle: &Handle, numbers: &[u32]) -> Result<Vec<u64>, Failure> {
    let vectors = numbers.iter().map(|number| to_bytes(&Weights::from([(*number, 1.0)])));
    holders_of(handle, "", vectors.collect()).await
}

/// Returns how many records of a condition a search for each of the vectors finds.
async fn holders_of(
    handle: &Handle,
    condition: &str,
    vectors: Vec<Vec<u8>>,
) -> Result<Vec<u64>, Failure> {
    let expected = vectors.len();
    let search = Search {
        condition,
        column: TERMS,
        metric: "IP",
        data_type: DataType::SparseFloatVector,
        vectors,
        limit: MAX_RESULTS,
        parameters: serde_json::json!({}),
        outputs: Vec::new(),
    };
    let response = handle.run_search(search).await?;
    if response.topks.len() != expected {
        let fault = format!("it has {} results for {expected} vectors", response.topks.len());
        return Err(undecodable("Search", fault).into());
    }
    Ok(response.topks.into_iter().map(i64::unsigned_abs).collect())
}

/// Returns the expression of records whose lists are full, so maybe cut, and lack all the terms.
fn cut_without(numbers: &[u32]) -> String {
    format!("array_length({TERM_NUMBERS}) == {MAX_ELEMENTS} and not ({})", with_any(numbers))
}

/// Returns the expression of records with any of the terms in their lists.
fn with_any(numbers: &[u32]) -> String {
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
        let expected = "array_length(textsearch_term_numbers) == 4096 \
                        and not (array_contains(textsearch_term_numbers, 7))";
        assert_eq!(cut_without(&[7]), expected);
    }
}
