//! `--store azure-search://HOST/INDEX`, on the stand-in of `textsearch-azure-ai-search`.

use serde_json::Value;

use crate::{
    azure_search_stand_in::{KEY, Standin},
    support::{Run, Workplace},
};

#[test]
fn documents_are_indexed_searched_and_evaluated() {
    let place = Workplace::with(&[
        ("docs/apple.md", "An apple a day.\n"),
        ("docs/pear.md", "A pear tree.\n"),
        ("queries.jsonl", "{\"_id\":\"q1\",\"text\":\"pear\"}\n"),
        ("qrels.tsv", "q1\tdocs/pear.md\t1\n"),
    ]);
    let stand_in = Standin::start();
    let store = format!("{}docs", stand_in.url().replace("http:", "azure-search:"));
    let run = |arguments: &[&str]| -> Run {
        let mut command = place.command(&[arguments, &["--store", &store]].concat());
        command.env("AZURE_SEARCH_API_KEY", KEY).env("NO_PROXY", "127.0.0.1");
        command.output().unwrap().into()
    };
    let indexed = run(&["index", "docs"]);
    assert_eq!(indexed.code, 0, "{}", indexed.stderr);
    let output = run(&["search", "pear"]);
    assert!(
        output.stdout.contains("A pear tree.") && !output.stdout.contains("apple"),
        "{}",
        output.stdout
    );
    let questions = ["--queries", "queries.jsonl", "--qrels", "qrels.tsv", "--output", "json"];
    let evaluated = run(&[&["eval"][..], &questions].concat());
    let report: Value = serde_json::from_str(&evaluated.stdout).unwrap();
    assert_eq!(report["ndcg"], 1.0, "{}", evaluated.stderr);
    assert_eq!(stand_in.violations(), [""; 0]);
}
