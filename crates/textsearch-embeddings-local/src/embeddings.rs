//! A model in a folder as an `EmbeddingGenerator`.

use std::{fmt, sync::Arc};

use rayon::iter::{IntoParallelRefIterator, ParallelIterator};
use textsearch_core::{
    Result, async_trait,
    vector::{EmbeddingGenerator, EmbeddingPurpose, EmbeddingSettings, Embeddings},
};

use crate::{
    LocalEmbeddingsConfig, batches,
    folder::{Folder, ModelConfig, Modules, Sentences, Weights},
    limits,
    model::Encoder,
    pooling,
    task::Task,
    threads::{GoOn, Threads},
    tokens::{Cuts, TextTokenizer, Tokens},
};

const TASK: Task = Task::Embedding;

/// A sentence-transformers model in a local folder, on the CPU: in 32-bit floats, or with
/// [8-bit weights](crate::Precision::Int8).
///
/// The model works on its own threads, never on those of an async runtime. A call takes any number
/// of texts and returns the vectors in their order. A text's vector doesn't depend on the other
/// texts. Dropping a call's future ends the work after the texts and batches in progress.
///
/// An empty text has a vector, as in the reference implementation. A text longer than the model's
/// limit is truncated; a warning event reports how many tokens of how many texts were left out.
///
/// Clones share the model and its threads.
///
/// ```no_run
/// use textsearch_embeddings_local::{
///     EmbeddingGenerator, EmbeddingPurpose, EmbeddingSettings, LocalEmbeddings, LocalEmbeddingsConfig,
/// };
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> textsearch_embeddings_local::Result<()> {
/// let model = LocalEmbeddings::new(LocalEmbeddingsConfig::new("target/models/minilm"))?;
/// let settings = EmbeddingSettings::new(EmbeddingPurpose::Query);
/// let embeddings = model.generate(&["How are filters applied?".to_owned()], &settings).await?;
/// assert_eq!(embeddings.vectors[0].len(), 384);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct LocalEmbeddings {
    model: Arc<Model>,
    threads: Threads,
}

struct Model {
    model_id: String,
    fingerprint: String,
    dimensions: usize,
    max_tokens: usize,
    query_prefix: String,
    document_prefix: String,
    modules: Modules,
    tokenizer: TextTokenizer,
    encoder: Encoder,
}

struct Outcome {
    embeddings: Embeddings,
    cuts: Cuts,
}

impl LocalEmbeddings {
    /// Loads the model. Reads all weights: on an async runtime, call it where blocking is allowed.
    ///
    /// # Errors
    /// - [`ErrorKind::InvalidOptions`](crate::ErrorKind::InvalidOptions) if a setting is out of
    ///   range.
    /// - [`ErrorKind::Embedding`](crate::ErrorKind::Embedding) if a file of the folder is missing,
    ///   broken or not supported. The error names the file, the fault, and the supported values.
    /// - [`ErrorKind::Backend`](crate::ErrorKind::Backend) if the threads can't start.
    pub fn new(config: LocalEmbeddingsConfig) -> Result<Self> {
        let threads = Threads::start(TASK, config.threads)?;
        let model = threads.install(|| Model::load(config))?;
        Ok(Self { model: Arc::new(model), threads })
    }

    /// Returns 32 hexadecimal digits of a hash over the weights and the precision. They identify the
    /// model, whatever its folder is called; only vectors with the same fingerprint are comparable.
    pub fn fingerprint(&self) -> &str {
        &self.model.fingerprint
    }

    /// Returns the maximum number of tokens embedded per text, including the start and end tokens.
    pub fn max_tokens(&self) -> usize {
        self.model.max_tokens
    }

    /// Returns the prefix of each text for this purpose, or an empty text.
    pub fn prefix(&self, purpose: EmbeddingPurpose) -> &str {
        self.model.prefix(purpose)
    }

    fn check(&self, settings: &EmbeddingSettings) -> Result<()> {
        let own = self.model.dimensions;
        if let Some(other) = settings.dimensions.filter(|dimensions| *dimensions != own) {
            let allowed = format!("{own}, as the model `{}` makes them", self.model.model_id);
            return Err(TASK.refused("dimensions", other, &allowed));
        }
        match settings.extra.keys().next() {
            None => Ok(()),
            Some(name) => Err(TASK.refused(&format!("extra.{name}"), "set", "no further setting")),
        }
    }
}

#[async_trait]
impl EmbeddingGenerator for LocalEmbeddings {
    fn model_id(&self) -> &str {
        &self.model.model_id
    }

    fn provider(&self) -> Option<&str> {
        Some("local")
    }

    fn dimensions(&self) -> Option<usize> {
        Some(self.model.dimensions)
    }

    fn max_document_tokens(&self) -> Option<usize> {
        let prefix = self.count_tokens(self.prefix(EmbeddingPurpose::Document))?;
        Some(self.model.tokenizer.max().saturating_sub(prefix))
    }

    fn count_tokens(&self, text: &str) -> Option<usize> {
        self.model.tokenizer.count(text).ok()
    }

    async fn generate(&self, texts: &[String], settings: &EmbeddingSettings) -> Result<Embeddings> {
        self.check(settings)?;
        if texts.is_empty() {
            return Ok(Embeddings::default());
        }
        let model = Arc::clone(&self.model);
        let texts = texts.to_vec();
        let purpose = settings.purpose;
        let work = self.threads.run(move |go_on| model.embed(&texts, purpose, go_on));
        let outcome = work.await?;
        outcome.cuts.warn(self.model.max_tokens, &self.model.model_id);
        Ok(outcome.embeddings)
    }
}

impl Model {
    fn load(config: LocalEmbeddingsConfig) -> Result<Self> {
        let folder = Folder::open(&config.folder, TASK)?;
        let shape = ModelConfig::read(&folder)?;
        let modules = Modules::read(&folder)?;
        let sentences = Sentences::read(&folder)?;
        let max_tokens = limits::max_tokens(TASK, config.max_tokens, &shape, &sentences)?;
        let dimensions = dimensions(&folder, &shape, &sentences)?;
        let tokenizer = TextTokenizer::load(&folder, &shape, &sentences, max_tokens)?;
        let bytes = Weights::bytes(&folder)?;
        let fingerprint = config.precision.fingerprint(&bytes);
        // Folders may have the same name, and a store identifies models by their ids.
        let own_id = || {
            let suffix = config.precision.suffix();
            format!("{}{suffix}@{}", folder.name(), fingerprint.split_at(8).0)
        };
        let model = Self {
            model_id: config.model_id.unwrap_or_else(own_id),
            fingerprint,
            dimensions,
            max_tokens,
            query_prefix: config.query_prefix.unwrap_or(sentences.query_prefix),
            document_prefix: config.document_prefix.unwrap_or(sentences.document_prefix),
            modules,
            tokenizer,
            encoder: Encoder::load(&Weights::new(&folder, &bytes)?, shape, config.precision)?,
        };
        let has_prefix = !model.query_prefix.is_empty() || !model.document_prefix.is_empty();
        if has_prefix && !modules.pools_prefix {
            return Err(TASK.error(
                "the model's pooling leaves prefixes out (`include_prompt` is false), which is not supported: \
                 set both prefixes to an empty text to go without",
            ));
        }
        Ok(model)
    }

    fn prefix(&self, purpose: EmbeddingPurpose) -> &str {
        match purpose {
            EmbeddingPurpose::Query => &self.query_prefix,
            _ => &self.document_prefix,
        }
    }

    fn embed(
        &self,
        texts: &[String],
        purpose: EmbeddingPurpose,
        go_on: &GoOn<'_>,
    ) -> Result<Outcome> {
        let prefix = self.prefix(purpose);
        let tokens = texts.par_iter().map(|text| {
            go_on()?;
            self.tokenizer.tokenize(prefix, text)
        });
        let tokens = tokens.collect::<Result<Vec<Tokens>>>()?;
        if let Some(place) = tokens.iter().position(|text| text.ids.is_empty()) {
            let message = format!("the text {place}, counted from 0, has no tokens");
            return Err(TASK.error(message));
        }
        let embed = |batch: &[usize]| self.embed_batch(batch, &tokens);
        let mut embeddings = Embeddings::new(batches::in_parallel(&tokens, go_on, embed)?);
        embeddings.tokens = Some(tokens.iter().map(|text| text.ids.len() as u64).sum());
        Ok(Outcome { embeddings, cuts: Cuts::new(&tokens) })
    }

    fn embed_batch(&self, batch: &[usize], tokens: &[Tokens]) -> Result<Vec<Arc<[f32]>>> {
        let texts: Vec<&Tokens> = batch.iter().filter_map(|place| tokens.get(*place)).collect();
        let hidden = self.encoder.shape().hidden;
        self.encoder.encode(&texts, |mut rows| {
            let mut vectors = Vec::with_capacity(batch.len());
            for (place, text) in batch.iter().zip(&texts) {
                let (own, others) = rows.split_at(text.ids.len() * hidden);
                rows = others;
                vectors.push(self.pooled(*place, own, hidden)?);
            }
            Ok(vectors)
        })
    }

    fn pooled(&self, place: usize, tokens: &[f32], hidden: usize) -> Result<Arc<[f32]>> {
        let mut vector = pooling::pool(self.modules.pooling, tokens, hidden);
        // `max` ignores NaN, so check the tokens too.
        if !tokens.iter().chain(&vector).all(|value| value.is_finite()) {
            return Err(TASK.error(format!(
                "the vector of the text {place}, counted from 0, is beyond 32-bit floats: the weights of the model \
                 `{}` are too large, or broken",
                self.model_id
            )));
        }
        if self.modules.normalizes {
            pooling::normalize(&mut vector);
        }
        vector.truncate(self.dimensions);
        Ok(vector.into())
    }
}

fn dimensions(folder: &Folder, shape: &ModelConfig, sentences: &Sentences) -> Result<usize> {
    match sentences.dimensions {
        None => Ok(shape.hidden),
        Some(fewer) if (1..=shape.hidden).contains(&fewer) => Ok(fewer),
        Some(other) => {
            let max = shape.hidden;
            let what = format!("`truncate_dim` is {other}; expected 1 to {max}");
            Err(folder.error("config_sentence_transformers.json", what))
        }
    }
}

impl fmt::Debug for LocalEmbeddings {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("LocalEmbeddings")
            .field("model_id", &self.model.model_id)
            .field("dimensions", &self.model.dimensions)
            .field("threads", &self.threads.count())
            .finish()
    }
}
