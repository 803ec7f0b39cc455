//! The programs that measure: our benchmarks and the peers' scripts.

use std::process::Command;

use anyhow::{Context as _, Result};

use crate::{
    criterion::Criterion,
    first_command,
    measurement::{self, Measurement},
    peers::Script,
    process,
};

/// How much time a run spends on its figures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Effort {
    /// Enough to see that everything runs.
    Quick,
    Full,
}

impl Effort {
    /// A cargo command that builds or runs one of our benchmarks.
    pub(crate) fn bench(self, package: &str, bench: &str, features: &str, rest: &str) -> Command {
        // A test build is enough to show that everything runs, and it needs no rebuild.
        let profile = if self == Self::Quick { "--profile dev" } else { "" };
        let features = if features.is_empty() { "" } else { &format!("--features {features}") };
        let what = format!("--package {package} --bench {bench} {features}");
        let line = format!("bench --quiet {profile} {what} {rest}");
        process::cargo(&line)
    }
}

/// A program that measures; it runs once in each turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    /// Our criterion benchmarks; their measurements are named by their ids.
    Criterion(Criterion),
    /// A benchmark of ours that measures by itself and can print JSON.
    Program {
        package: &'static str,
        bench: &'static str,
        /// The features it needs in addition to the default ones.
        features: &'static str,
        /// An extra argument, such as `--many`.
        argument: Option<&'static str>,
    },
    /// The number of crates that each crate of ours compiles, as `cargo xtask crates` counts them.
    CrateCounts,
    /// The README's first command in a new clone.
    FirstCommand,
    Peer(Script),
}

impl Side {
    pub(crate) fn is_peer(&self) -> bool {
        matches!(self, Self::Peer(_))
    }

    /// Does the work that is not measured: builds and installs.
    ///
    /// # Errors
    /// Returns an error if something does not build or install.
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
    /// Returns an error if the program fails or prints no measurement.
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
