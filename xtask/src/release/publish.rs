//! `cargo xtask release publish`: uploads and tags prepared crates.

use anyhow::{Context as _, Result, bail};
use clap::Args;
use tempfile::TempDir;

use super::checkout::{Checkout, tag};
use super::family::Member;
use super::table::table;
use crate::shell;

#[derive(Debug, Args)]
pub(crate) struct Publish {
    /// Crates to publish [default: all that are prepared]
    #[arg(value_name = "CRATE")]
    pub(crate) crates: Vec<String>,
    /// Upload and tag; without it, cargo stops before the upload
    #[arg(long)]
    pub(crate) execute: bool,
    /// A registry from cargo's configuration
    #[arg(long, value_name = "NAME", default_value = "crates-io")]
    pub(crate) registry: String,
    /// Skip the build of each package
    #[arg(long)]
    pub(crate) no_verify: bool,
}

/// Skips crates that the registry has, so a second run completes a failed one.
pub(crate) fn publish(checkout: &Checkout, request: &Publish) -> Result<()> {
    checkout.require_clean()?;
    let family = checkout.family()?;
    for name in &request.crates {
        require_prepared(family.member(name)?)?;
    }
    let is_wanted = |member: &Member| {
        request.crates.is_empty() || request.crates.iter().any(|name| name == member.name())
    };
    let mut missing = Vec::new();
    let mut rows = vec![["crate", "version", "registry", "tag"].map(str::to_owned)];
    for member in family.iter().filter(|member| is_wanted(member)) {
        if !member.is_prepared()? {
            continue;
        }
        let is_there = has(checkout, &request.registry, member)?;
        let is_tagged = member.released.as_ref() == Some(member.version());
        let state = if is_there { "has it" } else { "lacks it" };
        let tag = match (is_tagged, is_there) {
            (true, _) => "yes",
            (false, true) => "missing",
            (false, false) => "no",
        };
        rows.push([member.name(), &member.version().to_string(), state, tag].map(str::to_owned));
        if !is_there {
            missing.push(member);
        }
    }
    if rows.len() == 1 {
        println!("release: no crate is prepared; `cargo xtask release prepare` does it");
        return Ok(());
    }
    print!("{}", table(&rows));
    if missing.is_empty() {
        println!("release: the registry has them all");
        return Ok(());
    }
    upload(checkout, request, &missing)
}

fn require_prepared(member: &Member) -> Result<()> {
    if !member.is_prepared()? {
        bail!(
            "release: {0} {1} is not prepared: its changelog has no heading for {1}, or newer entries; run \
             `cargo xtask release prepare {0}` first",
            member.name(),
            member.version()
        );
    }
    Ok(())
}

/// Asks the registry from a folder outside the workspace, where cargo would find the member itself.
fn has(checkout: &Checkout, registry: &str, member: &Member) -> Result<bool> {
    let elsewhere = TempDir::new()?;
    let mut command = checkout.cargo("info --quiet --registry");
    command.arg(registry).arg(format!("{}@{}", member.name(), member.version()));
    let output = command.current_dir(elsewhere.path()).output()?;
    let complaint = String::from_utf8_lossy(&output.stderr);
    if output.status.success() || complaint.contains("could not find") {
        return Ok(output.status.success());
    }
    bail!("release: `{registry}` did not say whether it has {}:\n{complaint}", member.name())
}

fn upload(checkout: &Checkout, request: &Publish, missing: &[&Member]) -> Result<()> {
    let mut command = checkout.cargo("publish --registry");
    command.arg(&request.registry);
    command.args(missing.iter().flat_map(|member| ["--package", member.name()]));
    if request.no_verify {
        command.arg("--no-verify");
    }
    if !request.execute {
        shell::run(command.arg("--dry-run"))?;
        println!("release: nothing was published; `--execute` does it");
        return Ok(());
    }
    let outcome = shell::run(&mut command);
    let mut tags = Vec::new();
    for member in missing {
        if has(checkout, &request.registry, member)? {
            let tag = tag(member.name(), member.version());
            let message = format!("{} {}", member.name(), member.version());
            shell::read(&mut checkout.git(["tag", "--annotate", &tag, "--message", &message]))?;
            tags.push(tag);
        }
    }
    println!("release: published {} of {} crates", tags.len(), missing.len());
    if !tags.is_empty() {
        println!("release: push the tags: git push origin {}", tags.join(" "));
    }
    outcome.context("release: some crates are not published; run the same command again")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_crate_that_is_not_prepared_is_refused() {
        for is_released in [false, true] {
            let brave = Member::of("brave", &[], "- Fixes `a`.", is_released);
            let error = require_prepared(&brave).unwrap_err().to_string();
            assert!(error.contains("run `cargo xtask release prepare brave` first"), "{error}");
        }
        assert!(require_prepared(&Member::of("brave", &[], "", true)).is_ok());
    }
}
