//! `cargo xtask ci`: every check of the build server except the tests, cheapest failure first. With
//! `--full`, also the long checks.

use std::time::Instant;

use anyhow::{Context as _, Result};

use crate::{
    crates, docs, examples, foreign_types, metadata, retrieval, shell, size, templates, tidy, tools,
};

/// Users depend on these without default features, so each feature must compile alone, without
/// warnings. `each-feature` checks the others.
const CHECKED_BY_FEATURE: &[&str] = &["textsearch-core", "textsearch-vector-inmemory"];

type Step = (&'static str, fn() -> Result<()>);

pub(crate) const STEPS: &[Step] = &[
    ("format", format),
    ("tidy", tidy::run),
    ("clippy", clippy),
    ("features", features),
    ("doc", docs::build),
    ("deny", deny),
    ("size", size::print),
    ("crates", crates::check),
    ("examples", examples::run_offline),
    ("retrieval", retrieval::run),
    ("templates", templates::check::run),
];

/// They compile each crate many times, or in another way than other steps.
const LONG_STEPS: &[Step] =
    &[("each-feature", each_feature), ("foreign-types", foreign_types::check)];

pub(crate) fn step_names() -> impl Iterator<Item = &'static str> {
    STEPS.iter().chain(LONG_STEPS).map(|(name, _)| *name)
}

/// Without a name, runs all steps and stops at the first failure. `full` adds the long ones.
pub(crate) fn run(step: Option<&str>, full: bool) -> Result<()> {
    let start = Instant::now();
    let is_wanted = |name: &str| step.is_none_or(|step| step == name);
    let long = if full || step.is_some() { LONG_STEPS } else { &[] };
    STEPS.iter().chain(long).filter(|(name, _)| is_wanted(name)).try_for_each(run_step)?;
    if step.is_none() {
        println!("ci: all steps passed in {:.1} s", start.elapsed().as_secs_f32());
    }
    Ok(())
}

fn run_step((name, work): &Step) -> Result<()> {
    println!("ci: {name} ...");
    let start = Instant::now();
    work().with_context(|| format!("ci: {name} failed; to see it alone: cargo xtask ci {name}"))?;
    println!("ci: {name} passed in {:.1} s", start.elapsed().as_secs_f32());
    Ok(())
}

fn format() -> Result<()> {
    // Lists files only: nobody fixes formatting by hand.
    shell::run(&mut shell::cargo("fmt --all --check -- -l")).context("`cargo fmt --all` repairs it")
}

fn clippy() -> Result<()> {
    // All targets leave out the tests that need a server.
    for targets in ["--all-targets", "--test *"] {
        let line = format!("clippy --workspace {targets} --all-features -- -D warnings");
        shell::run(&mut shell::cargo(&line))?;
    }
    Ok(())
}

/// Uses Clippy, because a plain check cannot reject warnings without rebuilding every dependency.
fn features() -> Result<()> {
    let packages = metadata::packages()?;
    CHECKED_BY_FEATURE.iter().flat_map(|name| feature_arguments(name, &packages)).try_for_each(
        |arguments| {
            let line = format!("clippy {arguments} -- -D warnings");
            shell::run(&mut shell::cargo(&line))
        },
    )
}

fn feature_arguments(name: &str, packages: &[metadata::Package]) -> Vec<String> {
    let package = packages.iter().find(|package| package.name == name);
    let features = package.into_iter().flat_map(|package| package.features.keys());
    let alone = features
        .filter(|feature| *feature != "default")
        .map(|feature| format!("-p {name} --no-default-features --features {feature}"));
    std::iter::once(format!("-p {name} --no-default-features")).chain(alone).collect()
}

/// Compiles each library with each of its features alone, with none and with all, without the
/// features that tests turn on. Warnings pass: rejecting them would rebuild every dependency.
fn each_feature() -> Result<()> {
    tools::ensure(&tools::HACK)?;
    let mut command = shell::cargo("hack check --each-feature --no-dev-deps --workspace");
    command.args(CHECKED_BY_FEATURE.iter().flat_map(|name| ["--exclude", name]));
    shell::run(&mut command)
}

fn deny() -> Result<()> {
    // Fetches for every platform first: the check itself runs offline.
    shell::run(&mut shell::cargo("fetch --locked"))?;
    // In graphs, a dozen duplicates would print a thousand lines.
    let line = "deny --offline check --hide-inclusion-graph bans licenses sources";
    shell::run(&mut shell::cargo(line)).context(
        "`cargo tree -i CRATE` shows who needs a crate; `cargo xtask tools` installs cargo-deny",
    )
}

/// Not a step of `ci`, because it needs the network.
pub(crate) fn advisories() -> Result<()> {
    shell::run(&mut shell::cargo("deny check --hide-inclusion-graph advisories"))
        .context("`cargo update -p CRATE` takes the repaired version of a crate, if there is one")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_crate_is_checked_without_features_and_with_each_alone() {
        let features =
            serde_json::json!({ "features": { "default": [], "chat": [], "vector": [] } });
        let core = metadata::Package::new("textsearch-core", features);
        assert_eq!(
            feature_arguments("textsearch-core", &[core]),
            [
                "-p textsearch-core --no-default-features",
                "-p textsearch-core --no-default-features --features chat",
                "-p textsearch-core --no-default-features --features vector",
            ]
        );
    }

    #[test]
    fn a_failed_step_shows_how_to_rerun_it() {
        let step: Step = ("bake", || anyhow::bail!("no flour"));
        let error = format!("{:#}", run_step(&step).unwrap_err());
        assert_eq!(error, "ci: bake failed; to see it alone: cargo xtask ci bake: no flour");
    }
}
