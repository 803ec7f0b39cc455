//! Tests the connector for Qdrant. Its own server is Qdrant's engine.

use anyhow::Result;

use super::{
    connector::{Connector, Engine},
    fields,
};
use crate::{program::Program, retrieval, shell};

const QDRANT: Connector = Connector { name: "qdrant", variable: "QDRANT_URL", files: "qdrant" };

const EXAMPLE: &str = "run --quiet -p examples --features qdrant --example 28_mlindex";

pub(super) fn run() -> Result<()> {
    QDRANT.check(engine, |url| {
        shell::run(shell::cargo(EXAMPLE).env(QDRANT.variable, url))?;
        let program = Program::build("--features textsearch-cli/stores")?;
        let address = url.replacen("http", "qdrant", 1);
        retrieval::compare_stores(&program, &address)?;
        fields::change(&program, &format!("{address}/textsearch-fields"))
    })
}

/// Builds the engine from hundreds of crates, separately from the workspace.
pub(super) fn engine() -> Result<Engine> {
    let target = shell::root().join("target/qdrant-engine");
    let manifest = shell::root().join("xtask/integration/qdrant-engine/Cargo.toml");
    let mut build = shell::cargo("build --locked");
    shell::run(build.arg("--manifest-path").arg(manifest).arg("--target-dir").arg(&target))?;
    let program = format!("debug/qdrant-engine{}", std::env::consts::EXE_SUFFIX);
    Ok(Engine::new(target.join(program)))
}
