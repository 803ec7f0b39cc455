//! Plans written by hand.

use super::*;

fn run(files: &[(&str, &str)], arguments: &[&str]) -> Run {
    let place = docs();
    for (path, text) in files {
        place.write(path, text);
    }
    place.run(&[&["plan", "--from", "docs", "--yes"], arguments].concat())
}

const PLAN: &str = "
inputs:
  query: { type: string }
  count: { type: integer, minimum: 1 }
steps:
  - id: found
    function: SearchPlugin.GetSearchResults
    arguments: { query: $.inputs.query, count: $.inputs.count }
result: $.steps.found.result[*].Name
";

#[test]
fn a_plan_in_yaml_takes_inputs() {
    let run =
        |inputs: &[&str]| run(&[("plan.yaml", PLAN)], &[&["--plan", "plan.yaml"], inputs].concat());
    let output = run(&["--input", "query=team filter", "--input", "count=1"]);
    let names: Value = serde_json::from_str(&output.stdout).unwrap();
    assert_eq!(names.as_array().unwrap().len(), 1, "{}", output.stderr);
    // An input of texts takes a number as it is written.
    assert_eq!(run(&["--input", "query=2026", "--input", "count=1"]).stdout, "[]\n");
    // Names ignore case.
    assert_eq!(run(&["--input", "Query=2026", "--input", "COUNT=1"]).stdout, "[]\n");
    for (inputs, message) in [
        (&["--input", "query=x"][..], "the input `count` must be an integer: found null"),
        (&["--input", "query=x", "--input", "count=many"], "must be an integer: found \"many\""),
        (&["--input", "day=1"], "the input `day` is unknown; the inputs are `count`, `query`"),
    ] {
        let refused = run(inputs);
        assert_eq!((refused.code, refused.stdout.as_str()), (2, ""), "{}", refused.stderr);
        assert!(refused.stderr.contains(message), "{}", refused.stderr);
    }
}

#[test]
fn a_value_that_fits_only_as_text_is_text() {
    let plan = json!({
        "inputs": { "day": { "enum": ["1", "2"] }, "any": true },
        "steps": [], "result": ["$.inputs.day", "$.inputs.any"],
    });
    let files = [("plan.json", &*plan.to_string())];
    let arguments = ["--plan", "plan.json", "--input", "Day=1", "--input", "any=1"];
    assert_eq!(run(&files, &arguments).stdout, "[\n  \"1\",\n  1\n]\n");
}

#[test]
fn each_mistake_of_a_plan_has_a_line() {
    let steps = json!([
        { "id": "found", "function": "SearchPlugin.GetSearchResults", "arguments": { "query": 5 } },
        { "id": "sent", "function": "Mail.Send", "arguments": { "text": "$.steps.found.result[0].Url" } },
    ]);
    let plan = json!({ "steps": steps, "result": null }).to_string();
    let run = run(&[("plan.json", &plan)], &["--plan", "plan.json"]);
    assert_eq!((run.code, run.stdout.as_str()), (1, ""));
    let lines: Vec<&str> = run.stderr.lines().collect();
    assert_eq!(lines[0], "textsearch: step `found`, argument `query`: must be a text: found 5");
    assert!(lines[1].starts_with("textsearch: step `sent`, function: `Mail.Send` is unknown"));
    assert!(lines[2].contains("has no field `Url`"), "{}", lines[2]);
    assert_eq!(lines[3..], ["textsearch: the plan cannot run: it has 3 mistakes"]);
}

#[test]
fn what_is_no_plan_is_refused_with_its_place() {
    let refused = |file: &str, text: &str| {
        let run = run(&[(file, text)], &["--plan", file]);
        assert_eq!((run.code, run.stderr.lines().count()), (1, 1), "{}", run.stderr);
        run.stderr
    };
    let stderr = refused("plan.json", "{ \"steps\": [],\n  \"reslt\": 1 }");
    assert!(stderr.contains("`plan.json` is no plan: unknown field `reslt`"), "{stderr}");
    assert!(stderr.contains("at line 2"), "{stderr}");
    let stderr = refused("plan.yaml", "steps: []\nreslt: 1\n");
    assert!(stderr.contains("`plan.yaml` is no plan: ") && stderr.contains("reslt"), "{stderr}");
}

#[test]
fn usage_errors_say_what_to_try() {
    for (arguments, advice) in [
        (&[][..], "try a goal, --plan FILE, or --state FILE"),
        (&["goal", "--plan", "plan.json"], "cannot be used with"),
        (&["goal", "--dry-run"], "cannot be used with"),
        (&["goal", "--input", "a=1"], "--plan"),
        (&["goal", "--plugin", "weather.yaml"], "try openapi:URL"),
        (&["goal", "--plugin", "mcp:a", "--plugin", "mcp:b"], "two plugins are named `Mcp`: try"),
        (&["goal", "--plugin", "mcp:a 'b"], "has an open quote"),
        (
            &["goal", "--plugin", "mcp:a", "--server", "Mcp=http://t.example"],
            "`Mcp` names no plugin",
        ),
        (&["goal", "--server", "https://u:sesame@t.example"], "`https` names no plugin with an"),
        (
            &["goal", "--plugin", "openapi:a", "--server", "OpenApi=http://u:sesame@t.example"],
            "--server `OpenApi`: its URL isn't plain: try",
        ),
        (&["goal", "--state", "docs/team.md"], "`docs/team.md` exists: try --state without a goal"),
        (&[" "], "the goal is empty"),
    ] {
        let run = run(&[], arguments);
        assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{arguments:?}: {}", run.stderr);
        assert_eq!(run.stderr.lines().count(), 1, "{}", run.stderr);
        assert!(run.stderr.contains(advice), "{arguments:?}: {}", run.stderr);
        assert!(!run.stderr.contains("sesame"), "{}", run.stderr);
    }
}
