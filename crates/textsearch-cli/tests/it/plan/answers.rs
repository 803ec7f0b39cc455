//! A person at a terminal, who agrees or not.

use std::{
    io::{Read as _, Write as _},
    process::{Command, Stdio},
};

use super::*;
use crate::pseudo_terminal::PseudoTerminal;

const QUESTION: &str = "run this plan? [y/N]";

/// Answers the program's question. Returns its exit code, its output, and the terminal's text.
fn answered(stage: &Stage, arguments: &[&str], answer: &str) -> (Option<i32>, String, String) {
    let terminal = PseudoTerminal::new();
    let mut command = Command::new(PROGRAM);
    command.arg("plan").args(arguments).envs(stage.variables()).current_dir(stage.place.path(""));
    command.stdin(terminal.open()).stderr(terminal.open()).stdout(Stdio::piped());
    let program = command.spawn().unwrap();
    // Only the program has the terminal open now, so reading ends with it.
    drop(command);
    let mut terminal = terminal.into_file();
    let mut shown = Vec::new();
    let mut buffer = [0; 1024];
    let mut is_answered = false;
    while let Ok(count @ 1..) = terminal.read(&mut buffer) {
        shown.extend_from_slice(&buffer[..count]);
        if !is_answered && String::from_utf8_lossy(&shown).contains(QUESTION) {
            terminal.write_all(answer.as_bytes()).unwrap();
            is_answered = true;
        }
    }
    let output = program.wait_with_output().unwrap();
    let stdout = String::from_utf8(output.stdout).unwrap();
    (output.status.code(), stdout, String::from_utf8_lossy(&shown).into_owned())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_plan_runs_only_after_a_person_agrees() {
    let service = tides(|request, _| high_water(request)).await;
    let tides =
        json!({ "id": "tides", "function": "Tides.getTides", "arguments": { "harbour": "Leith" } });
    let plan = json!({ "steps": [tides], "result": "$.steps.tides.result.high_water[0]" });
    let stage = Stage::new([plan.clone(), plan]).await;
    let plugin = tides_plugin(&service);
    let arguments = [GOAL, "--from", "docs", "--plugin", &plugin];

    let (code, stdout, shown) = answered(&stage, &arguments, "n\n");
    assert_eq!((code, stdout.as_str()), (Some(1), ""), "{shown}");
    let (plan, end) = shown.split_once(QUESTION).unwrap();
    assert!(plan.contains("tides = Tides.getTides(harbour: \"Leith\")"), "{shown}");
    assert!(end.contains("the plan was not run"), "{shown}");
    assert_eq!(requests_for_tides(&service), [""; 0]);

    let (code, stdout, shown) = answered(&stage, &arguments, "y\n");
    assert_eq!((code, stdout.as_str()), (Some(0), "\"05:10\"\n"), "{shown}");
    assert_eq!(requests_for_tides(&service), ["/v1/tides/Leith"]);
}
