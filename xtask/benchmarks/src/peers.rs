//! The peers' side: Python scripts in `xtask/benchmarks/peers`, each in an environment with pinned
//! packages.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context as _, Result};

use crate::{shell, side::Effort};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Script {
    pub(crate) file: &'static str,
    /// A file of `xtask/benchmarks/peers/requirements`.
    pub(crate) requirements: &'static str,
    /// Such as `--many`.
    pub(crate) argument: Option<&'static str>,
}

/// One thread, as on our side; no proxy for loopback; no bytecode in our folders.
const ENVIRONMENT: &[(&str, &str)] = &[
    ("OMP_NUM_THREADS", "1"),
    ("OPENBLAS_NUM_THREADS", "1"),
    ("MKL_NUM_THREADS", "1"),
    ("NO_PROXY", "127.0.0.1"),
    ("PYTHONDONTWRITEBYTECODE", "1"),
];

impl Script {
    /// Keeps an environment that was created from the same list of packages.
    pub(crate) fn install(&self) -> Result<()> {
        let requirements = fs::read(self.requirements_file())
            .with_context(|| self.requirements_file().display().to_string())?;
        let mark = self.environment().join("installed.txt");
        if fs::read(&mark).is_ok_and(|installed| installed == requirements) {
            return Ok(());
        }
        let mut create = Command::new("python3");
        shell::read(create.args(["-m", "venv", "--clear"]).arg(self.environment())).context(
            "peers need python3 with the module venv, or leave them out: --without-peers",
        )?;
        let mut install = Command::new(self.python());
        let words = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r"];
        shell::read(install.args(words).arg(self.requirements_file())).context(
            "peers need a registry of Python packages, or leave them out: --without-peers",
        )?;
        fs::write(mark, requirements)?;
        Ok(())
    }

    pub(crate) fn run(&self, effort: Effort) -> Result<String> {
        let mut command = Command::new(self.python());
        command
            .arg(scripts().join(self.file))
            .args(self.argument)
            .envs(ENVIRONMENT.iter().copied());
        if effort == Effort::Quick {
            command.arg("--quick");
        }
        shell::read(&mut command)
    }

    fn requirements_file(&self) -> PathBuf {
        scripts().join("requirements").join(self.requirements).with_extension("txt")
    }

    fn environment(&self) -> PathBuf {
        crate::output_folder().join("peers").join(self.requirements)
    }

    fn python(&self) -> PathBuf {
        let folder = if cfg!(windows) { "Scripts" } else { "bin" };
        self.environment().join(Path::new(folder).join("python"))
    }
}

fn scripts() -> PathBuf {
    shell::root().join("xtask/benchmarks/peers")
}
