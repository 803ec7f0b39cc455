//! `cargo xtask release publish`: uploads and tags a prepared release.

use std::process::Command;

use anyhow::{Context as _, Result, bail};
use clap::Args;

use super::check::check;
use super::checkout::{Checkout, tag};
use super::state::State;
use crate::shell;

#[derive(Debug, Default, Args)]
pub(crate) struct Publish {
    /// Leave out a crate that an interrupted run uploaded
    #[arg(long, value_name = "CRATE")]
    exclude: Vec<String>,
    /// Upload and tag; without it, cargo stops before the upload
    #[arg(long)]
    execute: bool,
}

/// Builds all packages before it uploads the first one.
pub(crate) fn publish(checkout: &Checkout, request: &Publish) -> Result<()> {
    checkout.require_clean()?;
    if request.execute {
        checkout.require_pushed()?;
        // `cargo publish` builds the packages.
        check(checkout, true)?;
    }
    let state = checkout.state()?;
    require_prepared(&state)?;
    let tag = tag(&state.version);
    shell::run(&mut command(checkout, request)).with_context(|| {
        format!(
            "release: not every crate was published; run the same command again, with `--exclude CRATE` for each \
             crate that cargo uploaded; if crates.io has all, tag them: git tag -a {tag} COMMIT"
        )
    })?;
    if !request.execute {
        println!("release: nothing was published; `--execute` does it");
        return Ok(());
    }
    shell::read(&mut checkout.git(["tag", "--annotate", &tag, "--message", &tag]))?;
    println!("release: push the tag: git push origin {tag}");
    Ok(())
}

fn require_prepared(state: &State) -> Result<()> {
    let version = &state.version;
    if !state.is_prepared() {
        bail!("release: {version} is not prepared; run `cargo xtask release prepare --execute`");
    }
    if let Some(member) = state.changed().next() {
        bail!(
            "release: {version} is prepared, but {} has newer entries under *Unreleased*; if it was published, run \
             `git fetch --tags`; otherwise check out the commit that prepared it: git log -1 -S '## {version} - '",
            member.package.file("CHANGELOG.md")
        );
    }
    Ok(())
}

/// Leaves out crates with `publish = false`, and uploads dependencies first.
fn command(checkout: &Checkout, request: &Publish) -> Command {
    let mut command = checkout.cargo("publish --workspace --all-features");
    command.args(request.exclude.iter().flat_map(|name| ["--exclude", name]));
    if !request.execute {
        command.arg("--dry-run");
    }
    command
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn newer_entries_send_the_maintainer_to_the_prepared_commit() {
        let text = "## Unreleased\n\n- Fixes `a`.\n\n## 0.1.0 - 2026-07-01\n";
        let error =
            require_prepared(&State::new(None, &[("brave", text)])).unwrap_err().to_string();
        assert!(error.ends_with("git log -1 -S '## 0.1.0 - '"), "{error}");
        // A clone without tags doesn't know that the version is released.
        assert!(error.contains("if it was published, run `git fetch --tags`"), "{error}");
    }

    #[test]
    fn only_a_prepared_release_is_published() {
        require_prepared(&State::new(None, &[("brave", "## 0.1.0 - 2026-07-01\n")])).unwrap();
        let state = State::new(None, &[("brave", "## Unreleased\n\n- First.\n")]);
        let error = require_prepared(&state).unwrap_err().to_string();
        assert!(error.starts_with("release: 0.1.0 is not prepared"), "{error}");
    }

    #[test]
    fn only_execute_uploads() {
        let words = |execute| {
            let request = Publish { exclude: vec!["brave".to_owned()], execute };
            let command = command(&Checkout::here(), &request);
            let words: Vec<&str> = command.get_args().filter_map(|word| word.to_str()).collect();
            words.join(" ")
        };
        let upload = "publish --workspace --all-features --exclude brave";
        assert_eq!(words(true), upload);
        assert_eq!(words(false), format!("{upload} --dry-run"));
    }
}
