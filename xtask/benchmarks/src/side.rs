//! The programs that measure: our benchmarks and the peers' scripts.

use std::process::Command;

use anyhow::{Context as _, Result};

use crate::{
    criterion::Criterion,
    first_command,
    measurement::{self, Measurement},
    peers::Script,
    shell,
};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Effort {
    /// Shows that everything runs.
    Quick,
    Full,
}

impl Effort {
    pub(crate) fn bench(self, package: &str, bench: &str, features: &str, rest: &str) -> Command {
        // A test build needs no rebuild.
        let profile = if self == Self::Quick { "--profile dev" } else { "" };
        let features = if features.is_empty() { "" } else { &format!("--features {features}") };
        let what = format!("--package {package} --bench {bench} {features}");
        let line = format!("bench --quiet {profile} {what} {rest}");
        shell::cargo(&line)
    }
}

/// Runs once in each turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    /// Measurements are named by their ids.
    Criterion(Criterion),
    /// Can print JSON.
    Program {
        package: &'static str,
        bench: &'static str,
        /// In addition to the default features.
        features: &'static str,
        /// Such as `--many`.
        argument: Option<&'static str>,
    },
    /// As `cargo xtask crates` counts them.
    CrateCounts,
    /// The README's first command in a new clone.
    FirstCommand,
    Peer(Script),
}

impl Side {
    pub(crate) fn is_peer(&self) -> bool {
        matches!(self, Self::Peer(_))
    }

    /// Builds and installs, which is not measured.
    pub(crate) fn prepare(&self, effort: Effort) -> Result<()> {
        match self {
            Self::Criterion(criterion) => criterion.build(effort),
            Self::Program { package, bench, features, .. } => {
                shell::run(&mut effort.bench(package, bench, features, "--no-run"))
            }
            Self::Peer(script) => script.install(),
            Self::CrateCounts | Self::FirstCommand => Ok(()),
        }
    }

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
                shell::read(&mut command)
            }
            Self::CrateCounts => shell::read(&mut shell::cargo("xtask crates")),
            Self::Peer(script) => script.run(effort),
        };
        measurement::read_all(&output?).with_context(|| format!("{self:?}"))
    }
}
