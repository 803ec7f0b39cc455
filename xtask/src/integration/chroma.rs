//! Tests the connector for Chroma.

use anyhow::Result;

use super::{
    connector::{Connector, Engine},
    embed_for, fields, scripted_model,
};
use crate::{program::Program, retrieval};

const CHROMA: Connector =
    Connector { name: "chroma", variable: "CHROMA_URL", files: "mlindex chroma" };

pub(super) fn run() -> Result<()> {
    CHROMA.check(engine, |url| {
        // Chroma searches no words, so a model has to embed them.
        let model = scripted_model()?;
        let program = embed_for(Program::build("--features textsearch-cli/stores")?, &model);
        let address = url.replacen("http", "chroma", 1);
        let store = |collection: &str| format!("{address}/{collection}");
        retrieval::compare_with(&program, &store("textsearch-retrieval"), retrieval::SIMILAR)?;
        fields::change(&program, &store("textsearch-fields"))
    })
}

pub(super) fn engine() -> Result<Engine> {
    Engine::install("chroma", &["chromadb==1.5.9"])
}
