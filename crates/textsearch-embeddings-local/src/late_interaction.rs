//! A late-interaction model, such as ColBERT: each token of the query finds the token of the text
//! that fits best.

use textsearch_core::Result;

use crate::{
    LocalRerankerConfig, batches,
    folder::{Folder, LateInteractionSettings, ModelConfig, Sentences, Weights},
    limits,
    model::{Dense, Encoder, QueryVectors},
    pooling,
    task::Task,
    threads::GoOn,
    tokens::{Cuts, TextTokenizer, Tokens},
};

const TASK: Task = Task::Reranking;
/// Masks of the tokenizers of BERT and of RoBERTa.
const MASKS: [&str; 2] = ["[MASK]", "<mask>"];

pub(crate) struct LateInteraction {
    query_prefix: String,
    document_prefix: String,
    queries: TextTokenizer,
    documents: TextTokenizer,
    expansion: Option<QueryExpansion>,
    /// Tokens of documents that match nothing.
    skipped: Vec<u32>,
    encoder: Encoder,
    dense: Vec<Dense>,
    normalizes: bool,
}

/// What short queries are filled up with.
struct QueryExpansion {
    token: u32,
    length: usize,
    is_attended: bool,
}

impl LateInteraction {
    /// Also returns the maximum number of tokens of a text.
    pub(crate) fn load(
        folder: &Folder,
        config: &LocalRerankerConfig,
        settings: LateInteractionSettings,
        sentences: &Sentences,
    ) -> Result<(Self, usize)> {
        let shape = ModelConfig::read(folder)?;
        let max_tokens = |requested, own: Option<usize>| {
            limits::max_tokens(TASK, requested, shape.longest(), own.or(sentences.max_tokens))
        };
        let query_length = max_tokens(None, settings.query_length)?;
        let max_tokens = max_tokens(config.max_tokens, settings.document_length)?;
        let tokenizer = |max, prefix: &str| {
            let count = shape.vocabulary;
            let mut tokenizer = TextTokenizer::load(folder, count, sentences, max, true)?;
            tokenizer.add_marker(prefix)?;
            Ok::<_, textsearch_core::Error>(tokenizer)
        };
        let queries = tokenizer(query_length, &settings.query_prefix)?;
        let documents = tokenizer(max_tokens, &settings.document_prefix)?;
        let expansion = settings.expansion.map(|expansion| {
            Ok(QueryExpansion {
                token: expansion_token(folder, &queries, expansion.token)?,
                length: expansion.length.min(query_length),
                is_attended: expansion.is_attended,
            })
        });
        let bytes = Weights::bytes(folder)?;
        let weights = Weights::new(folder, &bytes, &shape.token_embeddings())?;
        let mut dense = Dense::load_all(folder, &settings.dense, shape.hidden)?;
        if settings.has_projection {
            let own = Weights::without_prefix(folder, &bytes)?;
            dense.push(Dense::load_projection(&own, shape.hidden)?);
        }
        let skipped = settings.skipped_words.iter().filter_map(|word| documents.id(word));
        let model = Self {
            expansion: expansion.transpose()?,
            skipped: skipped.collect(),
            queries,
            documents,
            query_prefix: settings.query_prefix,
            document_prefix: settings.document_prefix,
            dense,
            encoder: Encoder::load(
                &weights,
                shape,
                config.precision,
                max_tokens.max(query_length),
            )?,
            normalizes: settings.normalizes,
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
        let query = self.query(query, model_id)?;
        let tokens = batches::tokens(texts, go_on, |text| {
            self.documents.tokenize(&self.document_prefix, text)
        })?;
        let scores = batches::in_parallel(&tokens, go_on, |batch| {
            self.encoder.encode(batch, |(place, text), rows| {
                let vectors = self.vectors(rows, text, &self.skipped);
                let score = query.max_sim(&vectors);
                // The largest product ignores NaN, so check the vectors too.
                if !score.is_finite() || !vectors.iter().all(|value| value.is_finite()) {
                    return Err(TASK.beyond_floats("score", Some(place), model_id));
                }
                Ok(score)
            })
        });
        Ok((scores?, Cuts::new(&tokens)))
    }

    fn query(&self, query: &str, model_id: &str) -> Result<QueryVectors> {
        let mut tokens = self.queries.tokenize(&self.query_prefix, query)?;
        if let Some(expansion) = &self.expansion {
            let count = tokens.ids.len();
            let length = count.max(expansion.length);
            tokens.ids.resize(length, expansion.token);
            tokens.types.resize(length, 0);
            tokens.masked = if expansion.is_attended { 0 } else { length - count };
        }
        let size = self.dense.last().map_or(self.encoder.shape().hidden, Dense::size);
        let encoded = self
            .encoder
            .encode(&[(0, &tokens)], |(_, query), rows| Ok(self.vectors(rows, query, &[])));
        let vectors = encoded?.concat();
        if !vectors.iter().all(|value| value.is_finite()) {
            return Err(TASK.beyond_floats("vector", None, model_id));
        }
        Ok(QueryVectors::pack(&vectors, size))
    }

    /// Returns the vectors of all tokens that aren't skipped.
    fn vectors(&self, rows: &[f32], text: &Tokens, skipped: &[u32]) -> Vec<f32> {
        let rows = rows.chunks_exact(self.encoder.shape().hidden).zip(&text.ids);
        let rows = rows.filter(|(_, id)| !skipped.contains(id));
        let mut vectors: Vec<f32> = rows.flat_map(|(row, _)| row).copied().collect();
        let mut size = self.encoder.shape().hidden;
        for dense in &self.dense {
            vectors = dense.apply(&vectors, vectors.len() / size);
            size = dense.size();
        }
        if self.normalizes {
            vectors.chunks_exact_mut(size.max(1)).for_each(pooling::normalize);
        }
        vectors
    }
}

fn expansion_token(folder: &Folder, queries: &TextTokenizer, token: Option<String>) -> Result<u32> {
    let id = match &token {
        Some(token) => queries.id(token),
        None => MASKS.into_iter().find_map(|mask| queries.id(mask)),
    };
    id.ok_or_else(|| {
        let tokens = token.unwrap_or_else(|| MASKS.join("` or `"));
        folder.error(
            "tokenizer.json",
            format_args!("has no token `{tokens}` to fill up short queries"),
        )
    })
}
