//! Virtual environments for the checks and downloads that need Python's packages.

use std::{
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context as _, Result};
use tempfile::TempDir;

use crate::shell;

/// A virtual environment in a temporary folder, which goes when this is dropped.
#[derive(Debug)]
pub(crate) struct PythonEnvironment(TempDir);

impl PythonEnvironment {
    /// Makes the environment, with nothing installed.
    ///
    /// # Errors
    /// If there is no Python, or it has no module `venv`.
    pub(crate) fn create() -> Result<Self> {
        let environment = Self(TempDir::new()?);
        let mut create = Command::new("python3");
        shell::run(create.args(["-m", "venv"]).arg(environment.folder()))
            .context("this needs python3 with the module venv")?;
        Ok(environment)
    }

    /// Makes the environment, and installs a package.
    ///
    /// # Errors
    /// If there is no Python, or the package does not install.
    pub(crate) fn with_package(package: &str) -> Result<Self> {
        let environment = Self::create()?;
        environment.pip(&["install", package])?;
        Ok(environment)
    }

    /// Runs pip with these words.
    ///
    /// # Errors
    /// If it fails.
    pub(crate) fn pip(&self, words: &[&str]) -> Result<()> {
        let mut command = Command::new(self.python());
        command.args(["-m", "pip", "--quiet", "--disable-pip-version-check"]);
        shell::run(command.args(words)).context("this needs a registry of Python packages")
    }

    pub(crate) fn folder(&self) -> &Path {
        self.0.path()
    }

    pub(crate) fn python(&self) -> PathBuf {
        let folder = if cfg!(windows) { "Scripts" } else { "bin" };
        self.folder().join(Path::new(folder).join("python"))
    }
}
