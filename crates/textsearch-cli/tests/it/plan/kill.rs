//! A plan over a search, an HTTP service and an MCP server, killed in the middle, then resumed.

use std::{
    process::{Command, Stdio},
    time::Duration,
};

use super::*;

const STATE: &str = "run.json";

fn three_plugins() -> Value {
    let name = "$.steps.found.result[0].Name";
    let notes = json!({ "id": "notes", "function": "Notes.SearchPlugin_Search", "arguments": { "query": name } });
    let tides =
        json!({ "id": "tides", "function": "Tides.getTides", "arguments": { "harbour": name } });
    let result = json!({
        "harbour": name,
        "notes": "$.steps.notes.result",
        "high_water": "$.steps.tides.result.high_water[0]",
    });
    json!({ "steps": [search("found", "team meets"), notes, tides], "result": result })
}

/// Returns the finished steps of the saved run.
fn finished(place: &Workplace) -> Vec<String> {
    let Ok(text) = std::fs::read(place.path(STATE)) else { return Vec::new() };
    let state: Value = serde_json::from_slice(&text).unwrap();
    state["steps"].as_object().unwrap().keys().cloned().collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_killed_run_resumes_without_repeating_steps() {
    let service = tides(|request, before| match before {
        // The document is the first request, and the program is killed in the second.
        1 => Action::Stall(Vec::new()),
        _ => high_water(request),
    })
    .await;
    let stage = Stage::new([three_plugins()]).await;
    let place = &stage.place;
    place.write("notes/leith.md", "# Moorings\n\nLeith has two moorings.\n");
    let notes = format!("Notes=mcp:'{PROGRAM}' mcp --from notes --kind text");
    let (tides, from) = (tides_plugin(&service), ["--from", "docs", "--yes", "--state", STATE]);
    let plugins = [&from[..], &["--plugin", &notes, "--plugin", &tides]].concat();

    let mut command = Command::new(PROGRAM);
    command.arg("plan").arg(GOAL).args(&plugins).envs(stage.variables());
    command.current_dir(place.path("")).stdout(Stdio::null()).stderr(Stdio::null());
    let mut running = command.spawn().unwrap();
    let middle = async {
        service.until_asked(2).await;
        while finished(place) != ["found", "notes"] {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(60), middle).await.unwrap();
    running.kill().unwrap();
    assert!(!running.wait().unwrap().success());

    // A search that ran again would find another harbour.
    place.write("docs/team.md", "# Oban\n\nThe team meets here.\n");
    let run = stage.run(&plugins);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert_eq!(
        serde_json::from_str::<Value>(&run.stdout).unwrap(),
        json!({ "harbour": "Leith", "notes": ["# Moorings\n\nLeith has two moorings."], "high_water": "05:10" })
    );
    assert!(run.stderr.contains("3 of 3: `tides` finished in "), "{}", run.stderr);
    assert!(!run.stderr.contains("`found` finished"), "{}", run.stderr);
    assert_eq!(requests_for_tides(&service), ["/v1/tides/Leith", "/v1/tides/Leith"]);
    assert_eq!(stage.model.requests().len(), 1);

    // A run that is done only prints its result again.
    let again = stage.run(&plugins);
    assert_eq!((again.code, &again.stdout), (0, &run.stdout), "{}", again.stderr);
    assert_eq!(service.count(), 5);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_that_cannot_be_saved_calls_nothing() {
    let service = tides(|request, _| high_water(request)).await;
    let place = docs();
    let step =
        json!({ "id": "tides", "function": "Tides.getTides", "arguments": { "harbour": "Leith" } });
    place.write("plan.json", json!({ "steps": [step], "result": 1 }).to_string());
    let plugin = tides_plugin(&service);
    let arguments = ["plan", "--plan", "plan.json", "--plugin", &plugin, "--yes"];
    let run = place.run(&[&arguments[..], &["--state", "nowhere/run.json"]].concat());
    assert_eq!((run.code, run.stdout.as_str()), (1, ""));
    let last = run.stderr.lines().last().unwrap();
    assert!(
        last.starts_with("textsearch: --state `nowhere/run.json` cannot be written: "),
        "{last}"
    );
    assert_eq!(requests_for_tides(&service), [""; 0]);
}

#[test]
fn a_file_that_is_no_saved_run_is_refused() {
    let run = docs().run(&["plan", "--state", "docs/team.md", "--from", "docs", "--yes"]);
    assert_eq!((run.code, run.stdout.as_str()), (1, ""));
    assert!(
        run.stderr.starts_with("textsearch: `docs/team.md` is no saved run: "),
        "{}",
        run.stderr
    );
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn a_failed_run_is_saved_for_its_owner_alone() {
    use std::os::unix::fs::PermissionsExt as _;

    let service = tides(|request, before| match before {
        0..=1 => Action::Answer(Response::json(&json!({})).with_status(404)),
        _ => high_water(request),
    })
    .await;
    let plan = json!({
        "steps": [
            search("found", "team meets"),
            { "id": "tides", "function": "Tides.getTides", "arguments": { "harbour": "$.steps.found.result[0].Name" } },
        ],
        "result": "$.steps.tides.result.high_water[0]",
    });
    let stage = Stage::new([plan]).await;
    let plugin = tides_plugin(&service);
    let arguments = ["--from", "docs", "--yes", "--state", STATE, "--plugin", &plugin];
    let run = stage.run(&[&[GOAL], &arguments[..]].concat());
    assert_eq!((run.code, run.stdout.as_str()), (1, ""));
    assert!(run.stderr.contains("to go on, try --state run.json without a goal"));
    assert_eq!(finished(&stage.place), ["found"]);
    let mode = std::fs::metadata(stage.place.path(STATE)).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    assert_eq!(stage.place.names("."), ["docs", STATE]);

    let run = stage.run(&arguments);
    assert_eq!((run.code, run.stdout.as_str()), (0, "\"05:10\"\n"), "{}", run.stderr);
}
