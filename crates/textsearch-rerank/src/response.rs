//! Scores in a response.

use serde::Deserialize;

/// Cohere's format.
#[derive(Debug, Deserialize)]
pub(crate) struct Ranking {
    pub(crate) results: Vec<Rank>,
}

/// Best first, so the text is known by its index.
#[derive(Debug, Deserialize)]
pub(crate) struct Rank {
    index: usize,
    #[serde(alias = "score")]
    relevance_score: f64,
}

/// Returns the scores in the order of the texts. Each of `count` texts must have exactly one.
pub(crate) fn in_order(ranks: &[Rank], count: usize) -> Result<Vec<f64>, String> {
    if ranks.len() != count {
        return Err(format!("{} scores for {count} texts", ranks.len()));
    }
    let mut scores = vec![None; count];
    for Rank { index, relevance_score } in ranks {
        let slot = scores.get_mut(*index).filter(|slot| slot.is_none());
        let slot = slot.ok_or_else(|| format!("the index {index} is repeated or out of range"))?;
        *slot = Some(*relevance_score);
    }
    Ok(scores.into_iter().flatten().collect())
}
