//! `cargo xtask stress`: what takes too long for the ordinary tests, or needs more of the machine than they may ask for.
//!
//! Crashes, load and changing folders are the ordinary tests, with larger numbers.

mod full_disk;
mod memory;
mod resident;

use std::path::PathBuf;

use anyhow::{Context as _, Result, bail};

use crate::{
    artifacts::{self, AS_MESSAGES},
    shell,
};

/// A check by name; its work gets the number of seconds that it is to take, where it may take any.
type Check = (&'static str, fn(seconds: &str) -> Result<()>);

const CHECKS: &[Check] = &[
    ("crash", crash),
    ("full-disk", |_| full_disk::run()),
    ("changing-folder", changing_folder),
    ("load", load),
    ("memory", |_| memory::run()),
];

/// How long a check takes that may take any time.
const SECONDS: &str = "60";

/// Runs the check of this name, or all of them without a name.
///
/// # Errors
/// If there is no such check, or one fails.
pub(crate) fn run(name: Option<&str>, seconds: Option<&str>) -> Result<()> {
    if name == Some(full_disk::INSIDE) {
        return full_disk::run_inside();
    }
    let names: Vec<&str> = CHECKS.iter().map(|(known, _)| *known).collect();
    if let Some(name) = name.filter(|name| !names.contains(name)) {
        bail!("stress: no check `{name}`; the checks are {}", names.join(", "));
    }
    let seconds = seconds.unwrap_or(SECONDS);
    if seconds.parse::<u32>().is_err() {
        bail!("stress: `{seconds}` is no number of seconds");
    }
    let wanted = CHECKS.iter().filter(|(known, _)| name.is_none_or(|name| name == *known));
    wanted.into_iter().try_for_each(|(name, work)| {
        println!("stress: {name} ...");
        work(seconds).with_context(|| format!("stress: {name} failed"))?;
        println!("stress: {name} passed");
        Ok(())
    })
}

/// Kills `textsearch index` of 20,000 records 20 times.
fn crash(_seconds: &str) -> Result<()> {
    let test = "crash::a_run_that_is_killed_leaves_the_old_store_or_the_new_one";
    let sizes = [("TEXTSEARCH_STRESS_RECORDS", "20000"), ("TEXTSEARCH_STRESS_KILLS", "20")];
    run_tests(&format!("-p textsearch-cli --test it -- --exact {test}"), &sizes)
}

/// Indexes a folder that changes all the time.
fn changing_folder(seconds: &str) -> Result<()> {
    let test =
        "changing_folder::a_folder_that_changes_while_it_is_read_makes_a_store_of_whole_files";
    let sizes = [("TEXTSEARCH_STRESS_SECONDS", seconds)];
    run_tests(&format!("-p textsearch-cli --test it -- --exact {test}"), &sizes)
}

/// Has 64 readers search beside 4 writers.
fn load(seconds: &str) -> Result<()> {
    let test = "load::every_search_beside_writers_is_the_answer_of_a_state_of_that_time";
    let sizes = [("TEXTSEARCH_STRESS_SECONDS", seconds)];
    run_tests(&format!("-p textsearch-vector-inmemory --test it -- --exact {test}"), &sizes)
}

/// Runs optimised tests of these arguments, which print what they find.
fn run_tests(arguments: &str, sizes: &[(&str, &str)]) -> Result<()> {
    let mut command = shell::cargo(&format!("test --quiet --release {arguments} --nocapture"));
    shell::run(command.envs(sizes.iter().copied()))
}

/// The program, built as users build it.
fn program() -> Result<PathBuf> {
    let build = format!("build --release -p textsearch-cli {AS_MESSAGES}");
    let messages = shell::read(&mut shell::cargo(&build))?;
    let programs = artifacts::built("bin", &messages);
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
        let error = run(Some("bake"), None).unwrap_err().to_string();
        assert!(error.contains("no check `bake`; the checks are crash, full-disk"), "{error}");
    }

    #[test]
    fn a_time_that_is_no_number_is_refused() {
        let error = run(Some("load"), Some("long")).unwrap_err().to_string();
        assert_eq!(error, "stress: `long` is no number of seconds");
    }
}
