//! `cargo xtask release rehearse`: releases to a registry on loopback, from a clean clone.

use std::{fs, path::Path, time::Instant};

use anyhow::{Context as _, Result, bail, ensure};
use tempfile::TempDir;

use super::changelog;
use super::checkout::{Checkout, tag};
use super::consumer::{CONNECTOR, Consumer};
use super::prepare::{Prepare, prepare};
use super::publish::{Publish, publish};
use super::registry::{self, Registry};
use super::status;
use super::version::Bump;
use crate::{semver, shell};

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

    step("every crate, with one upload refused in the middle");
    release_all(&checkout)?;
    let family = checkout.family()?;
    Consumer::of_all(&registry, scratch.path(), &family)?.resolve(&family)?;
    let consumer = Consumer::of_connector(&registry, scratch.path(), &family)?;
    consumer.run(family.member(CONNECTOR)?.version())?;

    step("a patch of one connector");
    release_patch(&checkout)?;
    consumer.run(checkout.family()?.member(CONNECTOR)?.version())?;

    step("a breaking change");
    refuse_breaking_change(&checkout)?;
    println!("rehearse: passed in {:.0} s", start.elapsed().as_secs_f32());
    Ok(())
}

fn step(name: &str) {
    println!("\nrehearse: {name}");
}

/// Clones the last commit, with its tags. Our crates come from the registry on loopback, all others from the usual
/// one.
fn clone(scratch: &Path, registry: &Registry) -> Result<Checkout> {
    let folder = scratch.join("clone");
    let mut command = Checkout::here().git(["clone", "--quiet", "."]);
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
    give_all_changes(checkout)?;
    let dry_run = Prepare { crates: Vec::new(), changed: true, bump: None, execute: false };
    prepare(checkout, &dry_run)?;
    checkout.require_clean().context("rehearse: a dry run changed files")?;
    prepare(checkout, &Prepare { execute: true, ..dry_run })?;
    commit(checkout, "release everything")?;
    let refused = publish(checkout, &to_loopback());
    ensure!(refused.is_err(), "rehearse: the registry refused no upload");
    let published = tags(checkout)?;
    let all = checkout.family()?.iter().count();
    ensure!(
        0 < published && published < all,
        "rehearse: {published} of {all} crates were published, which is no failure in the middle"
    );
    forget_a_tag(checkout)?;
    publish(checkout, &to_loopback()).context("rehearse: the second try failed")?;
    let published = tags(checkout)?;
    ensure!(published == all, "rehearse: only {published} of {all} crates have a tag");
    Ok(())
}

/// Works before the first release, after it, and with a release that waits to be published.
fn give_all_changes(checkout: &Checkout) -> Result<()> {
    for member in checkout.family()?.iter() {
        if member.has_heading()? && !member.is_released() {
            let tag = tag(member.name(), member.version());
            shell::read(&mut checkout.git(["tag", "--annotate", &tag, "--message", &tag]))?;
        }
    }
    for member in checkout.family()?.iter() {
        let is_breaking = !member.breaks.is_empty();
        let entry = if is_breaking { "**Breaking:** rehearsed." } else { "Rehearsed." };
        add_entry(checkout, member.name(), entry)?;
    }
    commit(checkout, "describe a change of each crate")
}

/// As if the first run had failed between upload and tag.
fn forget_a_tag(checkout: &Checkout) -> Result<()> {
    let family = checkout.family()?;
    let tagged = family.iter().find(|member| member.is_released());
    let tagged = tagged.context("rehearse: no crate has a tag")?;
    let tag = tag(tagged.name(), tagged.version());
    shell::read(&mut checkout.git(["tag", "--delete", &tag]))?;
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

/// Counts the crates whose current version has a tag.
fn tags(checkout: &Checkout) -> Result<usize> {
    Ok(checkout.family()?.iter().filter(|member| member.is_released()).count())
}

fn release_patch(checkout: &Checkout) -> Result<()> {
    append(checkout, "src/lib.rs", "\n// Rehearsed.\n")?;
    add_entry(checkout, CONNECTOR, "Rehearses a patch.")?;
    commit(checkout, "patch a connector")?;
    status::print(checkout)?;
    prepare(checkout, &to_execute(CONNECTOR, None))?;
    commit(checkout, "release a patch")?;
    let before = tags(checkout)?;
    publish(checkout, &Publish { execute: false, ..to_loopback() })?;
    ensure!(tags(checkout)? == before, "rehearse: a dry run made a tag");
    publish(checkout, &to_loopback())
}

fn to_execute(name: &str, bump: Option<Bump>) -> Prepare {
    Prepare { crates: vec![name.to_owned()], changed: false, bump, execute: true }
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

/// The comparison of `release check` must name the crate and the method, and no patch may be prepared
/// once the changelog has the change.
fn refuse_breaking_change(checkout: &Checkout) -> Result<()> {
    shell::read(&mut checkout.git(["switch", "--quiet", "--create", "break"]))?;
    let path = format!("crates/{BROKEN}/{BROKEN_FILE}");
    let before = checkout.read(&path)?;
    let after = before.replace(BROKEN_METHOD, "with_depth");
    ensure!(before != after, "rehearse: {path} has no `{BROKEN_METHOD}`");
    fs::write(checkout.path(&path), after)?;
    commit(checkout, "rename a method")?;
    let refusal = refused("a breaking change passed", semver::run(checkout, None))?;
    for name in [format!("{BROKEN} needs "), format!("::{BROKEN_METHOD})")] {
        ensure!(
            refusal.contains(&name),
            "rehearse: the comparison doesn't say `{name}`: {refusal}"
        );
    }
    add_entry(checkout, BROKEN, "**Breaking:** `with_max_depth` is `with_depth`.")?;
    commit(checkout, "describe the renaming")?;
    let outcome = prepare(checkout, &to_execute(BROKEN, Some(Bump::Patch)));
    refused("a breaking change was prepared as a patch", outcome)?;
    Ok(())
}

fn refused(complaint: &str, outcome: Result<()>) -> Result<String> {
    match outcome {
        Ok(()) => bail!("rehearse: {complaint}"),
        Err(refusal) => {
            println!("{refusal:#}");
            Ok(format!("{refusal:#}"))
        }
    }
}
