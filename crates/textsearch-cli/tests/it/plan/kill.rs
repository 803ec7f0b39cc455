//! Runs that are saved: killed in the middle, interrupted, failed, resumed.

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
    let tides = tides_plugin(&service);
    let from = ["--from", "docs", "--yes", "--state", STATE];
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
    let looked_at: Vec<&str> = plugins
        .iter()
        .map(|argument| if *argument == "--yes" { "--dry-run" } else { argument })
        .collect();
    let shown = stage.run(&looked_at);
    assert_eq!(shown.code, 0, "{}", shown.stderr);
    assert_shows_the_saved_run(&shown.stderr);
    let run = stage.run(&plugins);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert_eq!(
        serde_json::from_str::<Value>(&run.stdout).unwrap(),
        json!({ "harbour": "Leith", "notes": ["# Moorings\n\nLeith has two moorings."], "high_water": "05:10" })
    );
    assert!(run.stderr.contains("3 of 3: `tides` finished in "), "{}", run.stderr);
    assert!(!run.stderr.contains("`found` finished"), "{}", run.stderr);
    // With `--yes`, no person decides, and a log would keep the values.
    assert!(!run.stderr.contains("Moorings"), "{}", run.stderr);
    assert_eq!(requests_for_tides(&service), ["/v1/tides/Leith", "/v1/tides/Leith"]);
    assert_eq!(stage.model.requests().len(), 1);

    // A run that is done only prints its result again.
    let again = stage.run(&plugins);
    assert_eq!((again.code, &again.stdout), (0, &run.stdout), "{}", again.stderr);
    assert_eq!(service.count(), 6);
}

/// With its finished steps, the values it goes on with, and whom it calls.
fn assert_shows_the_saved_run(stderr: &str) {
    let mut lines = stderr.lines().skip_while(|line| *line != "textsearch: the plan:").skip(1);
    for step in ["(finished) found = ", "(finished) notes = ", "tides = "] {
        let line = lines.next().unwrap();
        assert!(line.starts_with(&format!("textsearch:   {step}")), "{line}");
    }
    assert_eq!(lines.by_ref().nth(1).unwrap(), "textsearch: the values of the saved run:");
    for value in ["$.steps.found.result = [{", "$.steps.notes.result = [\"# Moorings"] {
        let line = lines.next().unwrap();
        assert!(line.starts_with(&format!("textsearch:   {value}")), "{line}");
    }
    let called = format!("textsearch: Notes: runs `{PROGRAM}`, with no token");
    assert!(lines.any(|line| line == called), "{stderr}");
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
    assert_eq!(stage.place.names("."), ["docs", STATE, "run.json.lock"]);

    let run = stage.run(&arguments);
    assert_eq!((run.code, run.stdout.as_str()), (0, "\"05:10\"\n"), "{}", run.stderr);
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn ctrl_c_ends_the_programs_of_a_run() {
    let service = tides(|_, _| Action::Stall(Vec::new())).await;
    let place = docs();
    let notes = json!({ "id": "notes", "function": "Notes.SearchPlugin_Search", "arguments": { "query": "Leith" } });
    let tides = json!({ "id": "tides", "function": "Tides.getTides", "arguments": { "harbour": "$.steps.notes.result[0]" } });
    place.write("plan.json", json!({ "steps": [notes, tides], "result": 1 }).to_string());
    // The reader of the FIFO comes to its end when no program of the group is left.
    assert!(Command::new("mkfifo").arg(place.path("held")).status().unwrap().success());
    place.write(
        "notes.sh",
        format!("exec 3> held\n'{PROGRAM}' mcp --from docs --kind text\nsleep 60\n"),
    );
    let mut command = Command::new(if cfg!(target_os = "linux") { "env" } else { PROGRAM });
    if cfg!(target_os = "linux") {
        // Children of a parent that ignores the signal, such as a background job, ignore it too.
        command.args(["--default-signal=INT", PROGRAM]);
    }
    command.args(["plan", "--plan", "plan.json", "--yes", "--state", STATE]);
    command.args(["--plugin", "Notes=mcp:sh notes.sh", "--plugin", &tides_plugin(&service)]);
    command.current_dir(place.path("")).stdout(Stdio::null()).stderr(Stdio::piped());
    let running = command.spawn().unwrap();
    let held = place.path("held");
    let mut ended = tokio::task::spawn_blocking(move || std::fs::read(held));
    let called = tokio::time::timeout(Duration::from_secs(60), service.until_asked(2)).await;
    assert!(called.is_ok());

    let id = running.id().to_string();
    assert!(Command::new("kill").args(["-INT", &id]).status().unwrap().success());
    let output = tokio::task::spawn_blocking(|| running.wait_with_output()).await.unwrap().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(130), "{stderr}");
    assert!(stderr.ends_with("textsearch: interrupted\n"), "{stderr}");
    assert!(stderr.contains("to go on, try --state run.json without a goal"), "{stderr}");
    assert_eq!(finished(&place), ["notes"]);
    let ended = tokio::time::timeout(Duration::from_secs(20), &mut ended).await;
    assert!(ended.is_ok(), "the program still runs");
}

#[test]
fn a_resume_shows_the_inputs_with_hidden_characters_escaped() {
    let place = docs();
    let plan = json!({
        "inputs": { "query": { "type": "string" } },
        "steps": [search("found", "$.inputs.query")], "result": 1,
    });
    place.write("plan.json", plan.to_string());
    let query = format!("query=team\u{202e}{}", "x".repeat(300));
    let run = |arguments: &[&str]| {
        place.run(&[&["plan", "--from", "docs", "--state", STATE], arguments].concat())
    };
    let first = run(&["--yes", "--plan", "plan.json", "--input", &query]);
    assert!(!first.stderr.contains("the values of the saved run"), "{}", first.stderr);
    let resumed = run(&["--dry-run"]);
    let line = format!(
        "textsearch:   $.inputs.query = \"team\\u202e{}… (112 characters not shown)\n",
        "x".repeat(189)
    );
    assert!(resumed.stderr.contains(&line), "{}", resumed.stderr);
}

#[test]
fn two_runs_cannot_use_one_state() {
    let place = docs();
    place.write("plan.json", search_plan().to_string());
    place.write("run.json.tmp", "mine");
    let arguments = ["plan", "--plan", "plan.json", "--from", "docs", "--yes", "--state", STATE];
    let lock = std::fs::File::create(place.path("run.json.lock")).unwrap();
    lock.lock().unwrap();
    let run = place.run(&arguments);
    assert_eq!((run.code, run.stdout.as_str()), (1, ""));
    assert_eq!(
        run.stderr,
        "textsearch: another run uses --state `run.json`: try again when it is done, or another file\n"
    );
    drop(lock);
    assert_eq!(place.json(&arguments), "Leith");
    assert_eq!(place.read("run.json.tmp"), b"mine");
    let names = ["docs", "plan.json", STATE, "run.json.lock", "run.json.tmp"];
    assert_eq!(place.names("."), names);
}

#[test]
fn a_run_at_its_limit_of_calls_is_not_to_be_resumed() {
    let place = docs();
    let mut step = search("found", "$.item");
    step["for_each"] = json!("$.inputs.queries");
    let inputs = json!({ "queries": { "type": "array" } });
    let plan = json!({ "inputs": inputs, "steps": [step], "result": 1 });
    place.write("plan.json", plan.to_string());
    let queries = format!("queries={}", json!(vec!["team"; 201]));
    let arguments = ["--plan", "plan.json", "--input", &queries, "--from", "docs", "--yes"];
    let run = place.run(&[&["plan", "--state", STATE], &arguments[..]].concat());
    assert_eq!((run.code, run.stdout.as_str()), (1, ""));
    assert!(
        run.stderr.contains("the plan reached `max_calls` (200) at step `found`"),
        "{}",
        run.stderr
    );
    assert!(place.path(STATE).exists() && !run.stderr.contains("to go on"), "{}", run.stderr);
}
