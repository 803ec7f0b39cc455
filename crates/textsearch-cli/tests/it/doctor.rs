//! `textsearch doctor`, against services on loopback.

use serde_json::{Value, json};
use textsearch_conformance::chat::{ModelScript, ScriptedModel, Turn};

use crate::support::{Run, Workplace};

const KEY: &str = "sk-open-sesame";

async fn model() -> ScriptedModel {
    ScriptedModel::start(ModelScript::turns([Turn::text("OK")]).with_key(KEY).with_dimensions(64))
        .await
}

fn place() -> Workplace {
    Workplace::with(&[("docs/apple.md", "# Apple\n\nAn apple a day.\n")])
}

fn doctor(place: &Workplace, base_url: &str, arguments: &[&str]) -> Run {
    let mut command = place.command(&[&["doctor"], arguments].concat());
    command.env("OPENAI_BASE_URL", base_url).env("OPENAI_API_KEY", KEY);
    let run = Run::from(command.env("OPENAI_MODEL", "scripted-model").output().unwrap());
    assert!(
        !run.stdout.contains(KEY) && !run.stderr.contains(KEY),
        "{} {}",
        run.stdout,
        run.stderr
    );
    run
}

fn statuses(report: &Value) -> Vec<(&str, &str)> {
    let checks = report["checks"].as_array().unwrap().iter();
    checks
        .map(|check| (check["name"].as_str().unwrap(), check["status"].as_str().unwrap()))
        .collect()
}

#[test]
fn without_store_and_models_nothing_is_wrong() {
    let run = place().run(&["doctor"]);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    assert!(
        run.stdout.starts_with("missing store: there is no store `.textsearch/index`"),
        "{}",
        run.stdout
    );
    assert_eq!(run.stdout.lines().count(), 3, "{}", run.stdout);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_named_is_checked() {
    let model = model().await;
    let place = place();
    assert_eq!(place.index(&["docs"]), [1, 0, 0, 0]);
    let run = doctor(&place, &model.base_url(), &["--output", "json"]);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    let report: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(statuses(&report), [("store", "ok"), ("model", "ok")]);
    let store = "`.textsearch/index`: 1 chunk, language en, no embeddings";
    assert_eq!(report["checks"][0]["detail"], store);
    assert_eq!(report["checks"][1]["detail"], "`scripted-model` answers");
    let key = |name: &str| report["keys"][name].clone();
    assert_eq!((key("OPENAI_API_KEY"), key("BRAVE_API_KEY")), (json!(true), json!(false)));
    model.assert_valid();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_that_does_not_fit_the_store_fails() {
    let model = model().await;
    let place = place();
    place.index(&["docs"]);
    let run = doctor(&place, &model.base_url(), &["--embeddings", "openai:any"]);
    assert_eq!((run.code, run.stderr.as_str()), (1, ""));
    assert!(run.stdout.contains("failed  store: the store has no embeddings"), "{}", run.stdout);
    assert!(run.stdout.contains("ok      embeddings: `any` makes 64 dimensions"), "{}", run.stdout);
}

#[test]
fn a_missing_key_fails_the_model_and_not_the_store() {
    let place = place();
    place.index(&["docs"]);
    let run = place.run(&["doctor", "--embeddings", "openai:any"]);
    assert_eq!((run.code, run.stderr.as_str()), (1, ""));
    assert!(run.stdout.starts_with("failed  embeddings: "), "{}", run.stdout);
    assert!(run.stdout.contains("`OPENAI_API_KEY`"), "{}", run.stdout);
    assert!(run.stdout.contains("\nok      store: "), "{}", run.stdout);
}

#[test]
fn a_silent_server_and_a_missing_store_fail() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    let url = format!("http://{address}");
    let arguments = ["--store", "no.index", "--source", "searxng", "--endpoint", &url];
    let run = doctor(&place(), &format!("{url}/v1"), &arguments);
    assert_eq!((run.code, run.stderr.as_str()), (1, ""));
    for failed in ["store: there is no store `no.index`", "model: ", "source: "] {
        assert!(run.stdout.contains(&format!("failed  {failed}")), "{}", run.stdout);
    }
    assert!(run.stdout.contains("try another --endpoint"), "{}", run.stdout);
}
