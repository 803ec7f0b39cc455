//! Splits texts into batches, each computed by one thread.

use rayon::iter::{IndexedParallelIterator as _, IntoParallelRefIterator, ParallelIterator};
use textsearch_core::Result;

use crate::{threads::GoOn, tokens::Tokens};

/// Unless a single text is longer. Large enough that weights are rarely read; small enough that
/// intermediate results stay in a cache and all threads have work.
const MAX_TOKENS: usize = 256;

/// Makes tokens of the texts in parallel.
pub(crate) fn tokens(
    texts: &[String],
    go_on: &GoOn<'_>,
    tokenize: impl Fn(&str) -> Result<Tokens> + Sync,
) -> Result<Vec<Tokens>> {
    let tokens = texts.par_iter().map(|text| {
        go_on()?;
        tokenize(text)
    });
    tokens.collect()
}

/// A text and its index.
pub(crate) type Numbered<'a> = (usize, &'a Tokens);

/// Computes batches of the texts in parallel. `work` returns the values of a batch's texts, which
/// are returned in the order of `texts`.
pub(crate) fn in_parallel<T: Send>(
    texts: &[Tokens],
    go_on: &GoOn<'_>,
    work: impl Fn(&[Numbered<'_>]) -> Result<Vec<T>> + Sync,
) -> Result<Vec<T>> {
    let batches = split(texts);
    let by_batch = batches.par_iter().with_max_len(1).map(|batch| {
        go_on()?;
        let places = batch.iter().map(|(place, _)| *place);
        Ok(places.zip(work(batch)?).collect::<Vec<_>>())
    });
    let by_batch = by_batch.collect::<Result<Vec<_>>>()?;
    let mut values: Vec<(usize, T)> = by_batch.into_iter().flatten().collect();
    values.sort_unstable_by_key(|(place, _)| *place);
    Ok(values.into_iter().map(|(_, value)| value).collect())
}

/// Returns batches of at most `MAX_TOKENS` tokens. The longest texts come first, so that no thread
/// starts one when the others are done.
fn split(texts: &[Tokens]) -> Vec<Vec<Numbered<'_>>> {
    let mut texts: Vec<Numbered<'_>> = texts.iter().enumerate().collect();
    texts.sort_by_key(|(_, text)| std::cmp::Reverse(text.ids.len()));
    let mut batches: Vec<Vec<Numbered<'_>>> = Vec::new();
    let mut tokens = MAX_TOKENS;
    for (place, text) in texts {
        tokens += text.ids.len();
        match batches.last_mut() {
            Some(batch) if tokens <= MAX_TOKENS => batch.push((place, text)),
            _ => {
                tokens = text.ids.len();
                batches.push(vec![(place, text)]);
            }
        }
    }
    batches
}

#[cfg(test)]
mod tests {
    use super::*;

    fn batches_of(lengths: &[usize]) -> Vec<Vec<usize>> {
        let tokens = |length: &usize| Tokens { ids: vec![0; *length], ..Tokens::default() };
        let texts: Vec<Tokens> = lengths.iter().map(tokens).collect();
        let places = |batch: Vec<Numbered<'_>>| batch.iter().map(|(place, _)| *place).collect();
        split(&texts).into_iter().map(places).collect()
    }

    #[test]
    fn longest_texts_come_first_in_batches_of_limited_tokens() {
        assert_eq!(batches_of(&[100, 300, 100, 56, 1]), [vec![1], vec![0, 2, 3], vec![4]]);
    }

    #[test]
    fn every_text_is_in_one_batch() {
        let batches = batches_of(&[7; 1000]);
        let mut places = batches.concat();
        places.sort_unstable();
        assert_eq!(places, (0..1000).collect::<Vec<_>>());
        assert!(batches.iter().all(|batch| batch.len() <= 36));
    }

    #[test]
    fn no_texts_give_no_batches() {
        assert_eq!(batches_of(&[]), Vec::<Vec<usize>>::new());
    }
}
