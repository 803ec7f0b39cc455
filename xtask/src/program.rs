//! The program `textsearch`, as checks call it.

use std::{
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::Result;

use crate::{artifacts, shell};

/// The built program, with the arguments and variables of each call.
#[derive(Clone)]
pub(crate) struct Program {
    path: PathBuf,
    arguments: Vec<String>,
    variables: Vec<(&'static str, String)>,
}

impl Program {
    /// `arguments` are cargo's.
    pub(crate) fn build(arguments: &str) -> Result<Self> {
        // A single package, or no target with dev-dependencies, would select other features than
        // `cargo test --workspace` and rebuild the dependencies.
        let line = format!("build --workspace --bin textsearch --example 01_search {arguments}");
        let path = artifacts::program(&mut shell::cargo(&line))?;
        // Keeps this machine's proxy out.
        let variables = vec![("NO_PROXY", "127.0.0.1".to_owned())];
        Ok(Self { path, arguments: Vec::new(), variables })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn with_embeddings(mut self, model: &str) -> Self {
        self.arguments = vec!["--embeddings".to_owned(), model.to_owned()];
        self
    }

    pub(crate) fn with_variable(mut self, name: &'static str, value: &str) -> Self {
        self.variables.push((name, value.to_owned()));
        self
    }

    /// Called from the root of the workspace. Further arguments may follow.
    pub(crate) fn command(&self, subcommand: &str) -> Command {
        let mut command = Command::new(&self.path);
        command.current_dir(shell::root()).arg(subcommand).args(&self.arguments);
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
        command
    }
}
