//! A model in a folder as an `EmbeddingGenerator`.

use std::{fmt, sync::Arc};

use textsearch_core::{
    Result, async_trait,
    vector::{EmbeddingGenerator, EmbeddingPurpose, EmbeddingSettings, Embeddings},
};

use crate::{
    LocalEmbeddingsConfig, Precision,
    batches::{self, Numbered},
    folder::{Folder, ModelConfig, Modules, PoolingMode, Sentences, Source, Weights},
    limits,
    model::{Dense, Encoder, StaticTable},
    pooling,
    task::Task,
    threads::{GoOn, Threads},
    tokens::{Cuts, TextTokenizer},
};

const TASK: Task = Task::Embedding;

/// A sentence-transformers model in a local folder, on the CPU: in 32-bit floats, or with
/// [8-bit weights](crate::Precision::Int8).
///
/// The model works on its own threads, never on those of an async runtime. A call takes any number
/// of texts and returns the vectors in their order. A text's vector doesn't depend on the other
/// texts. Dropping a call's future ends the work after the texts and batches in progress.
///
/// An empty text has a vector, as in the reference implementation; only static embeddings refuse a
/// text without tokens. A text longer than the model's
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
    tokenizer: TextTokenizer,
    network: Network,
    pooling: PoolingMode,
    dense: Vec<Dense>,
    normalizes: bool,
}

/// Makes a vector of each token.
enum Network {
    Transformer(Box<Encoder>),
    Static(StaticTable),
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

    /// Returns 32 hexadecimal digits of a hash over all weights and the precision. They identify the
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
        let refused = settings.dimensions.filter(|dimensions| !(1..=own).contains(dimensions));
        if let Some(other) = refused {
            let allowed = format!("1 to {own}, as the model `{}` makes them", self.model.model_id);
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
        let dimensions = settings.dimensions.unwrap_or(self.model.dimensions);
        let work = self.threads.run(move |go_on| model.embed(&texts, purpose, dimensions, go_on));
        let outcome = work.await?;
        outcome.cuts.warn(self.model.max_tokens, &self.model.model_id);
        Ok(outcome.embeddings)
    }
}

impl Model {
    fn load(config: LocalEmbeddingsConfig) -> Result<Self> {
        let folder = Folder::open(&config.folder, TASK)?;
        let modules = Modules::read(&folder)?;
        let sentences = Sentences::read(&folder)?;
        let source = match &modules.source {
            Source::Transformer => folder.clone(),
            Source::Static(path) => folder.module(path),
        };
        let mut files = vec![Weights::bytes(&source)?];
        for path in &modules.dense {
            files.push(Weights::bytes(&folder.module(path))?);
        }
        let precision = match &modules.source {
            Source::Transformer => config.precision,
            Source::Static(_) => Precision::F32,
        };
        let fingerprint = precision.fingerprint(&files);
        let bytes = files.swap_remove(0);
        // Folders may have the same name, and a store identifies models by their ids.
        let own_id = || {
            let suffix = precision.suffix();
            format!("{}{suffix}@{}", folder.name(), fingerprint.split_at(8).0)
        };
        let parts = match modules.source {
            Source::Transformer => transformer(&source, &bytes, &config, &sentences)?,
            Source::Static(_) => static_parts(&source, &bytes, &config, &sentences)?,
        };
        let dense = Dense::load_all(&folder, &modules.dense, parts.network.size())?;
        let size = dense.last().map_or(parts.network.size(), Dense::size);
        let model = Self {
            model_id: config.model_id.unwrap_or_else(own_id),
            fingerprint,
            dimensions: dimensions(&folder, size, &sentences)?,
            max_tokens: parts.max_tokens,
            query_prefix: config.query_prefix.unwrap_or(sentences.query_prefix),
            document_prefix: config.document_prefix.unwrap_or(sentences.document_prefix),
            tokenizer: parts.tokenizer,
            network: parts.network,
            pooling: modules.pooling,
            dense,
            normalizes: modules.normalizes,
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
        dimensions: usize,
        go_on: &GoOn<'_>,
    ) -> Result<Outcome> {
        let prefix = self.prefix(purpose);
        let tokens = batches::tokens(texts, go_on, |text| self.tokenizer.tokenize(prefix, text))?;
        if let Some(place) = tokens.iter().position(|text| text.ids.is_empty()) {
            let message = format!("the text {place}, counted from 0, has no tokens");
            return Err(TASK.error(message));
        }
        let vectors = batches::in_parallel(&tokens, go_on, |batch| {
            self.network.encode(batch, |(place, _), rows| self.pooled(place, rows, dimensions))
        });
        let mut embeddings = Embeddings::new(vectors?);
        embeddings.tokens = Some(tokens.iter().map(|text| text.ids.len() as u64).sum());
        Ok(Outcome { embeddings, cuts: Cuts::new(&tokens) })
    }

    fn pooled(&self, place: usize, tokens: &[f32], dimensions: usize) -> Result<Arc<[f32]>> {
        let mut vector = pooling::pool(self.pooling, tokens, self.network.size());
        for dense in &self.dense {
            vector = dense.apply(&vector, 1);
        }
        vector.truncate(dimensions);
        // `max` ignores NaN, so check the tokens too.
        if !tokens.iter().chain(&vector).all(|value| value.is_finite()) {
            return Err(TASK.beyond_floats("vector", Some(place), &self.model_id));
        }
        if self.normalizes {
            pooling::normalize(&mut vector);
        }
        Ok(vector.into())
    }
}

impl Network {
    /// Elements of a token's vector.
    fn size(&self) -> usize {
        match self {
            Self::Transformer(encoder) => encoder.shape().hidden,
            Self::Static(table) => table.size(),
        }
    }

    /// Passes each text and the vectors of its tokens to `read`, and returns what it returns.
    fn encode<T>(
        &self,
        texts: &[Numbered<'_>],
        read: impl Fn(Numbered<'_>, &[f32]) -> Result<T>,
    ) -> Result<Vec<T>> {
        match self {
            Self::Transformer(encoder) => encoder.encode(texts, read),
            Self::Static(table) => {
                texts.iter().map(|text| read(*text, &table.encode(text.1)?)).collect()
            }
        }
    }
}

struct Parts {
    max_tokens: usize,
    tokenizer: TextTokenizer,
    network: Network,
}

fn transformer(
    folder: &Folder,
    bytes: &[u8],
    config: &LocalEmbeddingsConfig,
    sentences: &Sentences,
) -> Result<Parts> {
    let shape = ModelConfig::read(folder)?;
    let max_tokens =
        limits::max_tokens(TASK, config.max_tokens, shape.longest(), sentences.max_tokens)?;
    let tokenizer = TextTokenizer::load(folder, shape.vocabulary, sentences, max_tokens, true)?;
    let weights = Weights::new(folder, bytes, &shape.token_embeddings())?;
    let encoder = Encoder::load(&weights, shape, config.precision, max_tokens)?;
    Ok(Parts { max_tokens, tokenizer, network: Network::Transformer(Box::new(encoder)) })
}

fn static_parts(
    folder: &Folder,
    bytes: &[u8],
    config: &LocalEmbeddingsConfig,
    sentences: &Sentences,
) -> Result<Parts> {
    let table = StaticTable::load(folder, bytes)?;
    let max_tokens = limits::max_tokens(TASK, config.max_tokens, usize::MAX, sentences.max_tokens)?;
    let count = table.count();
    let tokenizer = TextTokenizer::load(folder, count, sentences, max_tokens, false)?;
    Ok(Parts { max_tokens, tokenizer, network: Network::Static(table) })
}

/// `size` is the number of elements that the model makes.
fn dimensions(folder: &Folder, size: usize, sentences: &Sentences) -> Result<usize> {
    match sentences.dimensions {
        None => Ok(size),
        Some(fewer) if (1..=size).contains(&fewer) => Ok(fewer),
        Some(other) => {
            let what = format!("`truncate_dim` is {other}; expected 1 to {size}");
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
