//! What measures: benchmarks of ours, and the scripts of peers.

use std::process::Command;

use anyhow::{Context as _, Result};

use crate::{
    criterion::Criterion,
    first_command,
    measurement::{self, Measurement},
    peers::Script,
    process,
};

/// How much time is spent on figures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Effort {
    /// Enough to see that everything runs.
    Quick,
    Full,
}

impl Effort {
    /// A cargo command that builds or runs a benchmark of ours.
    pub(crate) fn bench(self, package: &str, bench: &str, features: &str, rest: &str) -> Command {
        // What is built for tests shows as well that everything runs, and need not be built anew.
        let profile = if self == Self::Quick { "--profile dev" } else { "" };
        let features = if features.is_empty() { "" } else { &format!("--features {features}") };
        let what = format!("--package {package} --bench {bench} {features}");
        let line = format!("bench --quiet {profile} {what} {rest}");
        process::cargo(&line)
    }
}

/// One program that measures; it is run once in each turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    /// Benchmarks of ours that criterion runs; their measurements are called by their ids.
    Criterion(Criterion),
    /// A benchmark of ours that measures by itself, and prints JSON if it is asked for.
    Program {
        package: &'static str,
        bench: &'static str,
        /// What it needs beside the default features.
        features: &'static str,
        /// What it is told beside how to print, such as `--many`.
        argument: Option<&'static str>,
    },
    /// How many crates each crate of ours compiles, which `cargo xtask crates` counts.
    CrateCounts,
    /// The README's first command in a new clone.
    FirstCommand,
    Peer(Script),
}

impl Side {
    pub(crate) fn is_peer(&self) -> bool {
        matches!(self, Self::Peer(_))
    }

    /// Does what is not to be measured: builds, installs.
    ///
    /// # Errors
    /// If something does not build or install.
    pub(crate) fn prepare(&self, effort: Effort) -> Result<()> {
        match self {
            Self::Criterion(criterion) => criterion.build(effort),
            Self::Program { package, bench, features, .. } => {
                process::read(&mut effort.bench(package, bench, features, "--no-run")).map(drop)
            }
            Self::Peer(script) => script.install(),
            Self::CrateCounts | Self::FirstCommand => Ok(()),
        }
    }

    /// Measures once.
    ///
    /// # Errors
    /// If the program fails, or does not say what it measured.
    pub(crate) fn measure(&self, effort: Effort) -> Result<Vec<Measurement>> {
        let output = match self {
            Self::Criterion(criterion) => return criterion.measure(effort),
            Self::FirstCommand => return first_command::measure(),
            Self::Program { package, bench, features, argument } => {
                let mut command = effort.bench(package, bench, features, "-- --json");
                command.args(argument);
                if effort == Effort::Quick {
                    command.arg("--quick");
                }
                process::read(&mut command)
            }
            Self::CrateCounts => process::read(&mut process::cargo("xtask crates")),
            Self::Peer(script) => script.run(effort),
        };
        measurement::read_all(&output?).with_context(|| format!("{self:?}"))
    }
}
