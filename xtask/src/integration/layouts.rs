//! Compares each layout of local models with the reference implementation.

use std::process::Command;

use anyhow::Result;
use tempfile::TempDir;

use crate::{python::PythonEnvironment, shell};

/// Makes a small model with random weights for each layout (`xtask/integration/layouts/record.py`), so
/// that nothing but Python packages is downloaded.
pub(super) fn run() -> Result<()> {
    let folder = shell::root().join("xtask/integration/layouts");
    println!("     installs some gigabytes");
    let environment = PythonEnvironment::with_requirements(&folder)?;
    let models = TempDir::new()?;
    let mut record = Command::new(environment.python());
    record.arg(folder.join("record.py")).arg(models.path());
    shell::run(record.env("HF_HUB_OFFLINE", "1").env("PYTHONDONTWRITEBYTECODE", "1"))?;
    // Without optimizations, the arithmetic takes a minute.
    let test = "test --release --quiet -p textsearch-embeddings-local --test it";
    let mut command = shell::cargo(&format!("{test} -- --ignored --nocapture layouts::"));
    shell::run(command.env("TEXTSEARCH_LAYOUTS_FOLDER", models.path()))
}
