//! A model in a folder as a `Reranker`.

use std::{fmt, sync::Arc};

use rayon::iter::{IntoParallelRefIterator, ParallelIterator};
use textsearch_core::{Result, async_trait, rerank::Reranker};

use crate::{
    LocalRerankerConfig, batches,
    folder::{Folder, ModelConfig, ScoreActivation, Sentences, Weights},
    limits,
    model::{Encoder, Head},
    task::Task,
    threads::{GoOn, Threads},
    tokens::{Cuts, PairTokenizer, Tokens},
};

const TASK: Task = Task::Reranking;

/// A cross-encoder in a local folder: a sequence classifier of the BERT family with one label, which
/// reads query and text together. Computes on the CPU: in 32-bit floats, or with
/// [8-bit weights](crate::Precision::Int8).
///
/// A score is the model's logit, on any scale. If `config.json` or
/// `config_sentence_transformers.json` names the activation `Sigmoid`, scores are from 0 to 1.
/// sentence-transformers also applies `Sigmoid` to models that name none; the order is the same. A
/// text's score doesn't depend on the other texts.
///
/// For 71 pairs and small models of BERT, DistilBERT and XLM-RoBERTa, and for 100 pairs and the
/// weights of all-MiniLM-L6-v2, scores differ from the reference by less than 0.0001.
///
/// The model works on separate threads and doesn't block an async runtime. Dropping a call's future
/// ends the work after the texts and batches in progress.
///
/// If query and text together exceed the model's limit, the longer one is truncated, but to no less
/// than half of the limit, as in sentence-transformers (`longest_first`). A warning event reports
/// how many tokens of how many pairs were left out.
///
/// Clones share the model and its threads.
///
/// ```no_run
/// use textsearch_embeddings_local::{LocalReranker, LocalRerankerConfig, Reranker};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> textsearch_embeddings_local::Result<()> {
/// let model = LocalReranker::new(LocalRerankerConfig::new("models/ms-marco-MiniLM-L6-v2"))?;
/// let texts = ["The train leaves at nine.".to_owned(), "A filter is applied or refused.".to_owned()];
/// let scores = model.rerank("Is a filter ever dropped?", &texts).await?;
/// assert!(scores[1] > scores[0]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct LocalReranker {
    model: Arc<Model>,
    threads: Threads,
}

struct Model {
    model_id: String,
    max_tokens: usize,
    tokenizer: PairTokenizer,
    encoder: Encoder,
    head: Head,
    activation: ScoreActivation,
}

impl LocalReranker {
    /// Loads the model. Reads all weights: on an async runtime, call it where blocking is allowed.
    ///
    /// # Errors
    /// - [`ErrorKind::InvalidOptions`](crate::ErrorKind::InvalidOptions) if a setting is out of
    ///   range.
    /// - [`ErrorKind::Backend`](crate::ErrorKind::Backend) if a file of the folder is missing,
    ///   broken or not supported, or if the threads can't start. The error names the file, the
    ///   fault, and the supported values.
    pub fn new(config: LocalRerankerConfig) -> Result<Self> {
        let threads = Threads::start(TASK, config.threads)?;
        let model = threads.install(|| Model::load(config))?;
        Ok(Self { model: Arc::new(model), threads })
    }

    /// Returns the maximum number of tokens per pair of query and text, including the start and end
    /// tokens.
    pub fn max_tokens(&self) -> usize {
        self.model.max_tokens
    }
}

#[async_trait]
impl Reranker for LocalReranker {
    fn name(&self) -> &str {
        &self.model.model_id
    }

    async fn rerank(&self, query: &str, texts: &[String]) -> Result<Vec<f64>> {
        if texts.is_empty() {
            return Ok(Vec::new());
        }
        let model = Arc::clone(&self.model);
        let query = query.to_owned();
        let texts = texts.to_vec();
        let work = self.threads.run(move |go_on| model.score(&query, &texts, go_on));
        let (scores, cuts) = work.await?;
        cuts.warn(self.model.max_tokens, &self.model.model_id);
        Ok(scores)
    }
}

impl Model {
    fn load(config: LocalRerankerConfig) -> Result<Self> {
        let folder = Folder::open(&config.folder, TASK)?;
        let shape = ModelConfig::read(&folder)?;
        let activation = ScoreActivation::read(&folder)?;
        let sentences = Sentences::read(&folder)?;
        let max_tokens = limits::max_tokens(TASK, config.max_tokens, &shape, &sentences)?;
        let tokenizer = PairTokenizer::load(&folder, &shape, &sentences, max_tokens)?;
        let bytes = Weights::bytes(&folder)?;
        let weights = Weights::new(&folder, &bytes)?;
        Ok(Self {
            model_id: config.model_id.unwrap_or_else(|| folder.name()),
            max_tokens,
            tokenizer,
            // First, because it tells a classifier from a model of embeddings.
            head: Head::load(&weights, &shape)?,
            encoder: Encoder::load(&weights, shape, config.precision)?,
            activation,
        })
    }

    fn score(&self, query: &str, texts: &[String], go_on: &GoOn<'_>) -> Result<(Vec<f64>, Cuts)> {
        let query = self.tokenizer.query(query)?;
        let tokens = texts.par_iter().map(|text| {
            go_on()?;
            self.tokenizer.pair(&query, text)
        });
        let tokens = tokens.collect::<Result<Vec<Tokens>>>()?;
        if let Some(place) = tokens.iter().position(|text| text.ids.is_empty()) {
            let message = format!("query and text {place}, counted from 0, have no tokens");
            return Err(TASK.error(message));
        }
        let score = |batch: &[usize]| self.score_batch(batch, &tokens);
        Ok((batches::in_parallel(&tokens, go_on, score)?, Cuts::new(&tokens)))
    }

    fn score_batch(&self, batch: &[usize], tokens: &[Tokens]) -> Result<Vec<f64>> {
        let texts: Vec<&Tokens> = batch.iter().filter_map(|place| tokens.get(*place)).collect();
        let hidden = self.encoder.shape().hidden;
        self.encoder.encode(&texts, |mut rows| {
            let mut scores = Vec::with_capacity(batch.len());
            for (place, text) in batch.iter().zip(&texts) {
                let (own, others) = rows.split_at(text.ids.len() * hidden);
                rows = others;
                scores.push(self.score_of(*place, own.get(..hidden).unwrap_or_default())?);
            }
            Ok(scores)
        })
    }

    fn score_of(&self, place: usize, first: &[f32]) -> Result<f64> {
        let logit = self.head.logit(first);
        // The head's activation may turn an infinite value into a finite one.
        if !first.iter().all(|value| value.is_finite()) || !logit.is_finite() {
            return Err(TASK.error(format!(
                "the score of the text {place}, counted from 0, is beyond 32-bit floats: the weights of the model `{}` \
                 are too large, or broken",
                self.model_id
            )));
        }
        Ok(self.activation.apply(logit))
    }
}

impl fmt::Debug for LocalReranker {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("LocalReranker")
            .field("model_id", &self.model.model_id)
            .field("max_tokens", &self.model.max_tokens)
            .field("threads", &self.threads.count())
            .finish()
    }
}
