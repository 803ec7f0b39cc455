//! `cargo xtask stress`: checks that are too slow or too demanding for the ordinary tests.
//!
//! Load, crashes of a server and changing folders use the ordinary tests with larger numbers.

mod full_disk;
mod fuzz;
mod memory;
mod resident;
mod sanitize;

use std::path::PathBuf;

use anyhow::{Context as _, Result};
use clap::{Args, FromArgMatches as _, Subcommand, builder::PossibleValuesParser};

use crate::{artifacts, shell};

/// A check, and its sizes. The sizes of one that is not named are the defaults.
#[derive(Debug, Subcommand)]
pub(crate) enum Check {
    /// Fill a disk of one megabyte while a store is written
    FullDisk,
    /// Index a folder that changes all the time
    ChangingFolder(Duration),
    /// Search with 64 readers while 4 writers run
    Load(Duration),
    /// Let 64 clients call `textsearch serve`, flood it, and kill it while it stores documents
    Serve(Serve),
    /// Measure how much memory stores take
    Memory,
    /// Run the fuzz targets, or one of them
    Fuzz {
        target: Option<String>,
        /// Seconds for each target
        #[arg(long, default_value_t = 300, value_parser = clap::value_parser!(u64).range(1..))]
        seconds: u64,
    },
    /// Run tests under AddressSanitizer
    Sanitize {
        #[arg(value_name = "CRATE", value_parser = PossibleValuesParser::new(sanitize::CRATES.iter().map(|(name, _)| *name)))]
        name: Option<String>,
    },
    /// The part of `full-disk` that runs where it may mount a disk
    #[command(name = full_disk::INSIDE, hide = true)]
    FullDiskInside,
}

#[derive(Debug, Args)]
pub(crate) struct Serve {
    #[arg(long, default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..))]
    seconds: u64,
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u64).range(1..))]
    kills: u64,
}

#[derive(Debug, Args)]
pub(crate) struct Duration {
    #[arg(long, default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..))]
    seconds: u64,
}

pub(crate) fn run(check: Option<Check>) -> Result<()> {
    match check {
        Some(check) => check.run(),
        None => Check::all()?.into_iter().try_for_each(Check::run),
    }
}

impl Check {
    fn all() -> Result<Vec<Self>> {
        let command = Self::augment_subcommands(clap::Command::new("stress"));
        let visible = command.get_subcommands().filter(|check| !check.is_hide_set());
        visible
            .map(|check| {
                let matches = command.clone().try_get_matches_from(["stress", check.get_name()])?;
                Ok(Self::from_arg_matches(&matches)?)
            })
            .collect()
    }

    fn run(self) -> Result<()> {
        println!("stress: {self:?} ...");
        match &self {
            Self::FullDisk => full_disk::run(),
            Self::FullDiskInside => full_disk::run_inside(),
            Self::ChangingFolder(Duration { seconds }) => run_tests(
                "-p textsearch-cli --test it -- --exact \
                 changing_folder::a_changing_folder_is_stored_as_whole_files",
                &[("SECONDS", *seconds)],
            ),
            Self::Load(Duration { seconds }) => run_tests(
                "-p textsearch-vector-inmemory --test it -- \
                 --exact load::concurrent_search_sees_one_state_of_each_writer",
                &[("SECONDS", *seconds)],
            ),
            Self::Serve(Serve { seconds, kills }) => run_tests(
                "-p textsearch-cli --test it -- serve_load:: --include-ignored --test-threads 1",
                &[("SECONDS", *seconds), ("KILLS", *kills)],
            ),
            Self::Memory => memory::run(),
            Self::Fuzz { target, seconds } => fuzz::run(target.as_deref(), *seconds),
            Self::Sanitize { name } => sanitize::run(name.as_deref()),
        }
        .with_context(|| format!("stress: {self:?} failed"))?;
        println!("stress: {self:?} passed");
        Ok(())
    }
}

/// The tests read their sizes from the environment and print their results.
fn run_tests(arguments: &str, sizes: &[(&str, u64)]) -> Result<()> {
    let mut command = shell::cargo(&format!("test --quiet --release {arguments} --nocapture"));
    for (name, size) in sizes {
        command.env(format!("TEXTSEARCH_STRESS_{name}"), size.to_string());
    }
    shell::run(&mut command)
}

/// Built as users build it.
fn program() -> Result<PathBuf> {
    artifacts::program(&mut shell::cargo("build --release -p textsearch-cli"))
}

/// Returns the machine that compiles, as `--target` names it.
fn host() -> Result<String> {
    let about = shell::read(&mut shell::cargo("--version --verbose"))?;
    let host = about.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned).context("`cargo --version --verbose` names no host")
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Debug, Parser)]
    struct CommandLine {
        #[command(subcommand)]
        check: Option<Check>,
    }

    fn parsed(words: &str) -> String {
        match CommandLine::try_parse_from(["stress"].into_iter().chain(words.split(' '))) {
            Ok(command_line) => format!("{:?}", command_line.check.unwrap()),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn cargo_names_its_host() {
        assert!(host().unwrap().starts_with(std::env::consts::ARCH));
    }

    #[test]
    fn omitted_sizes_are_the_defaults() {
        assert_eq!(parsed("serve --kills 10"), "Serve(Serve { seconds: 60, kills: 10 })");
        assert_eq!(parsed("load"), "Load(Duration { seconds: 60 })");
    }

    #[test]
    fn all_checks_run_in_their_default_sizes() {
        let all: Vec<String> =
            Check::all().unwrap().iter().map(|check| format!("{check:?}")).collect();
        assert_eq!(all.len(), 7, "{all:?}");
        assert_eq!(all[3], "Serve(Serve { seconds: 60, kills: 20 })");
        assert_eq!(all[5], "Fuzz { target: None, seconds: 300 }");
    }

    #[test]
    fn a_size_must_be_a_number_above_zero() {
        for words in ["load --seconds long", "load --seconds 0", "load --kills 3"] {
            assert!(parsed(words).starts_with("error: "), "{words}");
        }
    }

    #[test]
    fn an_unknown_crate_is_refused_with_the_known_ones() {
        assert!(parsed("sanitize bake").contains("textsearch-vector-inmemory"));
    }
}
