//! The arguments of `textsearch eval`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::{OutputFormat, SearchSelector};

const EVAL_EXAMPLES: &str = "\
Examples:
  textsearch eval --from docs --queries queries.jsonl --qrels qrels.tsv
  textsearch eval --store .textsearch/index --queries queries.jsonl --qrels qrels.tsv --per-query
  textsearch eval --from docs --queries queries.jsonl --qrels qrels.tsv --output json > before.json
  textsearch eval --from docs --queries queries.jsonl --qrels qrels.tsv --language none --baseline before.json
  textsearch eval --source searxng --endpoint http://127.0.0.1:8080 --queries queries.jsonl --qrels qrels.tsv --output json

Queries, one JSON object per line:
  {\"_id\": \"q1\", \"text\": \"How do I write a connector?\"}

A follow-up in a conversation also has the user's earlier questions, and the question that stands alone:
  {\"_id\": \"q2\", \"history\": [\"When is high water?\"], \"text\": \"and in winter?\", \"rewrite\": \"When is high water in winter?\"}

Judgements, one per line, with tabs between the columns and an optional header line:
  query-id  corpus-id                             score
  q1        docs/contributing/writing-a-connector.md  2
TREC's four columns (query, iteration, document, score) work too. A score is a whole number:
above 0 is relevant, and higher is more relevant. All other documents, judged or not, are not relevant.

A corpus-id names a document:
  file                  its path in the store, as in the links of results, without `#section`
  JSON Lines record     its id; FILE#ID if several files use the same ids
  result of a connector its exact link
A corpus-id that matches no document counts as not found.

Measures of the 10 best documents per query (--top NUMBER sets another depth). A document ranks by its
best chunk:
  nDCG@10    gain relative to the best possible order, 0 to 1. A document gains its score divided by
             log2(rank + 1): linear gains, as in trec_eval's ndcg_cut
  recall@10  share of the relevant documents that were found
  MRR@10     1 / rank of the first relevant document, 0 without one
Each is the mean over the judged queries. A query without a relevant document counts 0, as in trec_eval.

--baseline compares with an earlier report on the same queries. Its results are measured again with the
current --qrels, so new judgements affect both reports. Over the queries in both, each measure shows its
mean, the mean of the baseline, the mean difference, the 95 % confidence interval of that difference
(paired t-test; if it contains 0, the difference may be chance), and the numbers of better and worse
queries.

With --output json the report is one object: `cutoff`, `queries`, the means `ndcg`, `recall` and `mrr`,
`not_judged` and `not_asked` (ids of queries that are in only one of the files), `comparison` (with the
baseline, over the queries in both; or null), and `per_query`. For each query, in file order, that has
`id`, `text`, `ndcg`, `recall`, `reciprocal_rank`, `documents` (those found, with `score`, null if not
judged) and `missed` (relevant documents that were not found).";

/// Measure retrieval quality: nDCG, recall and reciprocal rank over judged queries.
#[derive(Debug, Args)]
#[command(after_long_help = EVAL_EXAMPLES)]
#[command(mut_arg("top", |top| top.default_value("10").help("Number of best documents to measure")))]
#[command(mut_arg("full_pages", |pages| pages.hide(true)))]
#[command(mut_arg("max_characters", |characters| characters.hide(true)))]
#[command(mut_arg("allow_host", |host| host.hide(true)))]
#[command(mut_arg("page_readers", |reader| reader.hide(true)))]
pub(crate) struct EvalArguments {
    /// Queries: JSON Lines with `_id` and `text`.
    #[arg(long, value_name = "FILE", help_heading = "Test collection")]
    pub(crate) queries: PathBuf,

    /// Judgements: the relevance of documents to queries.
    #[arg(long, value_name = "FILE", help_heading = "Test collection")]
    pub(crate) qrels: PathBuf,

    /// What to search for, for queries with a `history`.
    #[arg(long, value_name = "WAY", default_value = "none", help_heading = "Test collection")]
    pub(crate) history: History,

    /// Also print the measures of each query, worst first, and the documents it missed.
    #[arg(long, help_heading = "Output")]
    pub(crate) per_query: bool,

    /// Earlier report to compare with, from --output json.
    #[arg(long, value_name = "FILE", help_heading = "Test collection")]
    pub(crate) baseline: Option<PathBuf>,

    /// Output format.
    #[arg(long, value_name = "FORMAT", default_value = "text", help_heading = "Output")]
    pub(crate) output: OutputFormat,

    #[command(flatten)]
    pub(crate) selector: SearchSelector,
}

/// How a follow-up uses its conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum History {
    /// The question alone.
    None,
    /// The question, after the one before it.
    Joined,
    /// The `rewrite` of its line.
    Rewritten,
}
