//! The arguments for finding and ordering documents.

use std::time::Duration;

use clap::{Args, ValueEnum};
use textsearch_compose::Recent;

use super::EmbeddingArguments;
use crate::corpus::reranker::RerankModel;

const HEADING: &str = "Ranking";

/// LAMBDA of an `--mmr` without a value.
const USUAL_LAMBDA: &str = "0.5";

/// How documents are ranked. Connectors rank their own results.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct RankingArguments {
    #[command(flatten)]
    pub(crate) embeddings: EmbeddingArguments,

    /// Search mode [default: vector with --embeddings, else text].
    #[arg(long, value_name = "MODE", conflicts_with_all = ["mlindex", "source"], help_heading = HEADING)]
    pub(crate) mode: Option<Mode>,

    /// How hybrid search combines its two rankings [default: weighted].
    ///
    /// Azure AI Search accepts only reciprocal-rank.
    #[arg(long, value_name = "FUSION", conflicts_with_all = ["mlindex", "source"], help_heading = HEADING)]
    pub(crate) fusion: Option<FusionArgument>,

    /// Weight of vector scores in hybrid search, from 0 to 1 [default: 0.5].
    #[arg(long, value_name = "WEIGHT", value_parser = read_share, allow_negative_numbers = true)]
    #[arg(conflicts_with_all = ["mlindex", "source"], help_heading = HEADING)]
    pub(crate) vector_weight: Option<f64>,

    /// Omit results with a worse score [default: none].
    ///
    /// The scale depends on the mode: cosine similarity by vector, BM25 by text.
    #[arg(long, value_name = "SCORE", allow_negative_numbers = true, conflicts_with_all = ["mlindex", "source"])]
    #[arg(value_parser = read_score, help_heading = HEADING)]
    pub(crate) min_score: Option<f64>,

    /// Score the 50 best candidates again with this model: the URL of a rerank API, local:FOLDER or
    /// local-int8:FOLDER.
    ///
    /// The server is Cohere, Jina, vLLM, infinity or another one with the same API, such as
    /// http://localhost:8000/rerank. RERANK_MODEL, RERANK_API_KEY and RERANK_FORMAT (cohere or tei)
    /// configure it. local:FOLDER is a cross-encoder or late-interaction model on this machine, and
    /// needs the feature `local-embeddings`; local-int8:FOLDER computes it with 8-bit weights: about
    /// 2.5 times as fast on x86 processors with VNNI, slower on ARM. --min-score applies before.
    #[arg(long, value_name = "MODEL", conflicts_with = "source", help_heading = HEADING)]
    pub(crate) rerank: Option<RerankModel>,

    /// Move repetitive results down (maximal marginal relevance) [default LAMBDA: 0.5].
    ///
    /// LAMBDA ranges from 0 (most diverse) to 1 (most relevant). The documents must have
    /// embeddings.
    #[arg(long, value_name = "LAMBDA", num_args = 0..=1, default_missing_value = USUAL_LAMBDA)]
    #[arg(value_parser = read_lambda, allow_negative_numbers = true, conflicts_with_all = ["mlindex", "source"], help_heading = HEADING)]
    pub(crate) mmr: Option<f64>,
}

/// How the age of results changes their order.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct RecencyArguments {
    /// Prefer recent results: after this time, such as 90d or 1y, a score has lost a quarter.
    ///
    /// A score never loses more than half. Ages count from when a page was published, a document was
    /// written, or its file changed. Results without a date keep their scores.
    #[arg(long, value_name = "TIME", value_parser = read_half_life, help_heading = HEADING)]
    pub(crate) half_life: Option<Duration>,

    /// Field of records with the date for --half-life, such as `updated`.
    #[arg(long, value_name = "FIELD", requires = "half_life", help_heading = HEADING)]
    pub(crate) date_field: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum FusionArgument {
    /// By score, scaled from 0 to 1 and weighted.
    Weighted,
    /// By rank: reciprocal rank fusion with k = 60.
    ReciprocalRank,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Mode {
    /// By meaning: the nearest embeddings.
    Vector,
    /// By words.
    Text,
    /// By both, combined into one ranking.
    Hybrid,
}

impl Mode {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Vector => "vector",
            Self::Text => "text",
            Self::Hybrid => "hybrid",
        }
    }
}

fn read_share(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|number| (0.0..=1.0).contains(number));
    number.ok_or_else(|| "expected a number from 0 to 1".to_owned())
}

fn read_half_life(text: &str) -> Result<Duration, String> {
    Recent::parse_half_life(text)
        .map_err(|_| "expected a time such as 90d, 12w, 6mo or 1y".to_owned())
}

fn read_lambda(text: &str) -> Result<f64, String> {
    let hint =
        |error| format!("{error}; a query stands before --mmr, or after --mmr={USUAL_LAMBDA}");
    read_share(text).map_err(hint)
}

fn read_score(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|number: &f64| number.is_finite());
    number.ok_or_else(|| "expected a number".to_owned())
}
