//! `cargo xtask stress`: what takes too long for the ordinary tests, or needs more of the machine than they may ask for.
//!
//! Crashes, load and changing folders are the ordinary tests, with larger numbers.

mod full_disk;
mod fuzz;
mod memory;
mod resident;
mod sanitize;

use std::{ffi::OsStr, path::PathBuf};

use anyhow::{Context as _, Result, bail};
use cargo_metadata::TargetKind;

use crate::{
    artifacts::{self, AS_MESSAGES},
    named, shell,
};
use Work::{Parts, Whole};

/// A check that has a name, and sizes that may be given.
struct Check {
    name: &'static str,
    /// The options that set its sizes, with their defaults.
    sizes: &'static [(&'static str, u64)],
    work: Work,
}

enum Work {
    Whole(fn(sizes: &[u64]) -> Result<()>),
    /// Has parts that can be run alone: their name comes before the options.
    Parts(fn(part: Option<&str>, sizes: &[u64]) -> Result<()>),
}

/// How long a check takes that may take any time.
const SECONDS: &[(&str, u64)] = &[("--seconds", 60)];

const CHECKS: &[Check] = &[
    Check { name: "crash", sizes: &[("--records", 20_000), ("--kills", 20)], work: Whole(crash) },
    Check { name: "full-disk", sizes: &[], work: Whole(|_| full_disk::run()) },
    Check { name: "changing-folder", sizes: SECONDS, work: Whole(changing_folder) },
    Check { name: "load", sizes: SECONDS, work: Whole(load) },
    Check { name: "memory", sizes: &[], work: Whole(|_| memory::run()) },
    Check { name: "fuzz", sizes: &[("--seconds", 300)], work: Parts(fuzz) },
    Check { name: "sanitize", sizes: &[], work: Parts(|part, _| sanitize::run(part)) },
];

/// Runs the check that `arguments` name, in the sizes that they give, or all checks without arguments.
///
/// # Errors
/// If there is no such check or size, or a check fails.
pub(crate) fn run(arguments: &[&str]) -> Result<()> {
    let Some((name, options)) = arguments.split_first() else {
        return CHECKS.iter().try_for_each(|check| check.run(&[]));
    };
    if *name == full_disk::INSIDE {
        return full_disk::run_inside();
    }
    named::find("stress", "check", CHECKS, |check| check.name, name)?.run(options)
}

impl Check {
    fn run(&self, options: &[&str]) -> Result<()> {
        let name = self.name;
        let (part, options) = match (&self.work, options.split_first()) {
            (Parts(_), Some((part, options))) if !part.starts_with('-') => (Some(*part), options),
            _ => (None, options),
        };
        let sizes = self.sizes_of(options)?;
        println!("stress: {name} ...");
        let done = match self.work {
            Whole(work) => work(&sizes),
            Parts(work) => work(part, &sizes),
        };
        done.with_context(|| format!("stress: {name} failed"))?;
        println!("stress: {name} passed");
        Ok(())
    }

    /// The sizes in the order of `self.sizes`, those of `options` in place of the defaults.
    fn sizes_of(&self, options: &[&str]) -> Result<Vec<u64>> {
        let mut sizes: Vec<u64> = self.sizes.iter().map(|(_, default)| *default).collect();
        for option in options.chunks(2) {
            let place = self.sizes.iter().position(|(known, _)| option.first() == Some(known));
            let Some(size) = place.and_then(|place| sizes.get_mut(place)) else {
                bail!("stress: `{}` takes no `{}`{}", self.name, option.join(" "), self.known());
            };
            let value = option.get(1).copied().unwrap_or_default();
            *size =
                value.parse().ok().filter(|size| *size > 0).with_context(|| {
                    format!("stress: `{}` is no number above 0", option.join(" "))
                })?;
        }
        Ok(sizes)
    }

    fn known(&self) -> String {
        let known: Vec<String> = self.sizes.iter().map(|(name, _)| format!("{name} N")).collect();
        if known.is_empty() { String::new() } else { format!("; it takes {}", known.join(", ")) }
    }
}

/// Kills `textsearch index` of so many records so many times.
fn crash(sizes: &[u64]) -> Result<()> {
    let test = "crash::a_run_that_is_killed_leaves_the_old_store_or_the_new_one";
    let sizes = named(&["TEXTSEARCH_STRESS_RECORDS", "TEXTSEARCH_STRESS_KILLS"], sizes);
    run_tests(&format!("-p textsearch-cli --test it -- --exact {test}"), &sizes)
}

/// Indexes a folder that changes all the time, for so many seconds.
fn changing_folder(sizes: &[u64]) -> Result<()> {
    let test =
        "changing_folder::a_folder_that_changes_while_it_is_read_makes_a_store_of_whole_files";
    let sizes = named(&["TEXTSEARCH_STRESS_SECONDS"], sizes);
    run_tests(&format!("-p textsearch-cli --test it -- --exact {test}"), &sizes)
}

/// Has 64 readers search beside 4 writers, for so many seconds.
fn load(sizes: &[u64]) -> Result<()> {
    let test = "load::every_search_beside_writers_is_the_answer_of_a_state_of_that_time";
    let sizes = named(&["TEXTSEARCH_STRESS_SECONDS"], sizes);
    run_tests(&format!("-p textsearch-vector-inmemory --test it -- --exact {test}"), &sizes)
}

/// Runs each fuzz target, or the one called `part`, for so many seconds.
fn fuzz(part: Option<&str>, sizes: &[u64]) -> Result<()> {
    fuzz::run(part, sizes.iter().sum())
}

/// The environment variables that a test finds its sizes in.
fn named(names: &[&'static str], sizes: &[u64]) -> Vec<(&'static str, String)> {
    names.iter().copied().zip(sizes.iter().map(ToString::to_string)).collect()
}

/// Runs optimised tests of these arguments, which find their sizes in the environment and print what they find.
fn run_tests(arguments: &str, sizes: &[(&str, impl AsRef<OsStr>)]) -> Result<()> {
    let mut command = shell::cargo(&format!("test --quiet --release {arguments} --nocapture"));
    shell::run(command.envs(sizes.iter().map(|(name, size)| (*name, size))))
}

/// The program, built as users build it.
fn program() -> Result<PathBuf> {
    let build = format!("build --release -p textsearch-cli {AS_MESSAGES}");
    let messages = shell::read(&mut shell::cargo(&build))?;
    let programs = artifacts::built(&TargetKind::Bin, &messages);
    programs
        .into_iter()
        .next_back()
        .map(|(_, program)| program)
        .context("cargo said of no program that it built it")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_check_is_refused_with_the_names_of_all() {
        let error = run(&["bake"]).unwrap_err().to_string();
        assert!(error.contains("no check `bake`; the checks are crash, full-disk"), "{error}");
    }

    #[test]
    fn sizes_that_are_not_given_are_the_defaults() {
        let crash = &CHECKS[0];
        assert_eq!(crash.sizes_of(&[]).unwrap(), [20_000, 20]);
        assert_eq!(crash.sizes_of(&["--kills", "10"]).unwrap(), [20_000, 10]);
        let both = ["--kills", "10", "--records", "100000"];
        assert_eq!(crash.sizes_of(&both).unwrap(), [100_000, 10]);
    }

    #[test]
    fn an_unknown_part_is_refused_with_the_names_of_all() {
        for (check, known) in [("fuzz", "citations"), ("sanitize", "textsearch-vector-inmemory")] {
            let error = format!("{:#}", run(&[check, "bake"]).unwrap_err());
            assert!(error.contains("`bake`; the ") && error.contains(known), "{error}");
        }
    }

    #[test]
    fn a_size_that_is_no_number_is_refused() {
        for (options, what) in [
            (["--seconds", "long"].as_slice(), "`--seconds long` is no number above 0"),
            (&["--seconds", "0"], "`--seconds 0` is no number above 0"),
            (&["--seconds"], "`--seconds` is no number above 0"),
            (&["--kills", "3"], "`load` takes no `--kills 3`; it takes --seconds N"),
        ] {
            let arguments = [&["load"], options].concat();
            assert_eq!(run(&arguments).unwrap_err().to_string(), format!("stress: {what}"));
        }
        let error = run(&["fuzz", "citations", "--hours", "3"]).unwrap_err().to_string();
        assert_eq!(error, "stress: `fuzz` takes no `--hours 3`; it takes --seconds N");
        let error = run(&["memory", "--seconds", "3"]).unwrap_err().to_string();
        assert_eq!(error, "stress: `memory` takes no `--seconds 3`");
    }
}
