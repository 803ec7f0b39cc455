//! A small test collection, with figures computed by hand.

use std::{
    env,
    error::Error,
    fs,
    path::Path,
    sync::{Arc, Mutex, PoisonError},
};

use textsearch_core::{FixedSearch, TextSearchResult};
use textsearch_eval::{Baseline, EvalError, Evaluator, Judgements, Query, Report};

const QUERIES: &str = r#"
{"_id": "q1", "text": "How do I install it?"}
{"_id": "q2", "text": "What does a filter do?"}
{"_id": "q3", "text": "Which command installs everything?"}
{"_id": "q4", "text": "Nobody judged this."}
"#;

const BEIR: &str = "query-id\tcorpus-id\tscore
q1\tdocs/install.md\t2
q1\tdocs/paging.md\t1
q2\tdocs/filters.md\t1
q2\tdocs/errors.md\t1
q3\tdocs/install.md\t1
";

const TREC: &str = "q1 0 docs/install.md 2
q1 0 docs/paging.md 1
q2 0 docs/filters.md 1
q2 0 docs/errors.md 1
q3 0 docs/install.md 1
";

/// What the search finds now, best first: never `docs/errors.md`.
const NOW: [&str; 3] = ["docs/filters.md", "docs/install.md", "docs/paging.md"];

/// A later version ranks the installation first.
const LATER: [&str; 3] = ["docs/install.md", "docs/filters.md", "docs/paging.md"];

type Outcome = Result<(), Box<dyn Error>>;

fn evaluator(links: [&str; 3]) -> Evaluator {
    Evaluator::new(FixedSearch::new(links.map(|link| TextSearchResult::new("…").with_link(link))))
}

async fn evaluate(links: [&str; 3]) -> Result<Report, EvalError> {
    let queries = Query::parse_all(QUERIES)?;
    let judgements = Judgements::parse(BEIR)?;
    evaluator(links).evaluate(&queries, &judgements).await
}

fn assert_near(actual: f64, expected: f64) {
    assert!((actual - expected).abs() < 1e-5, "{actual} is not {expected}");
}

fn stored(report: &Report, name: &str) -> Result<Baseline, Box<dyn Error>> {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::write(&path, serde_json::to_string(report)?)?;
    Ok(Baseline::parse(&fs::read_to_string(path)?)?)
}

#[test]
fn beir_and_trec_judgements_parse_alike() -> Outcome {
    assert_eq!(Judgements::parse(BEIR)?, Judgements::parse(TREC)?);
    Ok(())
}

#[tokio::test]
async fn each_query_has_the_measures_of_trec_eval() -> Outcome {
    let report = evaluate(NOW).await?;
    let measures: Vec<_> = report.per_query.iter().map(|query| query.measures).collect();
    // q1: found 0, 2, 1; best 2, 1. (2 / 1.58496 + 1 / 2) / (2 + 1 / 1.58496)
    assert_near(measures[0].ndcg, 1.76186 / 2.63093);
    assert_eq!((measures[0].recall, measures[0].reciprocal_rank), (1.0, 0.5));
    // q2: found 1, 0, 0; best 1, 1. 1 / (1 + 1 / 1.58496)
    assert_near(measures[1].ndcg, 1.0 / 1.63093);
    assert_eq!((measures[1].recall, measures[1].reciprocal_rank), (0.5, 1.0));
    // q3: found 0, 1, 0; best 1. (1 / 1.58496) / 1
    assert_near(measures[2].ndcg, 0.63093);
    assert_eq!((measures[2].recall, measures[2].reciprocal_rank), (1.0, 0.5));
    Ok(())
}

#[tokio::test]
async fn the_report_has_the_means_over_judged_queries() -> Outcome {
    let report = evaluate(NOW).await?;
    assert_eq!((report.cutoff, report.queries), (10, 3));
    assert_near(report.ndcg, 0.63791);
    assert_near(report.recall, 2.5 / 3.0);
    assert_near(report.mrr, 2.0 / 3.0);
    assert_eq!(report.not_judged, ["q4"]);
    assert_eq!(report.per_query[1].missed[0].id, "docs/errors.md");
    let table = "nDCG@10    0.638\nrecall@10  0.833\nMRR@10     0.667\n";
    assert!(report.to_string().starts_with(table), "{report}");
    Ok(())
}

#[tokio::test]
async fn a_lower_cutoff_counts_fewer_documents() -> Outcome {
    let queries = Query::parse_all(QUERIES)?;
    let judgements = Judgements::parse(TREC)?;
    let report = evaluator(NOW).with_cutoff(1).evaluate(&queries, &judgements).await?;
    // Only q2 ranks a relevant document first; it has two.
    assert_near(report.recall, 0.5 / 3.0);
    assert_near(report.mrr, 1.0 / 3.0);
    Ok(())
}

#[tokio::test]
async fn a_baseline_file_gives_differences_and_paired_intervals() -> Outcome {
    let baseline = stored(&evaluate(NOW).await?, "baseline.json")?;
    let comparison = baseline.compare(&evaluate(LATER).await?, &Judgements::parse(BEIR)?)?;
    let change = comparison.reciprocal_rank;
    // The ranks of q1 and q3 go from 2 to 1; the rank of q2 goes from 1 to 2: +0.5, -0.5, +0.5.
    assert_eq!((comparison.queries, change.better, change.worse), (3, 2, 1));
    assert_near(change.baseline, 2.0 / 3.0);
    assert_near(change.mean, 2.5 / 3.0);
    assert_near(change.difference, 1.0 / 6.0);
    // The standard error is 1/3; Student's quantile with 2 degrees of freedom is 4.3027.
    let [low, high] = change.interval.ok_or("three queries have an interval")?;
    assert_near(low, 1.0 / 6.0 - 4.3027 / 3.0);
    assert_near(high, 1.0 / 6.0 + 4.3027 / 3.0);
    assert_eq!(comparison.recall.difference, 0.0);
    Ok(())
}

#[tokio::test]
async fn a_baseline_of_another_cutoff_is_refused() -> Outcome {
    let queries = Query::parse_all(QUERIES)?;
    let judgements = Judgements::parse(BEIR)?;
    let shallow = evaluator(NOW).with_cutoff(5).evaluate(&queries, &judgements).await?;
    let baseline = stored(&shallow, "cutoff.json")?;
    let error = baseline.compare(&evaluate(NOW).await?, &judgements).unwrap_err();
    assert!(matches!(error, EvalError::OtherCutoff { baseline: 5, cutoff: 10 }), "{error}");
    Ok(())
}

#[tokio::test]
async fn progress_reports_judged_queries_in_order() -> Outcome {
    let queries = Query::parse_all(QUERIES)?;
    let judgements = Judgements::parse(BEIR)?;
    let ids = Arc::new(Mutex::new(Vec::new()));
    let noted = Arc::clone(&ids);
    let evaluator = evaluator(NOW).with_progress(move |report| {
        noted.lock().unwrap_or_else(PoisonError::into_inner).push(report.id.clone());
    });
    evaluator.evaluate(&queries, &judgements).await?;
    assert_eq!(*ids.lock().unwrap_or_else(PoisonError::into_inner), ["q1", "q2", "q3"]);
    Ok(())
}
