//! `cargo xtask release publish`: uploads and tags prepared crates.

use anyhow::{Context as _, Result, bail};

use super::check::check;
use super::checkout::{Checkout, tag};
use super::family::{Family, Member};
use crate::{shell, table::table};

/// Builds all packages before it uploads the first one. Each upload gets its tag at once, so a second
/// run completes a failed one.
pub(crate) fn publish(checkout: &Checkout, execute: bool) -> Result<()> {
    checkout.require_clean()?;
    if execute {
        checkout.require_pushed()?;
        // The dry run below builds the packages.
        check(checkout, true)?;
    }
    let family = checkout.family()?;
    let prepared = prepared(&family)?;
    if prepared.is_empty() {
        println!(
            "release: no crate is prepared; `cargo xtask release prepare CRATE --execute` does it"
        );
        return Ok(());
    }
    let rows =
        prepared.iter().map(|member| [member.name().to_owned(), member.version().to_string()]);
    print!("{}", table(&rows.collect::<Vec<_>>()));
    shell::run(&mut dry_run(checkout, &prepared))?;
    if !execute {
        println!("release: nothing was published; `--execute` does it");
        return Ok(());
    }
    let tags =
        prepared.iter().map(|member| upload(checkout, member)).collect::<Result<Vec<_>>>()?;
    println!("release: push the tags: git push origin {}", tags.join(" "));
    Ok(())
}

/// Returns the prepared crates, dependencies first.
fn prepared(family: &Family) -> Result<Vec<&Member>> {
    let prepared: Vec<&Member> = family.iter().filter(|member| member.is_prepared()).collect();
    for member in &prepared {
        if member.changelog.entries() > 0 {
            bail!(
                "release: {0} {1} is prepared and has no tag here, but its changelog has newer entries under \
                 *Unreleased*; if it was published, run `git fetch --tags`; otherwise check out the commit that \
                 prepared it: git log -1 -S '## {1} - ' {2}",
                member.name(),
                member.version(),
                member.package.file("CHANGELOG.md")
            );
        }
    }
    Ok(prepared)
}

/// Takes other crates from crates.io, as users do.
fn dry_run(checkout: &Checkout, prepared: &[&Member]) -> std::process::Command {
    let mut command = checkout.cargo("publish --dry-run --all-features");
    command.args(prepared.iter().flat_map(|member| ["--package", member.name()]));
    command
}

/// Returns the tag.
fn upload(checkout: &Checkout, member: &Member) -> Result<String> {
    let (name, version) = (member.name(), member.version());
    let tag = tag(name, version);
    let mut command = checkout.cargo("publish --no-verify --package");
    shell::run(command.arg(name)).with_context(|| {
        format!(
            "release: {name} {version} was not published; push the tags so far, and run the same command again. If \
             crates.io has this version, tag it first: git tag -a {tag} COMMIT"
        )
    })?;
    let message = format!("{name} {version}");
    shell::read(&mut checkout.git(["tag", "--annotate", &tag, "--message", &message]))?;
    Ok(tag)
}

#[cfg(test)]
mod tests {
    use cargo_metadata::semver::Version;

    use super::*;

    #[test]
    fn newer_entries_send_the_maintainer_to_the_prepared_commit() {
        let brave = Member::prepared("brave", "- Fixes `a`.", Some(Version::new(0, 0, 9)));
        let error = prepared(&Family::new(vec![brave]).unwrap()).unwrap_err().to_string();
        assert!(
            error.ends_with("git log -1 -S '## 0.1.0 - ' crates/brave/CHANGELOG.md"),
            "{error}"
        );
        // A clone without tags doesn't know that the version is released.
        assert!(error.contains("if it was published, run `git fetch --tags`"), "{error}");
    }

    #[test]
    fn only_prepared_crates_are_published() {
        let family = Family::new(vec![
            Member::prepared("brave", "", None),
            Member::of("core", &[], "- Fixes `a`.", true),
            Member::of("html", &[], "- First.", false),
        ]);
        let family = family.unwrap();
        let names: Vec<&str> = prepared(&family).unwrap().into_iter().map(Member::name).collect();
        assert_eq!(names, ["brave"]);
    }

    #[test]
    fn all_packages_are_built_in_one_dry_run() {
        let members = [Member::prepared("brave", "", None), Member::prepared("core", "", None)];
        let command = dry_run(&Checkout::here(), &members.each_ref());
        let words: Vec<&str> = command.get_args().filter_map(|word| word.to_str()).collect();
        assert_eq!(
            words.join(" "),
            "publish --dry-run --all-features --package brave --package core"
        );
    }
}
