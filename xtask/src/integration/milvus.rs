//! Tests the connector for Milvus.

use anyhow::Result;

use super::{
    connector::{Connector, Engine},
    fields,
};
use crate::{program::Program, retrieval};

const MILVUS: Connector =
    Connector { name: "milvus", variable: "MILVUS_URL", files: "mlindex milvus" };

pub(super) fn run() -> Result<()> {
    MILVUS.check(engine, |url| {
        let program = Program::build("--features textsearch-cli/stores")?;
        let address = url.replacen("http", "milvus", 1);
        retrieval::compare_stores(&program, &address)?;
        fields::change(&program, &format!("{address}/textsearch-fields"))
    })
}

/// Installs Milvus Lite, and the package with the protocol that it serves.
pub(super) fn engine() -> Result<Engine> {
    Engine::install("milvus", &["milvus-lite==3.2.2", "pymilvus==3.0.2"])
}
