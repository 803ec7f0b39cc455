use std::path::Path;

use serde_json::Value;

use crate::support::{Run, Workplace, command_in};

const QUERIES: &str = "{\"_id\":\"q1\",\"text\":\"apple\"}\n{\"_id\":\"q2\",\"text\":\"pear\"}\n";

fn fruit() -> Workplace {
    Workplace::with(&[
        ("docs/apple.md", "# Apples\n\nAn apple.\n\n## Trees\n\nThe apple tree bears apples.\n"),
        ("docs/deep/pear.md", "# Pears\n\nA pear is no apple.\n"),
        ("docs/plum.txt", "A plum."),
        ("queries.jsonl", QUERIES),
        ("qrels.tsv", "q1\tdocs/apple.md\t1\nq2\tdocs/deep/pear.md\t1\n"),
    ])
}

fn eval_from(place: &Workplace, from: &str, more: &[&str]) -> Run {
    let files = ["eval", "--queries", "queries.jsonl", "--qrels", "qrels.tsv"];
    place.run(&[&files[..], &["--from", from], more].concat())
}

fn json_from(place: &Workplace, from: &str) -> Value {
    let run = eval_from(place, from, &["--output", "json"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    serde_json::from_str(&run.stdout).unwrap()
}

fn retrieved(report: &Value, query: usize) -> Vec<&str> {
    let documents = report["per_query"][query]["documents"].as_array().unwrap();
    documents.iter().map(|document| document["id"].as_str().unwrap()).collect()
}

/// ir_measures 0.4.3 computed `expected.json` (nDCG@10, R@10, RR@10), with trec_eval through
/// pytrec_eval-terrier 0.5.11. The example has equal scores, scores of 0 and below, missed relevant
/// documents, more of them than the cutoff, and queries without results, without a relevant
/// document, without judgements, and judged but not asked.
#[test]
fn measures_of_a_worked_example_equal_trec_evals() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/eval");
    let expected = std::fs::read(folder.join("expected.json")).unwrap();
    let expected: Value = serde_json::from_slice(&expected).unwrap();
    let arguments = ["--queries", "queries.jsonl", "--qrels", "qrels.tsv", "--output", "json"];
    let arguments = [&["eval", "--from", "documents.jsonl"][..], &arguments].concat();
    let run: Run = command_in(&folder, &arguments).output().unwrap().into();
    let report: Value = serde_json::from_str(&run.stdout).unwrap();

    assert_eq!(report["queries"], 7);
    for (query, evaluated) in report["per_query"].as_array().unwrap().iter().enumerate() {
        let expected = &expected["per_query"][evaluated["id"].as_str().unwrap()];
        assert_eq!(Value::from(retrieved(&report, query)), expected["documents"], "{evaluated}");
        for figure in ["ndcg", "recall", "reciprocal_rank"] {
            assert_same(&evaluated[figure], &expected[figure]);
        }
    }
    assert_same(&report["ndcg"], &expected["mean"]["ndcg"]);
    assert_same(&report["recall"], &expected["mean"]["recall"]);
    assert_same(&report["mrr"], &expected["mean"]["reciprocal_rank"]);
    assert_eq!(report["not_judged"], serde_json::json!(["q8"]));
    assert_eq!(report["not_asked"], serde_json::json!(["q9"]));
}

fn assert_same(left: &Value, right: &Value) {
    let left = left.as_f64().unwrap();
    let right = right.as_f64().unwrap();
    assert!((left - right).abs() < 1e-12, "{left} is not {right}");
}

#[test]
fn a_document_counts_once_by_its_best_chunk() {
    let place = fruit();
    let report = json_from(&place, "docs");
    assert_eq!(retrieved(&report, 0), ["docs/apple.md", "docs/deep/pear.md"]);
    assert_eq!((&report["ndcg"], &report["mrr"]), (&1.0.into(), &1.0.into()));

    place.index(&["docs"]);
    let stored = place.json(&[
        "eval",
        "--queries",
        "queries.jsonl",
        "--qrels",
        "qrels.tsv",
        "--output",
        "json",
    ]);
    assert_eq!(stored, report, "a store finds what files do");
}

#[test]
fn a_record_is_named_by_id_or_file_and_id() {
    let place = fruit();
    place.write("a.jsonl", "{\"id\":7,\"text\":\"apple\",\"url\":\"https://a.example/x\"}\n");
    place.write("qrels.tsv", "q1\t7\t1\n");
    assert_eq!(retrieved(&json_from(&place, "a.jsonl"), 0), ["7"]);
    place.write("qrels.tsv", "q1\ta.jsonl#7\t1\n");
    let report = json_from(&place, "a.jsonl");
    assert_eq!((retrieved(&report, 0), &report["ndcg"]), (vec!["a.jsonl#7"], &1.0.into()));
}

#[test]
fn records_of_two_files_with_one_id_are_two_documents() {
    let place = fruit();
    for file in ["records/a.jsonl", "records/b.jsonl"] {
        place.write(file, "{\"id\":2,\"text\":\"apple\"}\n");
    }
    place.write("records/c.jsonl", "{\"id\":3,\"text\":\"An apple and plums and pears\"}\n");
    for judged in ["3", "2"] {
        place.write("qrels.tsv", format!("q1\t{judged}\t1\n"));
        let report = json_from(&place, "records");
        assert_eq!(retrieved(&report, 0), ["2", "records/b.jsonl#2", "3"], "{report}");
        assert_eq!(report["recall"], 1.0, "only one is what was judged");
    }
}

#[test]
fn eval_ranks_ten_documents_despite_many_chunks_of_one() {
    let place = fruit();
    let section = |number| format!("## Apple {number}\n\nApple apple apple.\n\n");
    place.write("docs/apple.md", (0..200).map(section).collect::<String>());
    for number in 0..12 {
        place.write(&format!("docs/n{number}.txt"), format!("apple {}", "and plums ".repeat(50)));
    }
    let report = json_from(&place, "docs");
    assert_eq!((retrieved(&report, 0).len(), retrieved(&report, 0)[0]), (10, "docs/apple.md"));
}

#[test]
fn top_sets_the_cutoff_of_the_measures() {
    let run = eval_from(&fruit(), "docs", &["--top", "1"]);
    let expected = "nDCG@1     1.000\nrecall@1   1.000\nMRR@1      1.000\n2 queries\n";
    assert_eq!((run.stdout.as_str(), run.stderr.as_str()), (expected, ""));
}

#[test]
fn follow_ups_search_for_more_than_their_text() {
    let follow_up =
        r#"{"_id":"q2","text":"and deep ones?","history":["pear"],"rewrite":"no apple"}"#;
    let place = fruit();
    place.write("queries.jsonl", follow_up);
    for (history, text) in
        [("none", "and deep ones?"), ("joined", "pear\nand deep ones?"), ("rewritten", "no apple")]
    {
        let run = eval_from(&place, "docs", &["--history", history, "--output", "json"]);
        assert_eq!(run.code, 0, "{}", run.stderr);
        let report: Value = serde_json::from_str(&run.stdout).unwrap();
        assert_eq!(report["per_query"][0]["text"], text);
        let documents = if history == "none" { 0.0 } else { 1.0 };
        assert_eq!(report["recall"], documents, "{history}");
    }
}

#[test]
fn per_query_shows_missed_documents() {
    let place = fruit();
    place.write("qrels.tsv", "q1\tdocs/apple.md\t1\nq2\tdocs/plum.txt\t2\n");
    let run = eval_from(&place, "docs", &["--per-query"]);
    let expected = "  nDCG@10 recall@10    MRR@10  query
    0.000     0.000     0.000  q2  pear
                               missed: docs/plum.txt (2)
    1.000     1.000     1.000  q1  apple

nDCG@10    0.500
recall@10  0.500
MRR@10     0.500
2 queries
";
    assert_eq!(run.stdout, expected);
}

#[test]
fn a_filter_narrows_the_evaluated_documents() {
    let place = fruit();
    let run =
        eval_from(&place, "docs", &["--filter", "path contains \"deep\"", "--output", "json"]);
    let report: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(retrieved(&report, 0), ["docs/deep/pear.md"]);
}

#[test]
fn unmatched_queries_are_counted_and_named() {
    let place = fruit();
    place.write("qrels.tsv", "q1\tdocs/apple.md\t1\nq7\tdocs/plum.txt\t1\n");
    let run = eval_from(&place, "docs", &[]);
    assert!(run.stdout.ends_with("1 query; 1 left out, which nobody judged\n"), "{}", run.stdout);
    let expected = "textsearch: warning: judged, but not among the queries: q7\n";
    assert_eq!((run.code, run.stderr.as_str()), (0, expected));
}

#[test]
fn mismatched_document_ids_are_a_warning() {
    let place = fruit();
    place.write("qrels.tsv", "q1\tapple.md\t1\n");
    let run = eval_from(&place, "docs", &[]);
    assert!(
        run.stderr
            .contains("they are called such as `apple.md`, and what was found such as `docs/"),
        "{}",
        run.stderr
    );
}

#[test]
fn queries_and_judgements_without_overlap_are_refused() {
    let place = fruit();
    let failure = || {
        let run = eval_from(&place, "docs", &[]);
        assert_eq!((run.code, run.stdout.as_str()), (1, ""));
        run.stderr
    };
    place.write("qrels.tsv", "7\tdocs/apple.md\t1\n");
    assert!(failure().contains("its ids are such as `q1`, and not such as `7`"));
    place.write("qrels.tsv", "");
    assert!(failure().contains("`qrels.tsv` holds no judgement: try a line with"));
    place.write("queries.jsonl", "\n");
    assert!(failure().contains("`queries.jsonl` holds no query: try {\"_id\""));
    place.remove("queries.jsonl");
    assert!(
        failure()
            .starts_with("textsearch: there is no file `queries.jsonl`: try another --queries")
    );
}

#[test]
fn an_invalid_line_is_named_by_file_and_number() {
    let place = fruit();
    place.write("qrels.tsv", "query-id\tcorpus-id\tscore\r\nq1\tdocs/apple.md\tyes\r\n");
    let run = eval_from(&place, "docs", &[]);
    let expected = "textsearch: `qrels.tsv` line 2: the score `yes` isn't a whole number: try \
                    `q1<TAB>docs/apple.md<TAB>1`\n";
    assert_eq!((run.code, run.stderr.as_str()), (1, expected));
}

#[test]
fn arguments_without_effect_are_usage_errors() {
    for (arguments, message) in [
        (&["--top", "0"][..], "--top is 0"),
        (&["--filter", "colour = 1"], "cannot filter on `colour`"),
    ] {
        let run = eval_from(&fruit(), "docs", arguments);
        assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{arguments:?}");
        assert!(run.stderr.contains(message), "{}", run.stderr);
    }
}

#[test]
fn a_million_judgements_of_other_queries_are_skipped() {
    let place = fruit();
    let others: String =
        (0..1_000_000).map(|number| format!("x{}\td{number}\t1\n", number % 500)).collect();
    place.write("qrels.tsv", others + "q1\tdocs/apple.md\t1\n");
    let report = json_from(&place, "docs");
    assert_eq!(report["queries"], 1);
    assert_eq!(report["not_asked"].as_array().unwrap().len(), 500);
}

#[test]
fn two_evaluations_are_compared_query_by_query() {
    let place = fruit();
    place.write("before.json", eval_from(&place, "docs", &["--output", "json"]).stdout);
    place.write("docs/deep/pear.md", "# Nothing\n\nNothing.\n");
    let run = eval_from(&place, "docs", &["--baseline", "before.json"]);
    let expected = "            mean  baseline  difference   95 % interval   better  worse\nnDCG@10    0.500     1.000      -0.500  ";
    assert!(run.stdout.starts_with(expected), "{}", run.stdout);
    assert!(run.stdout.lines().nth(1).unwrap().ends_with("       0      1"), "{}", run.stdout);

    let json = eval_from(&place, "docs", &["--baseline", "before.json", "--output", "json"]);
    let report: Value = serde_json::from_str(&json.stdout).unwrap();
    assert_eq!(report["comparison"]["queries"], 2);
    assert_eq!(report["comparison"]["ndcg"]["difference"], -0.5);
}

#[test]
fn a_baseline_is_measured_with_current_judgements() {
    let place = fruit();
    place.write("before.json", eval_from(&place, "docs", &["--output", "json"]).stdout);
    place.write("qrels.tsv", "q1\tdocs/deep/pear.md\t2\nq2\tdocs/deep/pear.md\t1\n");
    let run = eval_from(&place, "docs", &["--baseline", "before.json", "--output", "json"]);
    let report: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(report["mrr"], 0.75, "the pear is in the second place for the first query");
    for measure in ["ndcg", "recall", "reciprocal_rank"] {
        let change = &report["comparison"][measure];
        assert_eq!((&change["difference"], &change["worse"]), (&0.0.into(), &0.into()), "{change}");
        assert_eq!(change["baseline"], change["mean"]);
    }
}

#[test]
fn comparisons_use_the_queries_of_both_reports() {
    let place = fruit();
    place.write("queries.jsonl", QUERIES.lines().next().unwrap());
    place.write("before.json", eval_from(&place, "docs", &["--output", "json"]).stdout);
    place.write("queries.jsonl", QUERIES);
    place.write("qrels.tsv", "q1\tdocs/apple.md\t1\nq2\tdocs/plum.txt\t1\n");
    let run = eval_from(&place, "docs", &["--baseline", "before.json"]);
    let row = run.stdout.lines().nth(1).unwrap();
    assert!(row.starts_with("nDCG@10    1.000     1.000      +0.000 "), "{row}");
    assert!(run.stdout.ends_with("2 queries; 1 in the baseline\n"), "{}", run.stdout);
}

#[test]
fn an_incomparable_baseline_is_refused_with_the_reason() {
    let place = fruit();
    place.write(
        "before.json",
        eval_from(&place, "docs", &["--output", "json", "--top", "3"]).stdout,
    );
    let failure = |baseline: &str| {
        let run = eval_from(&place, "docs", &["--baseline", baseline]);
        assert_eq!((run.code, run.stdout.as_str()), (1, ""));
        run.stderr
    };
    assert!(
        failure("before.json")
            .contains("of 3 documents a query, and this one is of 10: try --top 3")
    );
    assert!(failure("qrels.tsv").contains("`qrels.tsv` isn't an evaluation: try a file that"));
    assert!(
        failure("nowhere.json").contains("there is no file `nowhere.json`: try another --baseline")
    );
    place.write("other.json", r#"{"cutoff":10,"per_query":[{"id":"q9","documents":[]}]}"#);
    assert!(failure("other.json").contains("no query is in the baseline and in this evaluation"));
}
