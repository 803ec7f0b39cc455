//! `textsearch eval`: measures search quality against human judgements.

use std::{path::Path, sync::Arc};

use anyhow::{Result, anyhow};
use textsearch_compose::PerDocument;
use textsearch_eval::{
    Baseline, EvalError, Evaluator, Judgements, Measures, Query, QueryReport, Report,
};

use crate::{
    arguments::{EvalArguments, History, OutputFormat, SearchSelector},
    corpus::selector,
    errors::usage,
    files, messages,
    output::{Output, excerpt, in_one_line},
    progress::Progress,
};

/// Maximum number of ids in a message.
const NAMED_IDS: usize = 10;

/// In characters.
const EXCERPT_LENGTH: usize = 100;

pub(crate) async fn run(arguments: &EvalArguments, output: &mut Output) -> Result<()> {
    check_arguments(&arguments.selector)?;
    let queries = read(&arguments.queries, "--queries", Query::parse_all)?;
    let judgements = read(&arguments.qrels, "--qrels", Judgements::parse)?;
    if !queries.iter().any(|query| judgements.of(&query.id).is_some()) {
        return Err(nothing_in_common(arguments, &queries, &judgements));
    }
    let baseline = arguments.baseline.as_deref();
    let baseline = baseline.map(|path| read_baseline(path, arguments.selector.top)).transpose()?;
    let queries = in_conversation(queries, arguments.history)?;
    let mut report = evaluate(&arguments.selector, queries, &judgements).await?;
    report.comparison =
        baseline.map(|baseline| baseline.compare(&report, &judgements)).transpose()?;
    warn_of(&report);
    if arguments.output == OutputFormat::Json {
        return output.json(&report);
    }
    if arguments.per_query {
        output.line(&queries_table(&report))?;
    }
    output.line(&report.to_string())
}

/// Rejects arguments that a measurement has no use for.
fn check_arguments(selector: &SearchSelector) -> Result<()> {
    let refused = if selector.top == 0 {
        "--top is 0, and then nothing can be found: try 1 or more"
    } else if selector.pages.full_pages {
        "--full-pages changes the texts of results, and not which are found: try without it"
    } else {
        return Ok(());
    };
    Err(usage(refused))
}

fn read<T>(location: &Path, option: &str, parse: fn(&str) -> Result<T, EvalError>) -> Result<T> {
    let text = files::read(location, option)?;
    parse(&text).map_err(|error| anyhow!("`{}` {error}", location.display()))
}

fn in_conversation(queries: Vec<Query>, history: History) -> Result<Vec<Query>, EvalError> {
    let queries = queries.into_iter();
    match history {
        History::None => Ok(queries.collect()),
        History::Joined => Ok(queries.map(Query::joined).collect()),
        History::Rewritten => queries.map(Query::rewritten).collect(),
    }
}

fn read_baseline(location: &Path, cutoff: usize) -> Result<Baseline> {
    let path = location.display();
    let text = files::read(location, "--baseline")?;
    let baseline = Baseline::parse(&text).map_err(|_| {
        anyhow!(
            "`{path}` isn't an evaluation: try a file that `textsearch eval --output json` printed"
        )
    })?;
    baseline.check_cutoff(cutoff).map_err(|error| match error {
        EvalError::OtherCutoff { baseline, cutoff } => anyhow!(
            "`{path}` is an evaluation of {baseline} documents a query, and this one is of {cutoff}: try --top {baseline}"
        ),
        error => error.into(),
    })?;
    Ok(baseline)
}

async fn evaluate(
    selector: &SearchSelector,
    queries: Vec<Query>,
    judgements: &Judgements,
) -> Result<Report> {
    let search = selector::open(selector).await?;
    let options = selector::options(selector, &search)?;
    // A service of the web may cost something for each page of results, and finds each link once.
    let search =
        if selector.source.is_some() { search } else { Arc::new(PerDocument::new(search)) };
    let evaluator = Evaluator::new(search).with_options(options);
    let judged = queries.iter().filter(|query| judgements.of(&query.id).is_some()).count();
    let progress = Progress::over_queries(judged);
    let evaluator = evaluator.with_progress(progress.query_callback());
    Ok(evaluator.evaluate(&queries, judgements).await?)
}

fn nothing_in_common(
    arguments: &EvalArguments,
    queries: &[Query],
    judgements: &Judgements,
) -> anyhow::Error {
    let asked = queries.first().map(|query| &query.id);
    let judged = judgements.queries().next();
    let queries = arguments.queries.display();
    let qrels = arguments.qrels.display();
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
    let without_relevant = report.per_query.iter().filter(|query| !query.has_relevant());
    let without_relevant: Vec<String> = without_relevant.map(|query| query.id.clone()).collect();
    if let Some(ids) = some_of(&without_relevant) {
        messages::warn(&format!("no document is relevant, so these count 0: {ids}"));
    }
    if let Some((judged, retrieved)) = report.mismatched_ids() {
        messages::warn(&format!(
            "none of the relevant documents was found: they are called such as `{judged}`, and what was found such as \
             `{retrieved}`: try --help for what a document is called"
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

fn queries_table(report: &Report) -> String {
    let [ndcg, recall, mrr] = report.headings();
    let mut queries: Vec<&QueryReport> = report.per_query.iter().collect();
    queries.sort_by(|left, right| left.measures.ndcg.total_cmp(&right.measures.ndcg));
    let heading = format!("{ndcg:>9} {recall:>9} {mrr:>9}  query\n");
    let lines = queries.into_iter().map(|query| {
        let Measures { ndcg, recall, reciprocal_rank, .. } = query.measures;
        let id = in_one_line(&query.id);
        let text = excerpt(&query.text, EXCERPT_LENGTH);
        format!("{ndcg:>9.3} {recall:>9.3} {reciprocal_rank:>9.3}  {id}  {text}\n") + &missed(query)
    });
    std::iter::once(heading).chain(lines).collect::<String>() + "\n"
}

fn missed(query: &QueryReport) -> String {
    let named = query.missed.iter().map(|document| {
        format!("{} ({})", in_one_line(&document.id), document.score.unwrap_or_default())
    });
    match named.collect::<Vec<_>>().join(", ") {
        none if none.is_empty() => none,
        some => format!("{:31}missed: {some}\n", ""),
    }
}

#[cfg(test)]
mod tests {
    use textsearch_eval::Judged;

    use super::*;

    fn evaluated(id: &str, text: &str, retrieved: &[&str], judged: &[(&str, i32)]) -> QueryReport {
        let judged: Judged = judged.iter().map(|(id, score)| ((*id).to_owned(), *score)).collect();
        let retrieved = retrieved.iter().map(|id| (*id).to_owned()).collect();
        QueryReport::new(&Query::new(id, text), retrieved, &judged, 10)
    }

    #[test]
    fn queries_come_worst_first_with_what_they_missed() {
        let queries = vec![
            evaluated("q1", "One?", &["x", "a"], &[("a", 1)]),
            evaluated("q2", "Two\u{1b}\n?", &["x"], &[("b", 1), ("c", 2), ("d", 0)]),
        ];
        let report = Report::new(10, queries, Vec::new(), Vec::new());
        let expected = "  nDCG@10 recall@10    MRR@10  query
    0.000     0.000     0.000  q2  Two ?
                               missed: c (2), b (1)
    0.631     1.000     0.500  q1  One?

";
        assert_eq!(queries_table(&report), expected);
    }
}
