//! A model behind an HTTP API as a `Reranker`.

use std::sync::Arc;

use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use textsearch_core::{
    ErrorKind, Result, async_trait,
    http::{HttpClient, HttpRequest, Url},
    rerank::Reranker,
};

use crate::{
    CONNECTOR, RerankConfig, RerankFormat, batches, failure,
    request::request,
    response::{Rank, Ranking, in_order},
};

/// A reranker behind an HTTP API.
///
/// A call takes any number of texts. It sends them in concurrent batches and returns one score per
/// text, in order. The first failure ends the call. Dropping the call cancels its requests.
///
/// ```no_run
/// use textsearch_rerank::{RerankClient, RerankConfig, Reranker};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> textsearch_rerank::Result<()> {
/// let reranker = RerankClient::new(RerankConfig::new("http://localhost:8000/rerank"))?;
/// let texts = ["The train leaves at nine.".to_owned(), "A filter is applied or refused.".to_owned()];
/// let scores = reranker.rerank("Is a filter ever dropped?", &texts).await?;
/// assert_eq!(scores.len(), 2);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct RerankClient {
    config: Arc<RerankConfig>,
    client: HttpClient,
}

impl RerankClient {
    /// Creates a reranker with these settings.
    ///
    /// # Errors
    /// Returns [`ErrorKind::InvalidOptions`], naming the setting and its allowed values, if a
    /// setting is invalid.
    pub fn new(config: RerankConfig) -> Result<Self> {
        config.check()?;
        let client = HttpClient::new(CONNECTOR, config.http.clone())?;
        let client = client.with_error_reader(failure::read_error);
        Ok(Self { config: Arc::new(config), client })
    }

    /// Replaces the HTTP client. The client's own settings apply instead of the configured ones.
    #[must_use]
    pub fn with_http_client(mut self, client: HttpClient) -> Self {
        self.client = client.with_error_reader(failure::read_error);
        self
    }

    async fn scores(&self, url: &Url, query: &str, texts: &[&str]) -> Result<Vec<f64>> {
        let request = request(&self.config, url, query, texts);
        let ranks = self.ranks(request.clone()).await?;
        in_order(&ranks, texts.len()).map_err(|reason| {
            let message = format!("the answer has no usable scores: {reason}");
            request.error(CONNECTOR, ErrorKind::Undecodable, &message)
        })
    }

    async fn ranks(&self, request: HttpRequest) -> Result<Vec<Rank>> {
        Ok(match self.config.format {
            RerankFormat::Cohere => self.client.send_json::<Ranking>(request).await?.body.results,
            RerankFormat::Tei => self.client.send_json(request).await?.body,
        })
    }
}

#[async_trait]
impl Reranker for RerankClient {
    /// Without a configured model, returns `rerank`.
    fn name(&self) -> &str {
        self.config.model.as_deref().unwrap_or(CONNECTOR)
    }

    async fn rerank(&self, query: &str, texts: &[String]) -> Result<Vec<f64>> {
        let url = self.config.url()?;
        let config = &self.config;
        let (texts, longer) = batches::beginnings(texts, config.max_text_chars);
        if longer > 0 {
            tracing::warn!(
                texts = longer,
                "texts are longer than {} characters; what follows was left out",
                config.max_text_chars,
            );
        }
        let batches = batches::split(&texts, config.batch_texts(), config.max_batch_bytes);
        let batches = batches.into_iter().enumerate();
        // A list of futures: as a closure of the stream, they would have too few lifetimes.
        let answers: Vec<_> = batches
            .map(|(place, batch)| {
                let scores = self.scores(&url, query, batch);
                async move { Result::Ok((place, scores.await?)) }
            })
            .collect();
        // Processes answers as they arrive: a failure doesn't wait for a slower batch.
        let answers = stream::iter(answers).buffer_unordered(config.concurrent_batches);
        let mut scores: Vec<(usize, Vec<f64>)> = answers.try_collect().await?;
        scores.sort_unstable_by_key(|(place, _)| *place);
        Ok(scores.into_iter().flat_map(|(_, scores)| scores).collect())
    }
}
