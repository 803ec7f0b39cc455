//! Tests the Qdrant connector against a server or, without one, against Qdrant's own engine.

use std::{path::PathBuf, process::Command};

use anyhow::Result;

use super::{fields, same_program, server::Server};
use crate::{program::Program, retrieval, shell};

/// Address of a server.
const QDRANT_URL: &str = "QDRANT_URL";

/// Program that the tests may stop and restart.
const QDRANT_ENGINE: &str = "QDRANT_ENGINE";

const TESTS: &str = "test --quiet -p textsearch-qdrant --test server -- --show-output";

/// MLIndex files, opened by the command line.
const FILES: &str =
    "test --quiet -p textsearch-cli --features local-embeddings,stores --test qdrant";

const EXAMPLE: &str = "run --quiet -p examples --features qdrant --example 28_mlindex";

pub(super) fn run() -> Result<()> {
    if let Ok(url) = std::env::var(QDRANT_URL) {
        println!(
            "     on the server at {url} ({QDRANT_URL}); it is not ended, so no faults are tested"
        );
        shell::run(&mut shell::cargo(&format!("{TESTS} --skip faults::")))?;
        return shell::run(&mut shell::cargo(FILES));
    }
    println!(
        "     on Qdrant's own engine, from xtask/integration/qdrant-engine, since {QDRANT_URL} names no server"
    );
    let engine = start()?;
    let mut tests = shell::cargo(TESTS);
    shell::run(tests.env(QDRANT_URL, &engine.url).env(QDRANT_ENGINE, program()))?;
    shell::run(shell::cargo(FILES).env(QDRANT_URL, &engine.url))?;
    shell::run(shell::cargo(EXAMPLE).env(QDRANT_URL, &engine.url))?;
    same_program("qdrant", &[(QDRANT_URL, &engine.url)])?;
    let program = Program::build("--features textsearch-cli/stores")?;
    let server = engine.url.replacen("http", "qdrant", 1);
    retrieval::compare_stores(&program, &server)?;
    fields::change(&program, &format!("{server}/textsearch-fields"))
}

/// Separate from the workspace's builds.
fn target() -> PathBuf {
    shell::root().join("target/qdrant-engine")
}

fn program() -> PathBuf {
    target().join("debug").join(format!("qdrant-engine{}", std::env::consts::EXE_SUFFIX))
}

/// Builds the engine first, from hundreds of crates.
pub(super) fn start() -> Result<Server> {
    let mut build = shell::cargo("build --locked");
    let manifest = shell::root().join("xtask/integration/qdrant-engine/Cargo.toml");
    build.arg("--manifest-path").arg(manifest).arg("--target-dir").arg(target());
    shell::run(&mut build)?;
    Server::start(|folder| {
        let mut command = Command::new(program());
        command.arg(folder);
        command
    })
}
