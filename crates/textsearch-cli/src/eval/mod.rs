//! `textsearch eval`: how well a search finds what people judged to be relevant.

mod baseline;
mod judgements;
mod measures;
mod queries;
mod ranking;
mod report;

use std::{sync::Arc, thread};

use anyhow::{Context as _, Result};
use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use tokio::{runtime::Handle, task::spawn_blocking};

use self::{
    baseline::Baseline,
    judgements::{Judged, Judgements},
    measures::Figures,
    queries::Query,
    ranking::Ranker,
    report::{Evaluated, Report},
};
use crate::{
    arguments::{EvalArguments, Kind, SearchSelector},
    errors::usage,
    messages,
    output::Output,
    progress::Progress,
};

/// How many queries are on their way at once where that costs others something: services on the web allow few.
const CONCURRENT_QUERIES: usize = 4;

/// How many ids a message names.
const NAMED_IDS: usize = 10;

/// Asks all judged queries, measures and prints.
pub(crate) async fn run(arguments: &EvalArguments, output: &mut Output) -> Result<()> {
    check_arguments(&arguments.selector)?;
    let queries = queries::read(&arguments.queries)?;
    let judgements = Judgements::read(&arguments.qrels, &queries)?;
    if !queries.iter().any(|query| judgements.of(&query.id).is_some()) {
        return Err(nothing_in_common(arguments, &queries, &judgements));
    }
    let baseline = arguments.baseline.as_deref();
    let baseline = baseline.map(|path| Baseline::read(path, arguments.selector.top)).transpose()?;
    let ranker = Ranker::open(&arguments.selector).await?;
    let judgements = Arc::new(judgements);
    let mut report = evaluate(Arc::new(ranker), queries, &judgements).await?;
    report.comparison =
        baseline.map(|baseline| baseline.compare(&report, &judgements)).transpose()?;
    warn_of(&report);
    report.print(arguments, output)
}

/// Refuses what has no part in a measurement.
fn check_arguments(selector: &SearchSelector) -> Result<()> {
    let refused = if selector.top == 0 {
        "--top is 0, and then nothing can be found: try 1 or more"
    } else if selector.skip > 0 {
        "--skip leaves out the best results, which are what is measured: try without it"
    } else if selector.kind != Kind::Results {
        "--kind changes what results look like, and not which are found: try without it"
    } else if selector.pages.full_pages {
        "--full-pages changes the texts of results, and not which are found: try without it"
    } else {
        return Ok(());
    };
    Err(usage(refused))
}

/// Asks the judged queries, several at once, and puts what came of them into their order.
async fn evaluate(
    ranker: Arc<Ranker>,
    queries: Vec<Query>,
    judgements: &Arc<Judgements>,
) -> Result<Report> {
    let is_judged = |query: &Query| judgements.of(&query.id).is_some();
    let (judged, not_judged): (Vec<_>, Vec<_>) = queries.into_iter().partition(is_judged);
    let progress = Progress::over_queries(judged.len());
    let evaluated = stream::iter(judged)
        .map(|query| evaluate_aside(Arc::clone(&ranker), query, Arc::clone(judgements)))
        .buffered(at_once(&ranker))
        .inspect_ok(|_| progress.finish_one())
        .try_collect()
        .await?;
    let not_judged = not_judged.into_iter().map(|query| query.id).collect();
    Ok(Report::new(ranker.cutoff(), evaluated, not_judged, judgements.not_asked().to_vec()))
}

fn at_once(ranker: &Ranker) -> usize {
    let cores = thread::available_parallelism().map_or(1, usize::from);
    if ranker.is_local() { cores } else { CONCURRENT_QUERIES }
}

/// Evaluates a query on a thread of its own: a search in memory is nothing but work.
async fn evaluate_aside(
    ranker: Arc<Ranker>,
    query: Query,
    judgements: Arc<Judgements>,
) -> Result<Evaluated> {
    let runtime = Handle::current();
    let evaluate = move || runtime.block_on(evaluate_one(&ranker, query, &judgements));
    spawn_blocking(evaluate).await.context("a query could not be evaluated")?
}

async fn evaluate_one(ranker: &Ranker, query: Query, judgements: &Judgements) -> Result<Evaluated> {
    let none = Judged::default();
    let judged = judgements.of(&query.id).unwrap_or(&none);
    let ranking = ranker.rank(&query.text, judged).await;
    let ranking = ranking.with_context(|| format!("the query `{}` failed", query.id))?;
    let documents = ranking.iter().map(String::as_str);
    let figures = Figures::of_documents(documents, judged, ranker.cutoff());
    Ok(Evaluated::new(query, figures, ranking, judged))
}

fn nothing_in_common(
    arguments: &EvalArguments,
    queries: &[Query],
    judgements: &Judgements,
) -> anyhow::Error {
    let (asked, judged) = (queries.first().map(|query| &query.id), judgements.not_asked().first());
    let (queries, qrels) = (arguments.queries.display(), arguments.qrels.display());
    let reason = match (asked, judged) {
        (None, _) => format!(
            "`{queries}` holds no query: try {{\"_id\": \"q1\", \"text\": \"…\"}}, one a line"
        ),
        (_, None) => format!(
            "`{qrels}` holds no judgement: try a line with a query-id, a corpus-id and a score, with tabs between them"
        ),
        (Some(asked), Some(judged)) => format!(
            "no query of `{queries}` is judged in `{qrels}`: its ids are such as `{asked}`, and not such as `{judged}`: \
             try the same ids in both"
        ),
    };
    anyhow::Error::msg(reason)
}

fn warn_of(report: &Report) {
    if let Some(ids) = some_of(&report.not_asked) {
        messages::warn(&format!("judged, but not among the queries: {ids}"));
    }
    if let Some(ids) = some_of(&report.without_relevant()) {
        messages::warn(&format!("no document is relevant, so these count 0: {ids}"));
    }
    if let Some((judged, found)) = report.strangers() {
        messages::warn(&format!(
            "none of the relevant documents was found: they are called such as `{judged}`, and what was found such as \
             `{found}`: try --help for what a document is called"
        ));
    }
}

fn some_of(ids: &[String]) -> Option<String> {
    let named = ids.get(..NAMED_IDS).unwrap_or(ids).join(", ");
    match ids.len().saturating_sub(NAMED_IDS) {
        0 => Some(named).filter(|named| !named.is_empty()),
        more => Some(format!("{named}, and {more} more")),
    }
}
