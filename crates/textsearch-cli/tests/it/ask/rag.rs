//! `--rag`: one search with the question, and one request.

use super::*;

#[tokio::test(flavor = "multi_thread")]
async fn rag_asks_the_model_once_with_the_results() {
    let stage = Stage::new([Turn::text("One method.")]).await;
    let run = stage.ask(&["--top", "1"]);
    assert_eq!((run.code, run.stdout.as_str(), run.stderr.as_str()), (0, "One method.\n", ""));
    let requests = stage.model.requests();
    assert_eq!(requests.len(), 1);
    assert_eq!(requests[0].tool_names(), Vec::<&str>::new());
    assert_eq!(requests[0].body["model"], "scripted-model");
    let prompt = stage.place.run(&["prompt", QUESTION, "--from", "docs", "--top", "1"]).stdout;
    assert_eq!(requests[0].messages(), [json!({ "role": "user", "content": prompt })]);
}

#[tokio::test(flavor = "multi_thread")]
async fn rag_is_the_default() {
    let stage = Stage::new([Turn::text("One."), Turn::text("One.")]).await;
    stage.ask(&[]);
    stage.ask(&["--rag"]);
    assert_eq!(stage.request(0).body, stage.request(1).body);
}

#[tokio::test(flavor = "multi_thread")]
async fn show_calls_prints_the_templates_search() {
    let stage = Stage::new([Turn::text("One.")]).await;
    let run = stage.ask(&["--show-calls", "--filter", "path = \"docs/connectors.md\""]);
    let expected = format!(
        "textsearch: template: SearchPlugin-GetSearchResults {{\"query\":\"{QUESTION}\"}}: 1 result in "
    );
    assert!(run.stderr.starts_with(&expected), "{}", run.stderr);
    assert_eq!(run.stderr.lines().count(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn template_results_may_be_cited_by_link_or_number() {
    for kind in ["results", "records"] {
        let stage = Stage::new([Turn::text(format!("See [it]({CONNECTORS}) and [1]."))]).await;
        let run = stage.ask(&["--check-citations", "--kind", kind]);
        assert_eq!(run.code, 0, "{}", run.stderr);
        let expected = format!(
            "textsearch: link {CONNECTORS}: supported by [1] Connectors, {CONNECTORS}\n\
             textsearch: number 1: supported by [1] Connectors, {CONNECTORS}\n"
        );
        assert_eq!(run.stderr, expected, "{kind}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_system_message_precedes_the_prompt() {
    let stage = Stage::new([Turn::text("One."), Turn::text("One.")]).await;
    stage.ask(&["--system", "Be brief."]);
    stage.ask(&["--system", ""]);
    let roles = |number: usize| -> Vec<String> {
        let request = stage.request(number);
        request
            .messages()
            .iter()
            .map(|message| message["role"].as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!((roles(0), roles(1)), (vec!["system".into(), "user".into()], vec!["user".into()]));
    assert_eq!(stage.request(0).messages()[0]["content"], "Be brief.");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_without_grounding_comes_with_a_warning() {
    let stage = Stage::new([Turn::text("I do not know.")]).await;
    let run = stage.ask(&["--filter", "path = \"nowhere\""]);
    assert_eq!((run.code, run.stdout.as_str()), (0, "I do not know.\n"));
    assert!(run.stderr.contains("warning: nothing was found"), "{}", run.stderr);
}
