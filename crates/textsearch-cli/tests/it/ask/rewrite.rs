//! `--rewrite`: the model writes the queries.

use super::*;

#[tokio::test(flavor = "multi_thread")]
async fn queries_are_printed_and_searched_for() {
    let turns = [Turn::text("plain data"), Turn::text("By one method.")];
    let stage = Stage::new(turns).await;
    let run = stage.ask(&["--rewrite", "variants"]);
    assert_eq!(
        (run.code, run.stdout.as_str(), run.stderr.as_str()),
        (0, "By one method.\n", "searching for: plain data\n")
    );
    let prompt = stage.request(1).last_user_text();
    assert!(prompt.contains("docs/filters.md") && prompt.contains(CONNECTORS), "{prompt}");
}

#[tokio::test(flavor = "multi_thread")]
async fn json_reports_the_queries_of_a_call() {
    let turns = [Turn::text("connector method\nplain data"), Turn::text("Both.")];
    let answer = Stage::new(turns).await.json(&["--rewrite", "sub-questions"]);
    let report = &answer["calls"][0]["query_transform"];
    assert_eq!(report["transform"], "sub_questions");
    assert_eq!(report["queries"][1]["part"], "plain data");
    assert_eq!(answer["sources"].as_array().unwrap().len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn failed_rewriting_warns_and_answers() {
    let stage = Stage::new([Turn::refusal("No."), Turn::text("By one method.")]).await;
    let run = stage.ask(&["--rewrite", "variants"]);
    assert_eq!((run.code, run.stdout.as_str()), (0, "By one method.\n"));
    assert_eq!(run.stderr, "textsearch: warning: the question was not rewritten: no_answer\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn fixed_filter_holds_for_rewritten_queries() {
    let turns = [Turn::text("plain data\npath:docs/filters.md"), Turn::text("By one method.")];
    let stage = Stage::new(turns).await;
    stage.ask(&["--rewrite", "variants", "--fixed-filter", "path = \"docs/connectors.md\""]);
    assert!(!stage.request(1).last_user_text().contains("docs/filters.md"));
}

#[tokio::test(flavor = "multi_thread")]
async fn made_up_answer_needs_embeddings() {
    let run = Stage::new([]).await.ask(&["--rewrite", "hypothetical-answer"]);
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("searches by vector: try --embeddings MODEL"), "{}", run.stderr);
}
