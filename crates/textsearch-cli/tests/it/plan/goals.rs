//! Plans that the model writes.

use super::*;

#[tokio::test(flavor = "multi_thread")]
async fn a_goal_is_planned_shown_and_run() {
    let stage = Stage::new([search_plan()]).await;
    let run = stage.run(&[GOAL, "--from", "docs", "--yes"]);
    assert_eq!((run.code, run.stdout.as_str()), (0, "\"Leith\"\n"), "{}", run.stderr);
    let lines: Vec<&str> = run.stderr.lines().collect();
    assert_eq!(
        lines[..3],
        [
            "textsearch: the plan:",
            "textsearch:   found = SearchPlugin.GetSearchResults(query: \"team meets\")",
            "textsearch:   return $.steps.found.result[0].Name",
        ]
    );
    assert!(lines[3].starts_with("textsearch: 1 of 1: `found` finished in "), "{}", lines[3]);
    assert!(lines[4].starts_with("textsearch: done with 1 call in "), "{}", lines[4]);
    assert_eq!(lines.len(), 5);
    assert_eq!(stage.model.requests()[0].last_user_text(), GOAL);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dry_run_prints_a_plan_to_reuse() {
    let service = tides(|request, _| high_water(request)).await;
    let forget = json!({ "id": "forget", "function": "Tides.forgetTides", "arguments": { "harbour": "Leith" } });
    let written = json!({ "steps": [forget], "result": "$.steps.forget.result.high_water[1]" });
    let stage = Stage::new([written.clone()]).await;
    let plugin = ["--plugin", &tides_plugin(&service)];
    let run = stage.run(&[&[GOAL, "--dry-run"], &plugin[..]].concat());
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert_eq!(serde_json::from_str::<Value>(&run.stdout).unwrap(), written);
    assert!(run.stderr.contains("steps that may change something: `forget`\n"), "{}", run.stderr);
    assert!(requests_for_tides(&service).is_empty());

    stage.place.write("plan.json", &run.stdout);
    let run = stage.run(&[&["--plan", "plan.json", "--yes"], &plugin[..]].concat());
    assert_eq!((run.code, run.stdout.as_str()), (0, "\"17:32\"\n"), "{}", run.stderr);
    assert_eq!(requests_for_tides(&service), ["/v1/tides/Leith"]);
    assert_eq!(stage.model.requests().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn plans_without_a_terminal_need_consent() {
    let stage = Stage::new([search_plan()]).await;
    let run = stage.run(&[GOAL, "--from", "docs"]);
    assert_eq!((run.code, run.stdout.as_str()), (2, ""));
    assert!(run.stderr.contains("try --dry-run to see the plan, or --yes"), "{}", run.stderr);
    assert!(stage.model.requests().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn texts_of_models_and_documents_never_steer_the_terminal() {
    let hostile = "team\u{1b}[2J\nmeets\u{202e}\u{200b}\u{e0041}";
    let step = search("found", hostile);
    let result = json!([hostile, "$.steps.found.result[0].Value"]);
    let stage = Stage::new([json!({ "steps": [step], "result": result })]).await;
    stage.place.write("docs/team.md", "# Leith\n\nThe team meets \u{1b}[31m\u{9b}here.\n");
    let run = stage.run(&[GOAL, "--from", "docs", "--yes"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    for printed in [&run.stdout, &run.stderr] {
        let steers =
            |c: char| c != '\n' && (c.is_control() || "\u{202e}\u{200b}\u{e0041}".contains(c));
        assert!(!printed.contains(steers), "{printed:?}");
    }
    assert_eq!(run.stderr.lines().count(), 5, "{}", run.stderr);
    assert_eq!(serde_json::from_str::<Value>(&run.stdout).unwrap()[0], hostile);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_without_a_plan_fails_after_repairs() {
    let wrong = || json!({ "steps": [search("found", "x")], "result": "$.steps.lost.result" });
    let stage = Stage::new([wrong(), wrong(), wrong()]).await;
    let run = stage.run(&[GOAL, "--from", "docs", "--yes"]);
    assert_eq!((run.code, run.stdout.as_str()), (1, ""));
    assert!(run.stderr.contains("in 3 attempts: "), "{}", run.stderr);
    assert!(run.stderr.contains("unknown step `lost`"), "{}", run.stderr);
    assert_eq!(run.stderr.lines().count(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn plans_filter_only_on_allowed_fields() {
    let mut step = search("found", "team filter");
    step["arguments"]["path"] = json!("docs/filters.md");
    let plan = json!({ "steps": [step], "result": "$.steps.found.result[*].Name" });
    let stage = Stage::new([plan.clone(), plan.clone(), plan.clone(), plan]).await;
    let run = stage.run(&[GOAL, "--from", "docs", "--yes"]);
    assert!(run.stderr.contains("argument `path`: is unknown"), "{}", run.stderr);
    let run = stage.run(&[GOAL, "--from", "docs", "--yes", "--allow-filter", "path"]);
    assert_eq!(serde_json::from_str::<Value>(&run.stdout).unwrap(), json!(["Filters"]));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_missing_model_is_a_usage_error() {
    let place = docs();
    let run = place.run(&["plan", GOAL, "--from", "docs", "--dry-run"]);
    assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{}", run.stderr);
    assert!(run.stderr.contains("there is no model to ask: "), "{}", run.stderr);
}
