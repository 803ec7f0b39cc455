//! A cross-encoder: query and text are read together.

use textsearch_core::Result;

use crate::{
    LocalRerankerConfig, batches,
    folder::{Folder, ModelConfig, PoolingMode, ScoreActivation, Sentences, Weights},
    limits,
    model::{Encoder, Head},
    pooling,
    task::Task,
    threads::GoOn,
    tokens::{Cuts, PairTokenizer},
};

const TASK: Task = Task::Reranking;

pub(crate) struct CrossEncoder {
    tokenizer: PairTokenizer,
    encoder: Encoder,
    head: Head,
    activation: ScoreActivation,
    pooling: PoolingMode,
}

impl CrossEncoder {
    /// Also returns the maximum number of tokens of a pair.
    pub(crate) fn load(
        folder: &Folder,
        config: &LocalRerankerConfig,
        sentences: &Sentences,
    ) -> Result<(Self, usize)> {
        let shape = ModelConfig::read(folder)?;
        let activation = ScoreActivation::read(folder, sentences)?;
        let pooling = PoolingMode::for_classifier(folder)?;
        let max_tokens =
            limits::max_tokens(TASK, config.max_tokens, shape.longest(), sentences.max_tokens)?;
        let tokenizer = PairTokenizer::load(folder, &shape, sentences, max_tokens)?;
        let bytes = Weights::bytes(folder)?;
        let weights = Weights::new(folder, &bytes, &shape.token_embeddings())?;
        let model = Self {
            tokenizer,
            // First, because it tells a classifier from a model of embeddings.
            head: Head::load(&weights, &Weights::without_prefix(folder, &bytes)?, &shape)?,
            encoder: Encoder::load(&weights, shape, config.precision, max_tokens)?,
            activation,
            pooling,
        };
        Ok((model, max_tokens))
    }

    pub(crate) fn score(
        &self,
        query: &str,
        texts: &[String],
        model_id: &str,
        go_on: &GoOn<'_>,
    ) -> Result<(Vec<f64>, Cuts)> {
        let query = self.tokenizer.query(query)?;
        let tokens = batches::tokens(texts, go_on, |text| self.tokenizer.pair(&query, text))?;
        if let Some(place) = tokens.iter().position(|text| text.ids.is_empty()) {
            let message = format!("query and text {place}, counted from 0, have no tokens");
            return Err(TASK.error(message));
        }
        let hidden = self.encoder.shape().hidden;
        let scores = batches::in_parallel(&tokens, go_on, |batch| {
            self.encoder.encode(batch, |(place, _), rows| {
                let score = self.score_of(&pooling::pool(self.pooling, rows, hidden));
                score.ok_or_else(|| TASK.beyond_floats("score", Some(place), model_id))
            })
        });
        Ok((scores?, Cuts::new(&tokens)))
    }

    /// Returns `None` if a value is beyond 32-bit floats.
    fn score_of(&self, pooled: &[f32]) -> Option<f64> {
        let logit = self.head.logit(pooled);
        // The head's activation may turn an infinite value into a finite one.
        let is_finite = pooled.iter().all(|value| value.is_finite()) && logit.is_finite();
        is_finite.then(|| self.activation.apply(logit))
    }
}
