//! Compares retrieval quality with peers: `docs/retrieval-quality.md`.

use std::{
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context as _, Result, bail};

use crate::{
    collection::{self, COLLECTIONS, FILES},
    model,
    python::PythonEnvironment,
    shell,
};

/// Folder of another collection, in BEIR format.
const COLLECTION: &str = "TEXTSEARCH_COLLECTION";

const QRELS_OF_BEIR: &str = "qrels/test.tsv";

const SEARCH: &str = "bench --quiet -p examples --features local-embeddings --bench quality --";

pub(super) fn run() -> Result<()> {
    let collections = collections()?;
    let model = model::obtain("minilm", None)?;
    let folder = shell::root().join("xtask/integration/quality");
    println!("     installs some gigabytes");
    let environment = PythonEnvironment::with_requirements(&folder)?;
    let compare = |collection: &PathBuf| {
        let results = shell::root().join("target/quality");
        shell::run(shell::cargo(SEARCH).args([collection, &model, &results]))?;
        let mut check = Command::new(environment.python());
        check.arg(folder.join("check.py")).args([collection, &model, &results]);
        // All files are present, so no network is needed.
        shell::run(check.env("HF_HUB_OFFLINE", "1").env("PYTHONDONTWRITEBYTECODE", "1"))
    };
    // Runs all comparisons, even after a failure.
    let outcomes: Vec<Result<()>> = collections.iter().map(compare).collect();
    outcomes.into_iter().collect()
}

/// The named folder, or all collections that can be created here.
fn collections() -> Result<Vec<PathBuf>> {
    let Some(named) = std::env::var_os(COLLECTION).map(PathBuf::from) else {
        println!("     on collections made here, since {COLLECTION} names no folder");
        return COLLECTIONS.iter().map(|(name, _)| collection::create(name, None)).collect();
    };
    // Relative to the current folder, not to the root.
    let folder = named.canonicalize().with_context(|| format!("no folder {}", named.display()))?;
    if let Some(file) = FILES.iter().find(|file| !has(&folder, file)) {
        bail!("{} has no {file}: a collection holds {}", folder.display(), FILES.join(", "));
    }
    Ok(vec![folder])
}

fn has(folder: &Path, file: &str) -> bool {
    folder.join(file).is_file() || (file == "qrels.tsv" && folder.join(QRELS_OF_BEIR).is_file())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use tempfile::TempDir;

    #[test]
    fn judgements_may_be_at_beirs_path() {
        let scratch = TempDir::new().unwrap();
        assert!(!has(scratch.path(), "qrels.tsv"));
        fs::create_dir_all(scratch.path().join("qrels")).unwrap();
        fs::write(scratch.path().join(QRELS_OF_BEIR), "").unwrap();
        assert!(has(scratch.path(), "qrels.tsv"));
        assert!(!has(scratch.path(), "queries.jsonl"));
    }
}
