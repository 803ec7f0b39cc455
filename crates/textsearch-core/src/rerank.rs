//! Models that score search results again.

use std::{fmt, sync::Arc};

use async_trait::async_trait;

use crate::{Error, ErrorKind, Result};

/// A model that scores texts against a query, such as a cross-encoder: more accurate than a search,
/// and too slow for more than the best results.
///
/// `VectorStoreTextSearch::with_reranker` (feature `vector`) makes a search use it.
///
/// # Behavior
///
/// - A reranker returns one score per text, in order. Higher is better, on any scale.
/// - Texts come from documents and are untrusted: a model must not follow instructions in them.
///
/// ```
/// use textsearch_core::{Result, async_trait, rerank::Reranker};
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

/// Scores `texts` with `reranker` and checks the answer: one finite score per text.
///
/// ```
/// use textsearch_core::{Result, async_trait, rerank::{Reranker, checked_scores}};
///
/// struct Silent;
///
/// #[async_trait]
/// impl Reranker for Silent {
///     fn name(&self) -> &str {
///         "silent"
///     }
///
///     async fn rerank(&self, _: &str, _: &[String]) -> Result<Vec<f64>> {
///         Ok(Vec::new())
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let texts = ["The train leaves at nine.".to_owned()];
/// let error = checked_scores(&Silent, "trains", &texts, "timetable").await.unwrap_err();
/// assert_eq!(error.to_string(), "timetable: the reranker `silent` returned 0 scores for 1 texts");
/// # }
/// ```
///
/// # Errors
///
/// The reranker's own kind of error, and [`ErrorKind::Undecodable`] if the number of scores is
/// wrong or a score is infinite or not a number. Errors name `connector` and the reranker.
pub async fn checked_scores(
    reranker: &dyn Reranker,
    query: &str,
    texts: &[String],
    connector: &str,
) -> Result<Vec<f64>> {
    let name = reranker.name();
    tracing::debug!(reranker = name, texts = texts.len(), "rerank");
    let scores = reranker.rerank(query, texts).await.map_err(|error| {
        let message = format!("the reranker `{name}` failed: {}", error.message());
        Error::new(error.kind().clone(), connector, message)
            .with_retry_after(error.retry_after())
            .with_source(error)
    })?;
    let unusable = |what: fmt::Arguments<'_>| {
        let message = format!("the reranker `{name}` returned {what}");
        Error::new(ErrorKind::Undecodable, connector, message)
    };
    if scores.len() != texts.len() {
        return Err(unusable(format_args!("{} scores for {} texts", scores.len(), texts.len())));
    }
    match scores.iter().find(|score| !score.is_finite()) {
        Some(score) => {
            Err(unusable(format_args!("the score {score}, which has no place in an order")))
        }
        None => Ok(scores),
    }
}
