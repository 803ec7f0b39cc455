//! Embeddings.

mod batches;
mod response;

use std::sync::Arc;

use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use serde_json::{Map, Value};
use textsearch_core::{
    Error, ErrorKind, Result, async_trait,
    http::{HttpClient, HttpRequest},
    vector::{EmbeddingGenerator, EmbeddingSettings, Embeddings},
};

use crate::{
    CONNECTOR, OpenAiConfig,
    config::{Target, refused},
    failure,
};
use response::Answer;

/// An embedding model behind OpenAI's [embeddings
/// API](https://platform.openai.com/docs/api-reference/embeddings/create), of the hosted service,
/// Azure or a self-hosted server.
///
/// A call takes any number of texts. It sends them in concurrent batches and returns the vectors in
/// the order of the texts. The first failure ends the call. Dropping the call cancels its requests.
/// The purpose of the vectors is ignored.
///
/// ```no_run
/// use textsearch_openai::{EmbeddingGenerator, EmbeddingSettings, OpenAiConfig, OpenAiEmbeddings};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> textsearch_openai::Result<()> {
/// let model = OpenAiEmbeddings::new(OpenAiConfig::embeddings_from_env()?)?.with_dimensions(512);
/// let texts = ["Filters are applied or refused.".to_owned()];
/// let embeddings = model.generate(&texts, &EmbeddingSettings::default()).await?;
/// assert_eq!(embeddings.vectors[0].len(), 512);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct OpenAiEmbeddings {
    config: Arc<OpenAiConfig>,
    target: Target,
    client: HttpClient,
    dimensions: Option<usize>,
}

const OWN_FIELDS: &[&str] = &["model", "input", "dimensions", "encoding_format"];

impl OpenAiEmbeddings {
    /// Creates a model with these settings.
    ///
    /// # Errors
    /// Returns [`ErrorKind::InvalidOptions`], naming the setting and its allowed values, if a
    /// setting is invalid.
    pub fn new(config: OpenAiConfig) -> Result<Self> {
        let target = Target::new(&config)?;
        config.check(&target)?;
        let client = HttpClient::new(CONNECTOR, config.http.clone())?;
        let client = client.with_error_reader(failure::read_error);
        Ok(Self { config: Arc::new(config), target, client, dimensions: None })
    }

    /// Sets the default number of elements of a vector (`dimensions`), which a call may override.
    /// OpenAI's models since `text-embedding-3` can shorten their vectors.
    #[must_use]
    pub fn with_dimensions(mut self, dimensions: usize) -> Self {
        self.dimensions = Some(dimensions);
        self
    }

    /// Replaces the HTTP client. The client's own settings apply instead of the configured ones.
    #[must_use]
    pub fn with_http_client(mut self, client: HttpClient) -> Self {
        self.client = client.with_error_reader(failure::read_error);
        self
    }

    fn fields(&self, settings: &EmbeddingSettings) -> Result<Map<String, Value>> {
        if let Some(name) = settings.extra.keys().find(|name| OWN_FIELDS.contains(&name.as_str())) {
            let value = "a field that this crate sets itself";
            return Err(refused(&format!("extra.{name}"), value, "only other fields"));
        }
        let mut fields = settings.extra.clone();
        fields.insert("model".to_owned(), self.config.model.as_str().into());
        let dimensions = settings.dimensions.or(self.dimensions);
        if dimensions == Some(0) {
            return Err(refused("dimensions", "0", "at least 1"));
        }
        fields.extend(dimensions.map(|count| ("dimensions".to_owned(), count.into())));
        if self.config.base64_embeddings.unwrap_or(self.target.is_hosted) {
            fields.insert("encoding_format".to_owned(), "base64".into());
        }
        Ok(fields)
    }

    fn request(&self, fields: &Map<String, Value>, texts: &[String]) -> HttpRequest {
        let mut body = fields.clone();
        body.insert("input".to_owned(), texts.into());
        self.target.request(&self.config, "embeddings", &self.config.model).with_json(&body)
    }
}

#[async_trait]
impl EmbeddingGenerator for OpenAiEmbeddings {
    fn model_id(&self) -> &str {
        &self.config.model
    }

    fn provider(&self) -> Option<&str> {
        Some(CONNECTOR)
    }

    fn dimensions(&self) -> Option<usize> {
        self.dimensions.or(match self.config.model.as_str() {
            "text-embedding-3-small" | "text-embedding-ada-002" => Some(1536),
            "text-embedding-3-large" => Some(3072),
            _ => None,
        })
    }

    async fn generate(&self, texts: &[String], settings: &EmbeddingSettings) -> Result<Embeddings> {
        if let Some(place) = texts.iter().position(String::is_empty) {
            let message =
                format!("the text {place}, counted from 0, is empty: it has no embedding");
            return Err(Error::new(ErrorKind::Embedding, CONNECTOR, message));
        }
        let fields = self.fields(settings)?;
        let dimensions = settings.dimensions.or(self.dimensions);
        let OpenAiConfig { max_batch_texts, max_batch_tokens, concurrent_batches, .. } =
            *self.config;
        let (max_texts, max_tokens) =
            batches::shares(texts, max_batch_texts, max_batch_tokens, concurrent_batches);
        let batches = batches::split(texts, max_texts, max_tokens);
        let requests: Vec<(usize, HttpRequest, usize)> = (0..)
            .zip(batches)
            .map(|(place, batch)| (place, self.request(&fields, batch), batch.len()))
            .collect();
        let answers = stream::iter(requests).map(|(place, request, count)| {
            let answer = embed(self.client.clone(), request, count, dimensions);
            async move { answer.await.map(|answer| (place, answer)) }
        });
        // As they arrive: a failure doesn't wait for a slower batch.
        let answers = answers.buffer_unordered(concurrent_batches);
        let mut answers: Vec<(usize, Embeddings)> = answers.try_collect().await?;
        answers.sort_unstable_by_key(|(place, _)| *place);
        joined(answers.into_iter().map(|(_, answer)| answer))
    }
}

async fn embed(
    client: HttpClient,
    request: HttpRequest,
    count: usize,
    dimensions: Option<usize>,
) -> Result<Embeddings> {
    let body = client.send_json::<Value>(request.clone()).await?.body;
    if let Some(error) = failure::error_in(&body, &request) {
        return Err(error);
    }
    let unusable = |reason: String| {
        let message = format!("the answer has no usable embeddings: {reason}");
        request.error(CONNECTOR, ErrorKind::Undecodable, &message)
    };
    let answer: Answer =
        serde_json::from_value(body).map_err(|error| unusable(error.to_string()))?;
    answer.into_embeddings(count, dimensions).map_err(unusable)
}

fn sum(left: Option<u64>, right: Option<u64>) -> Option<u64> {
    match (left, right) {
        (Some(left), Some(right)) => Some(left.saturating_add(right)),
        (left, right) => left.or(right),
    }
}

/// All vectors of a call must have the same length.
fn joined(answers: impl Iterator<Item = Embeddings>) -> Result<Embeddings> {
    let mut all = Embeddings::default();
    for answer in answers {
        all.vectors.extend(answer.vectors);
        all.tokens = sum(all.tokens, answer.tokens);
    }
    let length = all.vectors.first().map(|vector| vector.len());
    match all.vectors.iter().find(|vector| Some(vector.len()) != length) {
        None => Ok(all),
        Some(other) => {
            let message = format!(
                "the vectors of one call have {} elements and {}",
                length.unwrap_or_default(),
                other.len()
            );
            Err(Error::new(ErrorKind::Embedding, CONNECTOR, message))
        }
    }
}
