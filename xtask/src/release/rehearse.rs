//! `cargo xtask release rehearse`: releases to a registry on loopback, from a clean clone.

use std::{fs, path::Path, time::Instant};

use anyhow::{Context as _, Result, bail, ensure};
use cargo_metadata::semver::Version;
use tempfile::TempDir;

use super::changelog;
use super::checkout::Checkout;
use super::consumer::{CONNECTOR, Consumer};
use super::prepare::{Prepare, prepare};
use super::publish::{Publish, publish};
use super::registry::{self, Registry};
use super::status;
use crate::{semver::Comparison, shell, tools};

/// Others depend on it, so its refused upload stops the release in the middle.
const REFUSED: &str = "textsearch-kernel";
/// Quick to compare: it has few dependencies.
const BROKEN: &str = "textsearch-html";
const BROKEN_FILE: &str = "src/limits.rs";
const BROKEN_METHOD: &str = "with_max_depth";

/// Leaves no trace: clone, registry and `CARGO_HOME` are in a temporary folder.
pub(crate) fn rehearse() -> Result<()> {
    let start = Instant::now();
    let scratch = TempDir::new()?;
    let registry = Registry::start(&[REFUSED])?;
    let checkout = clone(scratch.path(), &registry)?;
    let consumer = Consumer::write(scratch.path().join("consumer"), &registry, scratch.path())?;

    step("every crate, with one upload refused in the middle");
    release_all(&checkout)?;
    consumer.run(&Version::new(0, 1, 0))?;

    step("a patch of one connector");
    release_patch(&checkout)?;
    consumer.run(&Version::new(0, 1, 1))?;

    step("a breaking change");
    refuse_breaking_change(&checkout)?;
    println!("rehearse: passed in {:.0} s", start.elapsed().as_secs_f32());
    Ok(())
}

fn step(name: &str) {
    println!("\nrehearse: {name}");
}

/// Clones the last commit. Our crates come from the registry on loopback, all others from the usual
/// one.
fn clone(scratch: &Path, registry: &Registry) -> Result<Checkout> {
    let folder = scratch.join("clone");
    let mut command = Checkout::here().git(["clone", "--quiet", "--no-tags", "."]);
    shell::run(command.arg(&folder))?;
    let checkout = Checkout::new(folder, registry.environment(scratch));
    for (key, value) in [
        ("user.name", "rehearsal"),
        ("user.email", "rehearsal@localhost"),
        ("commit.gpgsign", "false"),
        ("tag.gpgsign", "false"),
        ("core.hooksPath", "no-hooks"),
    ] {
        shell::read(&mut checkout.git(["config", key, value]))?;
    }
    let manifest = checkout.read("Cargo.toml")?;
    fs::write(checkout.path("Cargo.toml"), registry::with_registry(&manifest))?;
    commit(&checkout, "take our crates from the registry on loopback")?;
    Ok(checkout)
}

fn commit(checkout: &Checkout, subject: &str) -> Result<()> {
    shell::read(&mut checkout.git(["commit", "--quiet", "--all", "--message", subject]))?;
    Ok(())
}

fn release_all(checkout: &Checkout) -> Result<()> {
    let everything = Prepare { crates: Vec::new(), changed: true, bump: None };
    prepare(checkout, &everything)?;
    commit(checkout, "release everything")?;
    let refused = publish(checkout, &to_loopback());
    ensure!(refused.is_err(), "rehearse: the registry refused no upload");
    let published = tags(checkout)?;
    let all = checkout.family()?.iter().count();
    ensure!(
        0 < published && published < all,
        "rehearse: {published} of {all} crates were published, which is no failure in the middle"
    );
    publish(checkout, &to_loopback()).context("rehearse: the second try failed")?;
    let published = tags(checkout)?;
    ensure!(published == all, "rehearse: only {published} of {all} crates have a tag");
    Ok(())
}

/// The packages are built by `cargo xtask release check`, and some of them by the consumer.
fn to_loopback() -> Publish {
    Publish {
        crates: Vec::new(),
        execute: true,
        registry: registry::NAME.to_owned(),
        no_verify: true,
    }
}

fn tags(checkout: &Checkout) -> Result<usize> {
    Ok(shell::read(&mut checkout.git(["tag"]))?.lines().count())
}

fn release_patch(checkout: &Checkout) -> Result<()> {
    append(checkout, "src/lib.rs", "\n// Rehearsed.\n")?;
    add_entry(checkout, CONNECTOR, "Rehearses a patch.")?;
    commit(checkout, "patch a connector")?;
    status::print(checkout)?;
    prepare(checkout, &Prepare { crates: vec![CONNECTOR.to_owned()], changed: false, bump: None })?;
    commit(checkout, "release a patch")?;
    let before = tags(checkout)?;
    publish(checkout, &Publish { execute: false, ..to_loopback() })?;
    ensure!(tags(checkout)? == before, "rehearse: a dry run made a tag");
    publish(checkout, &to_loopback())
}

fn append(checkout: &Checkout, file: &str, text: &str) -> Result<()> {
    let path = format!("crates/{CONNECTOR}/{file}");
    fs::write(checkout.path(&path), checkout.read(&path)? + text)?;
    Ok(())
}

fn add_entry(checkout: &Checkout, name: &str, entry: &str) -> Result<()> {
    let path = format!("crates/{name}/CHANGELOG.md");
    let text = changelog::with_entry(&checkout.read(&path)?, entry)?;
    fs::write(checkout.path(&path), text)?;
    Ok(())
}

/// The comparison must name the change, and no patch may be prepared once the changelog has it.
fn refuse_breaking_change(checkout: &Checkout) -> Result<()> {
    let path = format!("crates/{BROKEN}/{BROKEN_FILE}");
    let before = checkout.read(&path)?;
    let after = before.replace(BROKEN_METHOD, "with_depth");
    ensure!(before != after, "rehearse: {path} has no `{BROKEN_METHOD}`");
    fs::write(checkout.path(&path), after)?;
    tools::ensure(&tools::SEMVER_CHECKS)?;
    let patch = Comparison::with_release(BROKEN, &Version::new(0, 1, 0), &Version::new(0, 1, 1));
    let needed = patch.context("rehearse: nothing is compared")?.run(checkout)?;
    ensure!(
        needed == Some(Version::new(0, 2, 0)),
        "rehearse: {BROKEN} without `{BROKEN_METHOD}` needs {needed:?}, not 0.2.0"
    );
    println!("rehearse: {BROKEN} without `{BROKEN_METHOD}` needs 0.2.0");
    add_entry(checkout, BROKEN, "**Breaking:** `with_max_depth` is `with_depth`.")?;
    commit(checkout, "rename a method")?;
    let patch = Prepare {
        crates: vec![BROKEN.to_owned()],
        changed: false,
        bump: Some(super::version::Bump::Patch),
    };
    match prepare(checkout, &patch) {
        Ok(()) => bail!("rehearse: a breaking change was prepared as a patch"),
        Err(refusal) => println!("{refusal}"),
    }
    Ok(())
}
