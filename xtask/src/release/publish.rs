//! `cargo xtask release publish`: uploads and tags prepared crates.

use anyhow::{Result, anyhow, bail};
use clap::Args;

use super::check::{Check, check};
use super::checkout::{Checkout, tag};
use super::family::{Family, Member};
use super::published;
use super::table::table;
use crate::shell;

const CRATES_IO: &str = "crates-io";

#[derive(Debug, Args)]
pub(crate) struct Publish {
    /// Crates to publish [default: all that are prepared]
    #[arg(value_name = "CRATE")]
    pub(crate) crates: Vec<String>,
    /// Upload and tag; without it, cargo stops before the upload
    #[arg(long)]
    pub(crate) execute: bool,
    /// A registry from cargo's configuration
    #[arg(long, value_name = "NAME", default_value = CRATES_IO)]
    pub(crate) registry: String,
    /// Skip the build of each package; refused with --execute for crates-io
    #[arg(long)]
    pub(crate) no_verify: bool,
}

/// How far a prepared crate is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Prepared,
    /// A run failed between upload and tag.
    Uploaded,
    Tagged,
}

/// Skips crates that the registry has, so a second run completes a failed one.
pub(crate) fn publish(checkout: &Checkout, request: &Publish) -> Result<()> {
    require_build(request)?;
    checkout.require_clean()?;
    if request.execute && request.registry == CRATES_IO {
        checkout.require_pushed()?;
        // The upload builds each package by itself.
        check(checkout, &Check { no_verify: true })?;
    }
    let family = checkout.family()?;
    let mut found = Vec::new();
    for member in wanted(&family, &request.crates)? {
        found.push((member, state(checkout, &request.registry, member)?));
    }
    if found.is_empty() {
        println!(
            "release: no crate is prepared; `cargo xtask release prepare CRATE --execute` does it"
        );
        return Ok(());
    }
    report(&found);
    let in_state = |wanted: State| {
        let members = found.iter().filter(move |(_, state)| *state == wanted);
        members.map(|(member, _)| *member).collect::<Vec<_>>()
    };
    let (prepared, uploaded) = (in_state(State::Prepared), in_state(State::Uploaded));
    if prepared.is_empty() && uploaded.is_empty() {
        println!("release: all are published");
        return Ok(());
    }
    let outcome = upload(checkout, request, &prepared);
    let all_uploaded = outcome.is_ok();
    if !request.execute {
        outcome?;
        println!("release: nothing was published; `--execute` does it");
        return complain(uploaded.iter().map(|member| untagged(checkout, member)).collect());
    }
    let mut complaints = Vec::new();
    complaints.extend(outcome.err().map(|error| {
        format!("release: some crates are not published; run the same command again: {error:#}")
    }));
    let registry = &request.registry;
    complaints.extend(tag_all(checkout, registry, &prepared, &uploaded, all_uploaded));
    complain(complaints)
}

/// # Errors
/// If crates.io would get packages that nothing built: a version there is final.
fn require_build(request: &Publish) -> Result<()> {
    if request.execute && request.no_verify && request.registry == CRATES_IO {
        bail!(
            "release: cannot publish to {CRATES_IO}: nothing would build the packages (`--no-verify`); leave out \
             `--no-verify`"
        );
    }
    Ok(())
}

fn complain(complaints: Vec<String>) -> Result<()> {
    if !complaints.is_empty() {
        bail!("{}", complaints.join("\n"));
    }
    Ok(())
}

/// Returns the crates called `names`, or all that are prepared.
fn wanted<'a>(family: &'a Family, names: &[String]) -> Result<Vec<&'a Member>> {
    for name in names {
        require_prepared(family.member(name)?)?;
    }
    let mut wanted = Vec::new();
    for member in family.iter() {
        let is_named = names.iter().any(|name| name == member.name());
        if names.is_empty() && member.is_outdated()? {
            require_prepared(member)?;
        }
        if is_named || (names.is_empty() && member.is_prepared()?) {
            wanted.push(member);
        }
    }
    Ok(wanted)
}

fn require_prepared(member: &Member) -> Result<()> {
    let (name, version) = (member.name(), member.version());
    if member.is_outdated()? {
        bail!(
            "release: {name} {version} is prepared and has no tag here, but its changelog has newer entries under \
             *Unreleased*; if it was published, run `git fetch --tags`; otherwise check out the commit that prepared \
             it: git log -1 -S '## {version} - ' {}",
            member.package.file("CHANGELOG.md")
        );
    }
    if !member.is_prepared()? {
        bail!(
            "release: {name} {version} is not prepared: its changelog has no heading for {version}, or newer \
             entries; run `cargo xtask release prepare {name} --execute` first"
        );
    }
    Ok(())
}

/// A tag is proof of a release: cargo doesn't find a version that was yanked since.
fn state(checkout: &Checkout, registry: &str, member: &Member) -> Result<State> {
    if member.is_released() {
        return Ok(State::Tagged);
    }
    let is_there = published::has(checkout, registry, member)?;
    Ok(if is_there { State::Uploaded } else { State::Prepared })
}

fn report(found: &[(&Member, State)]) {
    let mut rows = vec![["crate", "version", "state"].map(str::to_owned)];
    rows.extend(found.iter().map(|(member, state)| {
        let state = match state {
            State::Prepared => "prepared",
            State::Uploaded => "published, without its tag",
            State::Tagged => "published",
        };
        [member.name(), &member.version().to_string(), state].map(str::to_owned)
    }));
    print!("{}", table(&rows));
}

fn upload(checkout: &Checkout, request: &Publish, prepared: &[&Member]) -> Result<()> {
    if prepared.is_empty() {
        return Ok(());
    }
    let mut command = checkout.cargo("publish --all-features --registry");
    command.arg(&request.registry);
    command.args(prepared.iter().flat_map(|member| ["--package", member.name()]));
    if request.no_verify {
        command.arg("--no-verify");
    }
    if !request.execute {
        command.arg("--dry-run");
    }
    shell::run(&mut command)
}

/// Tags each uploaded crate, also those of an earlier run. Returns a complaint for each failure, so that
/// one crate cannot cost the others their tags. `all_uploaded` says whether cargo uploaded all of
/// `prepared`.
fn tag_all(
    checkout: &Checkout,
    registry: &str,
    prepared: &[&Member],
    uploaded: &[&Member],
    all_uploaded: bool,
) -> Vec<String> {
    let now = prepared.iter().filter_map(|member| {
        let outcome = match tag_new(checkout, registry, member).transpose() {
            // Cargo stops waiting for a slow index after a minute, and succeeds.
            None if all_uploaded => Err(anyhow!("`{registry}` doesn't list it yet")),
            outcome => outcome?,
        };
        Some(outcome.map_err(|error| {
            format!(
                "release: `{}` may be published without its tag; run the same command again: {error:#}",
                member.name()
            )
        }))
    });
    let earlier = uploaded.iter().map(|member| {
        let outcome = tag_old(checkout, member);
        outcome.map_err(|error| format!("{}: {error:#}", untagged(checkout, member)))
    });
    let (mut tags, mut complaints) = (Vec::new(), Vec::new());
    for outcome in now.chain(earlier) {
        match outcome {
            Ok(tag) => tags.push(tag),
            Err(complaint) => complaints.push(complaint),
        }
    }
    if !tags.is_empty() {
        println!("release: push the tags: git push origin {}", tags.join(" "));
    }
    complaints
}

/// Returns `None` if the registry doesn't list the crate.
fn tag_new(checkout: &Checkout, registry: &str, member: &Member) -> Result<Option<String>> {
    let is_there = published::has(checkout, registry, member)?;
    is_there.then(|| tag_commit(checkout, member, "HEAD")).transpose()
}

fn tag_old(checkout: &Checkout, member: &Member) -> Result<String> {
    let commit = published::commit(checkout, member)?;
    tag_commit(checkout, member, &commit)
}

fn tag_commit(checkout: &Checkout, member: &Member, commit: &str) -> Result<String> {
    let tag = tag(member.name(), member.version());
    let message = format!("{} {}", member.name(), member.version());
    shell::read(&mut checkout.git(["tag", "--annotate", &tag, "--message", &message, commit]))?;
    Ok(tag)
}

fn untagged(checkout: &Checkout, member: &Member) -> String {
    let (name, version) = (member.name(), member.version());
    let commit = published::commit(checkout, member).unwrap_or_else(|_| "COMMIT".to_owned());
    format!(
        "release: {name} {version} is published, but has no tag; run `git fetch --tags`, or `git tag -a {} {commit}`",
        tag(name, version)
    )
}

#[cfg(test)]
mod tests {
    use cargo_metadata::semver::Version;
    use tempfile::TempDir;

    use super::*;
    use crate::release::checkout::tests::{BROKEN_FEATURE, git, repository, workspace};

    /// Version 0.1.0 is prepared, and nothing is released.
    fn prepared(name: &str) -> Member {
        let mut member = Member::of(name, &[], "", true);
        member.released = None;
        member
    }

    #[test]
    fn crates_io_gets_no_unbuilt_packages() {
        let (_folder, checkout) = workspace(&[]);
        let outcome = |registry: &str, execute, no_verify| {
            let registry = registry.to_owned();
            publish(&checkout, &Publish { crates: Vec::new(), execute, registry, no_verify })
        };
        assert_eq!(
            outcome(CRATES_IO, true, true).unwrap_err().to_string(),
            "release: cannot publish to crates-io: nothing would build the packages (`--no-verify`); leave out \
             `--no-verify`"
        );
        // Nothing is prepared, so no registry is asked.
        outcome(CRATES_IO, false, true).unwrap();
        outcome("loopback", true, true).unwrap();
    }

    #[test]
    fn a_crate_that_is_not_prepared_is_refused() {
        for is_released in [false, true] {
            let brave = Member::of("brave", &[], "- Fixes `a`.", is_released);
            let error = require_prepared(&brave).unwrap_err().to_string();
            assert!(
                error.contains("run `cargo xtask release prepare brave --execute` first"),
                "{error}"
            );
        }
        assert!(require_prepared(&Member::of("brave", &[], "", true)).is_ok());
    }

    #[test]
    fn newer_entries_send_the_maintainer_to_the_prepared_commit() {
        let mut brave = Member::of("brave", &[], "- Fixes `a`.", true);
        brave.released = Some(Version::new(0, 0, 9));
        let family = Family::new(vec![brave]).unwrap();
        for names in [&[][..], &["brave".to_owned()]] {
            let error = wanted(&family, names).unwrap_err().to_string();
            assert!(
                error.ends_with("git log -1 -S '## 0.1.0 - ' crates/brave/CHANGELOG.md"),
                "{error}"
            );
            // A clone without tags doesn't know that the version is released.
            assert!(error.contains("if it was published, run `git fetch --tags`"), "{error}");
        }
    }

    #[test]
    fn only_prepared_crates_are_wanted() {
        let family = Family::new(vec![
            prepared("brave"),
            Member::of("core", &[], "- Fixes `a`.", true),
            Member::of("html", &[], "- First.", false),
        ]);
        let family = family.unwrap();
        let names: Vec<_> = wanted(&family, &[]).unwrap().into_iter().map(Member::name).collect();
        assert_eq!(names, ["brave"]);
    }

    #[test]
    fn a_tagged_version_is_published_even_if_yanked() {
        let (_folder, checkout) = repository();
        let brave = Member::of("brave", &[], "", true);
        // Asking this registry would be an error.
        assert_eq!(state(&checkout, "no registry", &brave).unwrap(), State::Tagged);
        assert!(state(&checkout, "no registry", &prepared("brave")).is_err());
    }

    #[test]
    fn a_dry_run_builds_with_all_features() {
        let config = "{\"dl\": \"http://localhost\", \"api\": \"http://localhost\"}";
        let [manifest, library] = BROKEN_FEATURE;
        let (folder, checkout) = workspace(&[("config.json", config), manifest, library]);
        let home = TempDir::new().unwrap();
        let checkout = checkout.with_empty_registry(folder.path()).with_cargo_home(home.path());
        let family = checkout.family().unwrap();
        let upload = |no_verify| {
            let registry = "empty".to_owned();
            let request = Publish { crates: Vec::new(), execute: false, registry, no_verify };
            upload(&checkout, &request, &[family.member("a").unwrap()])
        };
        upload(true).unwrap();
        assert!(upload(false).is_err());
    }

    #[test]
    fn each_crate_is_tagged_or_named_in_a_complaint() {
        let (_folder, checkout) = repository();
        let (brave, core) = (prepared("brave"), prepared("core"));
        let complaints = tag_all(&checkout, "no registry", &[&brave], &[&core], false);
        assert_eq!(complaints.len(), 2, "{complaints:?}");
        assert!(
            complaints[0].starts_with("release: `brave` may be published without its tag"),
            "{complaints:?}"
        );
        assert!(complaints[1].contains("`git tag -a core-v0.1.0 COMMIT`"), "{complaints:?}");
    }

    #[test]
    fn an_uploaded_crate_that_the_index_lacks_is_named() {
        let (folder, checkout) = repository();
        let home = TempDir::new().unwrap();
        let checkout = checkout.with_empty_registry(folder.path()).with_cargo_home(home.path());
        let brave = prepared("brave");
        let tag_all = |is_uploaded| tag_all(&checkout, "empty", &[&brave], &[], is_uploaded);
        assert_eq!(
            tag_all(true),
            [
                "release: `brave` may be published without its tag; run the same command again: `empty` doesn't list \
              it yet"
            ]
        );
        // Its upload failed, which is another complaint.
        assert!(tag_all(false).is_empty());
    }

    #[test]
    fn a_crate_of_an_earlier_run_gets_its_tag() {
        let (folder, checkout) = repository();
        let commit = shell::read(&mut checkout.git(["rev-parse", "HEAD"])).unwrap();
        published::write_package(folder.path(), "localhost-1", "core-0.1.0", commit.trim());
        git(&checkout, "commit --quiet --allow-empty --message later");
        let checkout = checkout.with_cargo_home(folder.path());
        assert!(tag_all(&checkout, "none", &[], &[&prepared("core")], true).is_empty());
        let tagged = shell::read(&mut checkout.git(["rev-parse", "core-v0.1.0^{commit}"])).unwrap();
        assert_eq!(tagged, commit);
    }
}
