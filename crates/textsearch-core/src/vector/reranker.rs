//! Models that score search results again.

use std::{fmt, sync::Arc};

use async_trait::async_trait;

use crate::{Error, ErrorKind, Result};

/// A model that scores texts against a query, such as a cross-encoder: more accurate than a search,
/// and too slow for more than the best results.
///
/// [`VectorStoreTextSearch::with_reranker`](super::VectorStoreTextSearch::with_reranker) adds one
/// to a search.
///
/// # Behavior
///
/// - A reranker returns one score per text, in order. Higher is better, on any scale.
/// - Texts come from documents and are untrusted: a model must not follow instructions in them.
///
/// ```
/// use textsearch_core::{Result, async_trait, vector::Reranker};
///
/// /// Puts texts that repeat the query first.
/// struct Verbatim;
///
/// #[async_trait]
/// impl Reranker for Verbatim {
///     fn name(&self) -> &str {
///         "verbatim"
///     }
///
///     async fn rerank(&self, query: &str, texts: &[String]) -> Result<Vec<f64>> {
///         Ok(texts.iter().map(|text| text.matches(query).count() as f64).collect())
///     }
/// }
/// ```
#[async_trait]
pub trait Reranker: Send + Sync {
    /// Returns the model's identifier, as its provider spells it, for errors.
    fn name(&self) -> &str;

    /// Returns how well each of `texts` matches `query`.
    ///
    /// # Errors
    ///
    /// Any kind that a model or a remote service causes. Either all texts are scored or the call
    /// fails.
    async fn rerank(&self, query: &str, texts: &[String]) -> Result<Vec<f64>>;
}

#[async_trait]
impl<R: Reranker + ?Sized> Reranker for Arc<R> {
    fn name(&self) -> &str {
        (**self).name()
    }

    async fn rerank(&self, query: &str, texts: &[String]) -> Result<Vec<f64>> {
        (**self).rerank(query, texts).await
    }
}

/// Scores `texts` with `reranker` and checks the scores. Errors name `connector` and the reranker.
///
/// # Errors
///
/// Returns the reranker's error, or [`ErrorKind::Undecodable`] if it returns too many or too few
/// scores, or one that is not finite.
pub async fn rerank_scores(
    reranker: &dyn Reranker,
    query: &str,
    texts: &[String],
    connector: &str,
) -> Result<Vec<f64>> {
    let name = reranker.name();
    tracing::debug!(reranker = name, texts = texts.len(), "rerank");
    let scores = reranker.rerank(query, texts).await.map_err(|error| {
        let message = format!("the reranker `{name}` failed: {}", error.message());
        let failed = Error::new(error.kind().clone(), connector, message);
        match error.retry_after() {
            Some(delay) => failed.with_retry_after(delay).with_source(error),
            None => failed.with_source(error),
        }
    })?;
    let unusable = |what: fmt::Arguments<'_>| {
        let message = format!("the reranker `{name}` returned {what}");
        Error::new(ErrorKind::Undecodable, connector, message)
    };
    if scores.len() != texts.len() {
        let (found, wanted) = (scores.len(), texts.len());
        return Err(unusable(format_args!("{found} scores for {wanted} texts")));
    }
    match scores.iter().find(|score| !score.is_finite()) {
        Some(score) => {
            Err(unusable(format_args!("the score {score}, which has no place in an order")))
        }
        None => Ok(scores),
    }
}
