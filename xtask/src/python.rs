//! Virtual environments for checks and downloads that need Python packages.

use std::{
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context as _, Result};
use tempfile::TempDir;

use crate::shell;

/// Dropping it deletes its folder.
#[derive(Debug)]
pub(crate) struct PythonEnvironment(TempDir);

impl PythonEnvironment {
    pub(crate) fn create() -> Result<Self> {
        let environment = Self(TempDir::new()?);
        let mut create = Command::new("python3");
        shell::run(create.args(["-m", "venv"]).arg(environment.folder()))
            .context("this needs python3 with the module venv")?;
        Ok(environment)
    }

    /// `packages` are arguments of `pip install`.
    pub(crate) fn with_packages(packages: &[&str]) -> Result<Self> {
        let environment = Self::create()?;
        environment.pip(&[&["install"][..], packages].concat())?;
        Ok(environment)
    }

    /// Installs the packages in `requirements.txt` of a folder.
    pub(crate) fn with_requirements(folder: &Path) -> Result<Self> {
        let requirements = folder.join("requirements.txt");
        Self::with_packages(&["--requirement", &requirements.display().to_string()])
    }

    pub(crate) fn pip(&self, words: &[&str]) -> Result<()> {
        let mut command = Command::new(self.python());
        command.args(["-m", "pip", "--quiet", "--disable-pip-version-check"]);
        shell::run(command.args(words)).context("this needs a registry of Python packages")
    }

    pub(crate) fn folder(&self) -> &Path {
        self.0.path()
    }

    pub(crate) fn python(&self) -> PathBuf {
        self.program("python")
    }

    pub(crate) fn program(&self, name: &str) -> PathBuf {
        let folder = if cfg!(windows) { "Scripts" } else { "bin" };
        self.folder().join(folder).join(name)
    }
}
