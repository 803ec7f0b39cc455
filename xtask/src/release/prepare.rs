//! `cargo xtask release prepare`: writes versions and changelog headings.

use std::{collections::BTreeMap, fs, path::Path};

use anyhow::{Context as _, Result, bail};
use cargo_metadata::semver::Version;
use clap::Args;

use super::changelog;
use super::checkout::{Checkout, tag};
use super::family::Family;
use super::plan::{self, Step};
use super::version::Bump;
use crate::shell;
use crate::table::table;

/// The manifest of the workspace, where dependents take versions from.
const ROOT: &str = "Cargo.toml";

#[derive(Debug, Args)]
pub(crate) struct Prepare {
    /// Crates to release, such as `textsearch-brave`
    #[arg(value_name = "CRATE", required_unless_present = "changed")]
    crates: Vec<String>,
    /// All crates with entries under *Unreleased*
    #[arg(long, conflicts_with = "crates")]
    changed: bool,
    /// Which number grows [default: what each changelog needs]
    #[arg(long)]
    bump: Option<Bump>,
    /// Write the files; without it, only the table is printed
    #[arg(long)]
    execute: bool,
}

/// The new text of each changed file, by its path.
type Edits = BTreeMap<String, String>;

/// Commits nothing, so that the diff can be reviewed.
pub(crate) fn prepare(checkout: &Checkout, request: &Prepare) -> Result<()> {
    checkout.require_clean()?;
    let family = checkout.family()?;
    let names = if request.changed { plan::changed(&family) } else { request.crates.clone() };
    let steps = plan::plan(&family, &names, request.bump)?;
    if steps.is_empty() {
        bail!("release: nothing to prepare: no changelog has entries under *Unreleased*");
    }
    let today = jiff::Timestamp::now().to_zoned(jiff::tz::TimeZone::UTC).date().to_string();
    let edits = edits(checkout, &family, &steps, &today)?;
    print!("{}", table(&rows(&family, &steps, &today)?));
    if !request.execute {
        println!("release: nothing was changed; `--execute` does it");
        return Ok(());
    }
    for (path, text) in edits {
        fs::write(checkout.path(&path), text).with_context(|| format!("cannot write {path}"))?;
    }
    update_locks(checkout)
        .context("release: the files are half changed; restore them: git checkout -- .")?;
    println!(
        "release: review `git diff`, commit it, then run `cargo xtask release check` and \
         `cargo xtask release publish`"
    );
    Ok(())
}

fn rows(family: &Family, steps: &[Step], today: &str) -> Result<Vec<[String; 6]>> {
    let headings = ["crate", "from", "to", "tag", "changelog heading", "because of"];
    let mut rows = vec![headings.map(str::to_owned)];
    for step in steps {
        let released = &family.member(&step.name)?.released;
        rows.push([
            step.name.clone(),
            released.as_ref().map_or_else(|| "none".to_owned(), ToString::to_string),
            step.version.to_string(),
            tag(&step.name, &step.version),
            changelog::heading(&step.version, today),
            step.follows.join(", "),
        ]);
    }
    Ok(rows)
}

fn edits(checkout: &Checkout, family: &Family, steps: &[Step], today: &str) -> Result<Edits> {
    let mut root = checkout.read(ROOT)?;
    let mut edits = Edits::new();
    for step in steps {
        let member = family.member(&step.name)?;
        let path = member.package.file("CHANGELOG.md");
        let mut text = checkout.read(&path)?;
        if !step.follows.is_empty() {
            let kind = if step.is_breaking { "**Breaking:** needs" } else { "Needs" };
            let entry = format!("{kind} {}.", step.follows.join(" and "));
            text = changelog::with_entry(&text, &entry);
        }
        edits.insert(path, changelog::released(&text, &step.version, today));
        if step.version != *member.version() {
            let path = member.package.file("Cargo.toml");
            let text = with_version(&checkout.read(&path)?, &step.version)
                .with_context(|| format!("{path} has no version in [package]"))?;
            edits.insert(path, text);
            root = with_requirement(&root, &step.name, &step.version);
            edits.insert(ROOT.to_owned(), root.clone());
        }
    }
    Ok(edits)
}

/// Sets the version in `[package]`, inherited or not.
fn with_version(manifest: &str, version: &Version) -> Option<String> {
    let mut lines: Vec<String> = manifest.lines().map(str::to_owned).collect();
    let start = lines.iter().position(|line| line == "[package]")?;
    let is_version = |line: &String| {
        let rest = line.strip_prefix("version").map(str::trim_start);
        rest.is_some_and(|rest| rest.starts_with(['=', '.']))
    };
    let mut package = lines.iter_mut().skip(start + 1).take_while(|line| !line.starts_with('['));
    *package.find(|line| is_version(line))? = format!("version = \"{version}\"");
    Some(lines.join("\n") + "\n")
}

/// Sets the version in the entry of `[workspace.dependencies]`, if the crate has one. Dependents
/// then require the version that they were tested with.
fn with_requirement(manifest: &str, name: &str, version: &Version) -> String {
    let with_version = |line: &str| {
        let (before, rest) = line.split_once("version = \"")?;
        let (_, after) = rest.split_once('"')?;
        Some(format!("{before}version = \"{version}\"{after}"))
    };
    let start = format!("{name} = {{");
    let lines = manifest.lines().map(|line| {
        let entry = line.starts_with(&start).then(|| with_version(line)).flatten();
        entry.unwrap_or_else(|| line.to_owned())
    });
    lines.collect::<Vec<_>>().join("\n") + "\n"
}

/// Lock files name the versions of crates that are used by their path.
fn update_locks(checkout: &Checkout) -> Result<()> {
    let locks = shell::read(&mut checkout.git(["ls-files", "*Cargo.lock"]))?;
    for lock in locks.lines() {
        if checkout.read(lock)?.contains("name = \"textsearch-") {
            let manifest = Path::new(lock).with_file_name("Cargo.toml");
            let mut update = checkout.cargo("update --workspace --quiet --manifest-path");
            shell::read(update.arg(manifest))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::release::checkout::tests::workspace;
    use crate::release::family::Member;

    fn of_a(execute: bool) -> Prepare {
        Prepare { crates: vec!["a".to_owned()], changed: false, bump: None, execute }
    }

    #[test]
    fn only_execute_changes_files() {
        let (_folder, checkout) = workspace(&[]);
        prepare(&checkout, &of_a(false)).unwrap();
        checkout.require_clean().unwrap();
        prepare(&checkout, &of_a(true)).unwrap();
        let version = checkout.family().unwrap().member("a").unwrap().version().clone();
        assert_eq!(version, Version::new(0, 1, 1));
        // A dry run makes the same checks.
        let error = prepare(&checkout, &of_a(false)).unwrap_err().to_string();
        assert!(error.starts_with("release: the working tree has changes"), "{error}");
    }

    #[test]
    fn the_table_shows_versions_tag_and_heading() {
        let members = vec![
            Member::of("core", &[], "- **Breaking:** `a`.", true),
            Member::of("brave", &["core"], "", true),
            Member::of("html", &[], "- First.", false),
        ];
        let family = Family::new(members).unwrap();
        let steps = plan::plan(&family, &plan::changed(&family), None).unwrap();
        let rows = rows(&family, &steps, "2026-08-01").unwrap();
        let heading = "## 0.2.0 - 2026-08-01";
        assert_eq!(rows[1], ["core", "0.1.0", "0.2.0", "core-v0.2.0", heading, ""]);
        assert_eq!(rows[2], ["brave", "0.1.0", "0.2.0", "brave-v0.2.0", heading, "core 0.2.0"]);
        assert_eq!(rows[3], ["html", "none", "0.1.0", "html-v0.1.0", "## 0.1.0 - 2026-08-01", ""]);
    }

    #[test]
    fn a_follower_says_what_it_needs() {
        let (_folder, checkout) = workspace(&[]);
        let family = checkout.family().unwrap();
        let follows = vec!["b 0.2.0".to_owned(), "c 0.3.0".to_owned()];
        let entry = |is_breaking| {
            let version = Version::new(0, 2, 0);
            let step =
                Step { name: "a".to_owned(), version, follows: follows.clone(), is_breaking };
            let edits = edits(&checkout, &family, &[step], "2026-08-01").unwrap();
            edits["crates/a/CHANGELOG.md"].clone()
        };
        let start = "## 0.2.0 - 2026-08-01\n\n- ";
        let needs = "eeds b 0.2.0 and c 0.3.0.\n- Fixes `a`.\n";
        assert!(entry(true).contains(&format!("{start}**Breaking:** n{needs}")), "{}", entry(true));
        assert!(entry(false).contains(&format!("{start}N{needs}")), "{}", entry(false));
    }

    #[test]
    fn a_version_replaces_the_inherited_one() {
        let manifest = "[package]\nname = \"a\"\nversion.workspace = true\n\n[dependencies]\nversion = \"1\"\n";
        let expected =
            "[package]\nname = \"a\"\nversion = \"0.1.1\"\n\n[dependencies]\nversion = \"1\"\n";
        let version = Version::new(0, 1, 1);
        assert_eq!(with_version(manifest, &version).as_deref(), Some(expected));
        assert_eq!(with_version(expected, &version).as_deref(), Some(expected));
        assert_eq!(
            with_version("[package]\nname = \"a\"\n\n[lib]\nversion = \"1\"\n", &version),
            None
        );
    }

    #[test]
    fn only_the_entry_of_the_crate_gets_the_version() {
        let manifest = "core = { path = \"core\", version = \"0.1.0\" }\n\
                        core-web = { path = \"core-web\", version = \"0.1.0\", features = [] }\n";
        let version = Version::new(0, 2, 0);
        assert_eq!(
            with_requirement(manifest, "core-web", &version),
            "core = { path = \"core\", version = \"0.1.0\" }\n\
             core-web = { path = \"core-web\", version = \"0.2.0\", features = [] }\n"
        );
        assert_eq!(with_requirement(manifest, "kernel", &version), manifest);
    }
}
