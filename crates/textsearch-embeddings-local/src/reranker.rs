//! A model in a folder as a `Reranker`.

use std::{fmt, sync::Arc};

use textsearch_core::{Result, async_trait, rerank::Reranker};

use crate::{
    LocalRerankerConfig,
    cross_encoder::CrossEncoder,
    folder::{Folder, LateInteractionSettings, Sentences},
    late_interaction::LateInteraction,
    task::Task,
    threads::{GoOn, Threads},
    tokens::Cuts,
};

const TASK: Task = Task::Reranking;

/// A model in a local folder that scores texts for a query, on the CPU: in 32-bit floats, or with
/// [8-bit weights](crate::Precision::Int8). The folder decides the kind:
///
/// - A **cross-encoder** reads query and text together: a sequence classifier with one label, of
///   the BERT family, MPNet or ModernBERT.
/// - A **late-interaction model**, such as ColBERT, makes a vector of each token, and adds up how well
///   each token of the query matches its best token of the text (MaxSim). Folders of PyLate, of
///   sentence-transformers' `MultiVectorEncoder` and of ColBERT's authors work. Scores grow with the
///   length of the query.
///
/// A cross-encoder's score is the model's logit, on any scale. If `config.json` or
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
/// If query and text together exceed a cross-encoder's limit, the longer one is truncated, but to no
/// less than half of the limit, as in sentence-transformers (`longest_first`). A warning event
/// reports how many tokens of how many pairs were left out.
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
    scorer: Scorer,
}

enum Scorer {
    CrossEncoder(Box<CrossEncoder>),
    LateInteraction(Box<LateInteraction>),
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

    /// Returns the maximum number of tokens per pair of query and text, or per text for late
    /// interaction, including the start and end tokens.
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
        let sentences = Sentences::read(&folder)?;
        let (scorer, max_tokens) = match LateInteractionSettings::read(&folder, &sentences)? {
            Some(settings) => {
                let (model, max_tokens) =
                    LateInteraction::load(&folder, &config, settings, &sentences)?;
                (Scorer::LateInteraction(Box::new(model)), max_tokens)
            }
            None => {
                let (model, max_tokens) = CrossEncoder::load(&folder, &config, &sentences)?;
                (Scorer::CrossEncoder(Box::new(model)), max_tokens)
            }
        };
        let model_id = config.model_id.unwrap_or_else(|| folder.name());
        Ok(Self { model_id, max_tokens, scorer })
    }

    fn score(&self, query: &str, texts: &[String], go_on: &GoOn<'_>) -> Result<(Vec<f64>, Cuts)> {
        match &self.scorer {
            Scorer::CrossEncoder(model) => model.score(query, texts, &self.model_id, go_on),
            Scorer::LateInteraction(model) => model.score(query, texts, &self.model_id, go_on),
        }
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
