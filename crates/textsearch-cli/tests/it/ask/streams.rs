use std::{
    io::{BufRead as _, BufReader, Read as _},
    process::{Command as Process, Stdio},
    time::Duration,
};

use textsearch_conformance::chat::{Chunks, Fault};

use super::*;

#[tokio::test(flavor = "multi_thread")]
async fn streamed_answers_are_checked_for_citations_too() {
    let answer = "Größe: one method \u{1b}[2J[1].";
    let turns = [search(query()), Turn::text(answer)];
    let stage = Stage::new(ModelScript::turns(turns).with_chunks(Chunks::OfBytes(3))).await;
    let run = stage.ask(&["--tools", "--stream", "--show-calls", "--check-citations"]);
    assert_eq!((run.code, run.stdout.as_str()), (0, "Größe: one method [2J[1].\n"));
    let lines: Vec<&str> = run.stderr.lines().collect();
    assert_eq!(lines.len(), 2, "{}", run.stderr);
    assert!(lines[0].contains(": 1 result in "), "{}", lines[0]);
    assert!(lines[1].contains("number 1: supported by"), "{}", lines[1]);
    assert!(stage.request(0).is_stream() && stage.request(1).is_stream());
}

#[tokio::test(flavor = "multi_thread")]
async fn rag_answers_can_be_streamed() {
    let stage = Stage::new([Turn::text("One method.\n")]).await;
    let run = stage.ask(&["--stream"]);
    assert_eq!((run.code, run.stdout.as_str(), run.stderr.as_str()), (0, "One method.\n", ""));
}

#[tokio::test(flavor = "multi_thread")]
async fn text_before_a_search_has_its_own_line() {
    let first =
        Turn::text("Let me look.").with_tool_call("SearchPlugin-GetSearchResults", &query());
    let stage = Stage::new([first, Turn::text("One method.")]).await;
    let run = stage.ask(&["--tools", "--stream"]);
    assert_eq!(run.stdout, "Let me look.\nOne method.\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_broken_stream_fails_after_the_received_text() {
    let stage = Stage::new([Turn::text("One method.").with_fault(Fault::EndsEarly)]).await;
    let run = stage.ask(&["--stream"]);
    assert_eq!(run.code, 1, "{}", run.stderr);
    assert!(run.stdout.ends_with('\n') && "One method.\n".starts_with(run.stdout.trim_end()));
    assert!(run.stderr.starts_with("textsearch: openai: "), "{}", run.stderr);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_streamed_refusal_is_no_answer() {
    let stage = Stage::new([Turn::refusal("I will not.")]).await;
    let run = stage.ask(&["--stream"]);
    assert_eq!((run.code, run.stdout.as_str()), (3, ""));
    assert!(run.stderr.contains("it refused to answer: I will not."), "{}", run.stderr);
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn ctrl_c_stops_a_streamed_answer() {
    let stage = Stage::new([Turn::text("One method, ".repeat(20)).with_fault(Fault::Stall)]).await;
    let command = stage.command(&["--from", "docs", "--stream"]);
    // Children of a parent that ignores the signal, such as a background job, ignore it too.
    let mut process = if cfg!(target_os = "linux") {
        let mut process = Process::new("env");
        process.arg("--default-signal=INT").arg(command.get_program());
        process
    } else {
        Process::new(command.get_program())
    };
    process.args(command.get_args()).current_dir(stage.place.path("."));
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => process.env(name, value),
            None => process.env_remove(name),
        };
    }
    let mut child = process.stdout(Stdio::piped()).spawn().unwrap();
    let mut printed = [0; 3];
    child.stdout.as_mut().unwrap().read_exact(&mut printed).unwrap();
    assert_eq!(&printed, b"One");
    let id = child.id().to_string();
    assert!(Process::new("kill").args(["-INT", &id]).status().unwrap().success());
    let gone =
        tokio::time::timeout(Duration::from_secs(20), stage.model.wait_for_disconnects(1)).await;
    assert!(gone.is_ok(), "the request went on");
    assert_eq!(child.wait().unwrap().code(), None, "ended by the signal");
    let rest = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
    assert!(rest.count() <= 1);
}
