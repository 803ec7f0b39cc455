//! The arguments of `textsearch eval`.

use std::path::PathBuf;

use clap::Args;

use super::SearchSelector;

const EVAL_EXAMPLES: &str = "\
Examples:
  textsearch eval --from docs --queries queries.jsonl --qrels qrels.tsv
  textsearch eval --store .textsearch/index --queries queries.jsonl --qrels qrels.tsv --per-query
  textsearch eval --from docs --queries queries.jsonl --qrels qrels.tsv --output json > before.json
  textsearch eval --from docs --queries queries.jsonl --qrels qrels.tsv --language none --baseline before.json
  textsearch eval --source searxng --endpoint http://127.0.0.1:8080 --queries queries.jsonl --qrels qrels.tsv --output json

Queries, one JSON object a line:
  {\"_id\": \"q1\", \"text\": \"How do I write a connector?\"}

Judgements, one a line, with tabs between the columns, and a first line with their names if you like:
  query-id  corpus-id                             score
  q1        docs/contributing/writing-a-connector.md  2
The four columns of TREC (query, iteration, document, score) are read as well. A score is a whole number: above 0 is
relevant, and the more the better; 0, below, and what nobody judged is not.

A corpus-id is what a document is called here:
  a file                    its path in the store, as in the links of results, without `#section`
  a record of JSON Lines    its id; or FILE#ID where several files use the same ids
  a result of a connector   its link, letter for letter
That there is no document of a name, nobody can tell: it counts as one that was not found.

What is measured, of the best 10 documents a query (--top NUMBER for another depth), each in the place of its best chunk:
  nDCG@10    how much of the best possible order was reached, 0 to 1. A document is worth its score, divided by
             log2(place + 1): linear gains, as trec_eval's ndcg_cut has them
  recall@10  which part of the relevant documents was found
  MRR@10     1 / the place of the first relevant document, 0 without one
Each is the mean over the queries that are judged; one without a relevant document counts 0, as trec_eval has it.

--baseline is for the same queries and judgements: what it found is measured again with those of --qrels, so that what
was judged since changes both evaluations alike. Each mean, then over the queries that are in both, has beside it the one
of then, the mean difference of the queries, the interval that holds the true difference at 95 % (paired t-test; a
difference whose interval has 0 in it may be chance), and how many queries got better and worse.

With --output json the answer is one object with `cutoff`, `queries`, `ndcg`, `recall` and `mrr` (the means), `not_judged`
and `not_asked` (ids of queries that are in one of the files alone), `comparison` (with the baseline, its means over the
queries in both; or null), and `per_query`: for each query, in the order of the file, `id`, `text`, `ndcg`, `recall`,
`reciprocal_rank`, `documents` (what was found, with `score`, null where nobody judged) and `missed` (relevant documents that were not).";

/// Measure how well the search finds what it should: nDCG, recall and reciprocal rank over judged queries.
#[derive(Debug, Args)]
#[command(after_help = EVAL_EXAMPLES)]
#[command(mut_arg("top", |top| top.default_value("10").help("The number of best documents that are measured")))]
#[command(mut_arg("skip", |skip| skip.hide(true)))]
#[command(mut_arg("kind", |kind| kind.hide(true)))]
#[command(mut_arg("full_pages", |pages| pages.hide(true)))]
#[command(mut_arg("max_characters", |characters| characters.hide(true)))]
#[command(mut_arg("allow_host", |host| host.hide(true)))]
pub(crate) struct EvalArguments {
    /// The queries: JSON Lines with `_id` and `text`.
    #[arg(long, value_name = "FILE", help_heading = "Test collection")]
    pub(crate) queries: PathBuf,

    /// The judgements: which document is how relevant to which query.
    #[arg(long, value_name = "FILE", help_heading = "Test collection")]
    pub(crate) qrels: PathBuf,

    /// Also print the figures of each query, the worst first, and what it missed.
    #[arg(long, help_heading = "Form")]
    pub(crate) per_query: bool,

    /// An earlier evaluation of the same queries, printed with --output json, to compare with by the same judgements.
    #[arg(long, value_name = "FILE", help_heading = "Test collection")]
    pub(crate) baseline: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) selector: SearchSelector,
}
