//! A model in a folder as an `EmbeddingGenerator`.

use std::{
    fmt,
    sync::{Arc, Mutex, PoisonError},
    thread,
};

use futures_channel::oneshot;
use rayon::{
    ThreadPool, ThreadPoolBuilder,
    iter::{IndexedParallelIterator as _, IntoParallelRefIterator, ParallelIterator},
};
use textsearch_core::{
    Error, ErrorKind, Result, async_trait,
    vector::{EmbeddingGenerator, EmbeddingPurpose, EmbeddingSettings, Embeddings},
};
use twox_hash::XxHash3_128;

use crate::{
    CONNECTOR, LocalEmbeddingsConfig, batches, failure,
    folder::{Folder, ModelConfig, Modules, Sentences, Weights},
    model::{Encoder, Workspace},
    pooling,
    tokens::{TextTokenizer, Tokens},
};

/// A sentence-transformers model in a local folder: 32-bit floats, on the CPU.
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
    threads: Arc<ThreadPool>,
}

/// A text of more tokens would take too much memory: with the largest supported models, one
/// thread's buffers take 41 KB a token, or 340 MB. Attention also compares each token with each.
const MOST_TOKENS: usize = 8192;

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
    workspaces: Mutex<Vec<Workspace>>,
}

struct Outcome {
    embeddings: Embeddings,
    cut_tokens: usize,
    cut_texts: usize,
}

impl LocalEmbeddings {
    /// Loads the model. Reads all weights: on an async runtime, call it where blocking is allowed.
    ///
    /// # Errors
    /// - [`ErrorKind::InvalidOptions`] if a setting is out of range.
    /// - [`ErrorKind::Embedding`] if a file of the folder is missing, broken or not supported. The
    ///   error names the file, the fault, and the supported values.
    /// - [`ErrorKind::Backend`] if the threads can't start.
    pub fn new(config: LocalEmbeddingsConfig) -> Result<Self> {
        let count = config.threads.or_else(|| thread::available_parallelism().ok());
        let count = count.map_or(1, usize::from);
        let builder = ThreadPoolBuilder::new()
            .num_threads(count)
            .thread_name(|number| format!("embeddings-{number}"))
            // If a call's work panics, its channel closes; other calls continue.
            .panic_handler(|_| {});
        let threads = builder.build().map_err(|error| {
            let message = format!("cannot start {count} threads");
            Error::new(ErrorKind::Backend, CONNECTOR, message).with_source(error)
        })?;
        let model = threads.install(|| Model::load(config))?;
        Ok(Self { model: Arc::new(model), threads: Arc::new(threads) })
    }

    /// Returns 32 hexadecimal digits of a hash over the weights. They identify the model, whatever
    /// its folder is called; only vectors of the same model are comparable.
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
        if let Some(other) = settings.dimensions.filter(|wanted| *wanted != own) {
            let allowed = format!("{own}, as the model `{}` makes them", self.model.model_id);
            return Err(refused("dimensions", other, &allowed));
        }
        match settings.extra.keys().next() {
            None => Ok(()),
            Some(name) => Err(refused(&format!("extra.{name}"), "set", "no further setting")),
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

    async fn generate(&self, texts: &[String], settings: &EmbeddingSettings) -> Result<Embeddings> {
        self.check(settings)?;
        if texts.is_empty() {
            return Ok(Embeddings::default());
        }
        let (sender, receiver) = oneshot::channel();
        let (model, texts, purpose) = (Arc::clone(&self.model), texts.to_vec(), settings.purpose);
        self.threads.spawn(move || {
            let outcome = model.embed(&texts, purpose, || sender.is_canceled());
            // Sending fails only if the caller has dropped the future.
            let _ = sender.send(outcome);
        });
        let outcome = receiver.await.map_err(|_| {
            let message =
                "the work on these texts ended without a result: this is a fault of this crate";
            Error::new(ErrorKind::Backend, CONNECTOR, message)
        })??;
        outcome.warn_of_cuts(&self.model);
        Ok(outcome.embeddings)
    }
}

impl Model {
    fn load(config: LocalEmbeddingsConfig) -> Result<Self> {
        let folder = Folder::open(&config.folder)?;
        let shape = ModelConfig::read(&folder)?;
        let modules = Modules::read(&folder)?;
        let sentences = Sentences::read(&folder)?;
        let max_tokens = max_tokens(&config, &shape, &sentences)?;
        let dimensions = dimensions(&folder, &shape, &sentences)?;
        let tokenizer = TextTokenizer::load(&folder, &shape, &sentences, max_tokens)?;
        let bytes = Weights::bytes(&folder)?;
        let fingerprint = format!("{:032x}", XxHash3_128::oneshot(&bytes));
        // Folders may have the same name, and a store identifies models by their ids.
        let own_id = || format!("{}@{}", folder.name(), fingerprint.get(..8).unwrap_or_default());
        let model = Self {
            model_id: config.model_id.unwrap_or_else(own_id),
            fingerprint,
            dimensions,
            max_tokens,
            query_prefix: config.query_prefix.unwrap_or(sentences.query_prefix),
            document_prefix: config.document_prefix.unwrap_or(sentences.document_prefix),
            modules,
            tokenizer,
            encoder: Encoder::load(&folder, shape, &bytes)?,
            workspaces: Mutex::default(),
        };
        let has_prefix = !model.query_prefix.is_empty() || !model.document_prefix.is_empty();
        if has_prefix && !modules.pools_prefix {
            return Err(failure::embedding(
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
        is_cancelled: impl Fn() -> bool + Sync,
    ) -> Result<Outcome> {
        let go_on = || match is_cancelled() {
            true => Err(failure::embedding("the call was dropped")),
            false => Ok(()),
        };
        let prefix = self.prefix(purpose);
        let tokens = texts.par_iter().map(|text| {
            go_on()?;
            self.tokenizer.tokenize(prefix, text)
        });
        let tokens = tokens.collect::<Result<Vec<Tokens>>>()?;
        if let Some(place) = tokens.iter().position(|text| text.ids.is_empty()) {
            let message = format!("the text {place}, counted from 0, has no tokens");
            return Err(failure::embedding(message));
        }
        let batches = batches::split(&tokens);
        let vectors = batches.par_iter().with_max_len(1).map(|batch| {
            go_on()?;
            self.embed_batch(batch, &tokens)
        });
        let vectors = vectors.collect::<Result<Vec<_>>>()?;
        let mut vectors: Vec<(usize, Arc<[f32]>)> = vectors.into_iter().flatten().collect();
        vectors.sort_unstable_by_key(|(place, _)| *place);
        let mut embeddings =
            Embeddings::new(vectors.into_iter().map(|(_, vector)| vector).collect());
        embeddings.tokens = Some(tokens.iter().map(|text| text.ids.len() as u64).sum());
        Ok(Outcome {
            embeddings,
            cut_tokens: tokens.iter().map(|text| text.cut).sum(),
            cut_texts: tokens.iter().filter(|text| text.cut > 0).count(),
        })
    }

    fn embed_batch(&self, batch: &[usize], tokens: &[Tokens]) -> Result<Vec<(usize, Arc<[f32]>)>> {
        let texts: Vec<&Tokens> = batch.iter().filter_map(|place| tokens.get(*place)).collect();
        let mut workspace = self.free_workspaces().pop().unwrap_or_default();
        let hidden = self.encoder.shape().hidden;
        let mut rows = self.encoder.encode(&texts, &mut workspace)?;
        let mut vectors = Vec::with_capacity(batch.len());
        for (place, text) in batch.iter().zip(&texts) {
            let (own, others) = rows.split_at(text.ids.len() * hidden);
            rows = others;
            vectors.push((*place, self.pooled(*place, own, hidden)?));
        }
        self.free_workspaces().push(workspace);
        Ok(vectors)
    }

    fn pooled(&self, place: usize, tokens: &[f32], hidden: usize) -> Result<Arc<[f32]>> {
        let mut vector = pooling::pool(self.modules.pooling, tokens, hidden);
        // `max` ignores NaN, so check the tokens too.
        if !tokens.iter().chain(&vector).all(|value| value.is_finite()) {
            return Err(failure::embedding(format!(
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

    fn free_workspaces(&self) -> std::sync::MutexGuard<'_, Vec<Workspace>> {
        // A panic cannot leave invalid state in the buffers.
        self.workspaces.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Outcome {
    fn warn_of_cuts(&self, model: &Model) {
        if self.cut_texts > 0 {
            tracing::warn!(
                texts = self.cut_texts,
                tokens = self.cut_tokens,
                "texts are longer than the {} tokens that the model `{}` takes; what follows was left out",
                model.max_tokens,
                model.model_id,
            );
        }
    }
}

fn max_tokens(
    config: &LocalEmbeddingsConfig,
    shape: &ModelConfig,
    sentences: &Sentences,
) -> Result<usize> {
    let longest = shape.longest().min(MOST_TOKENS);
    match config.max_tokens {
        None => own_max_tokens(shape, sentences),
        Some(wanted) if (1..=longest).contains(&wanted) => Ok(wanted),
        Some(other) => Err(refused("max_tokens", other, &format!("1 to {longest}"))),
    }
}

fn own_max_tokens(shape: &ModelConfig, sentences: &Sentences) -> Result<usize> {
    let longest = shape.longest();
    let own = sentences.max_tokens.unwrap_or(longest).min(longest);
    if own <= MOST_TOKENS {
        return Ok(own);
    }
    Err(failure::embedding(format!(
        "the model takes texts of {own} tokens, and more than {MOST_TOKENS} would take too much memory: set \
         `max_tokens`, or `max_seq_length` in `sentence_bert_config.json`, to at most {MOST_TOKENS}"
    )))
}

fn dimensions(folder: &Folder, shape: &ModelConfig, sentences: &Sentences) -> Result<usize> {
    match sentences.dimensions {
        None => Ok(shape.hidden),
        Some(fewer) if (1..=shape.hidden).contains(&fewer) => Ok(fewer),
        Some(other) => {
            let most = shape.hidden;
            let what = format!("`truncate_dim` is {other}; expected 1 to {most}");
            Err(folder.error("config_sentence_transformers.json", what))
        }
    }
}

fn refused(option: &str, value: impl fmt::Display, allowed: &str) -> Error {
    Error::invalid_options(CONNECTOR, option, value, allowed)
}

impl fmt::Debug for LocalEmbeddings {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("LocalEmbeddings")
            .field("model_id", &self.model.model_id)
            .field("dimensions", &self.model.dimensions)
            .field("threads", &self.threads.current_num_threads())
            .finish()
    }
}
