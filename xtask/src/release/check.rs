//! `cargo xtask release check`: checks what would be published.

use std::{env, fs, path::PathBuf, process::Command};

use anyhow::{Context as _, Result, bail};

use super::checkout::Checkout;
use super::state::State;
use crate::{semver, shell, table::table, tidy};

/// In each package. `cargo xtask tidy` compares the texts of the licences.
const REQUIRED: &[&str] =
    &["CHANGELOG.md", "Cargo.toml", "LICENSE-APACHE", "LICENSE-MIT", "README.md"];

/// Crates.io takes 10 MB; every user downloads the package.
const LARGEST: u64 = 400_000;

/// Cheapest failure first.
pub(crate) fn check(checkout: &Checkout, no_verify: bool) -> Result<()> {
    // Metadata of the registry, READMEs, licences.
    tidy::run()?;
    let state = checkout.state()?;
    require_heading(&state)?;
    package(checkout, &state, no_verify)?;
    check_packages(checkout, &state)?;
    semver::run(checkout, None)
}

/// # Errors
/// If the newest heading of a release isn't the version of the manifests. Before the first release, there
/// may be no such heading.
fn require_heading(state: &State) -> Result<()> {
    let newest = state.newest_heading();
    if newest.map_or(state.released.is_some(), |newest| *newest != state.version) {
        bail!(
            "release: the newest release in the changelogs is {}, but the manifest says {}",
            newest.map_or_else(|| "none".to_owned(), ToString::to_string),
            state.version
        );
    }
    Ok(())
}

/// Cargo builds each package against the other packages, not against the workspace, with all
/// features, as docs.rs does.
fn package(checkout: &Checkout, state: &State, no_verify: bool) -> Result<()> {
    if !no_verify {
        forget_packages(checkout, state)?;
    }
    let mut command = checkout.cargo("package --allow-dirty --all-features");
    command.env("CARGO_TARGET_DIR", checkout.path("target")).args(named(state));
    if no_verify {
        command.arg("--no-verify");
    }
    shell::run(&mut command)
}

fn named(state: &State) -> impl Iterator<Item = &str> {
    state.members.iter().flat_map(|member| ["--package", &member.package.name])
}

/// Deletes what an earlier check unpacked and built. Cargo takes a package of the same version for
/// the same package, and would build the others against its old code.
fn forget_packages(checkout: &Checkout, state: &State) -> Result<()> {
    let mut clean = checkout.cargo("clean --quiet");
    clean.env("CARGO_TARGET_DIR", checkout.path("target")).args(named(state));
    shell::read(&mut clean)?;
    let home = env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(env::home_dir()?.join(".cargo")));
    let sources = home.context("cargo has no home")?.join("registry/src");
    // The folder of a registry on disk, such as the one with our packages, starts with a dash.
    for registry in fs::read_dir(sources).into_iter().flatten().flatten() {
        if registry.file_name().to_string_lossy().starts_with('-') {
            fs::remove_dir_all(registry.path())?;
        }
    }
    Ok(())
}

/// Prints files and size of each package.
fn check_packages(checkout: &Checkout, state: &State) -> Result<()> {
    let mut rows = vec![["crate", "files", "kB packed"].map(str::to_owned)];
    let mut complaints = Vec::new();
    for member in &state.members {
        let name = &member.package.name;
        let archive = checkout.path(format!("target/package/{name}-{}.crate", state.version));
        let bytes = fs::metadata(&archive).with_context(|| archive.display().to_string())?.len();
        let list = shell::read(Command::new("tar").arg("-tzf").arg(archive))?;
        let files: Vec<&str> =
            list.lines().filter_map(|path| Some(path.split_once('/')?.1)).collect();
        let problems = package_complaints(&files, bytes);
        complaints.extend(problems.iter().map(|problem| format!("release: {name} {problem}")));
        let [count, size] = [files.len().to_string(), bytes.div_ceil(1000).to_string()];
        rows.push([name.to_string(), count, size]);
    }
    print!("{}", table(&rows));
    if !complaints.is_empty() {
        bail!("{}", complaints.join("\n"));
    }
    Ok(())
}

/// Names missing files, unwanted files and excess size.
fn package_complaints(files: &[&str], bytes: u64) -> Vec<String> {
    let missing = REQUIRED.iter().filter(|name| !files.contains(name));
    let missing = missing.map(|name| format!("lacks {name}"));
    // Unit tests below `src` are modules, which `cargo test` of the package compiles.
    let is_unwanted = |name: &&&str| {
        name.starts_with("benches/") || name.starts_with("tests/") || name.contains("fixtures/")
    };
    let unwanted = files.iter().filter(is_unwanted);
    let unwanted = unwanted.map(|name| format!("has {name}, which users don't need"));
    let size = (bytes > LARGEST).then(|| format!("has {bytes} bytes, more than {LARGEST}"));
    missing.chain(unwanted).chain(size).collect()
}

#[cfg(test)]
mod tests {
    use cargo_metadata::semver::Version;

    use super::*;

    #[test]
    fn changelogs_and_manifests_agree() {
        let released = "## 0.1.0 - 2026-07-01\n";
        require_heading(&State::new(None, &[("core", "")])).unwrap();
        require_heading(&State::new(None, &[("core", released), ("html", "")])).unwrap();
        let unlogged = State::new(Some(Version::new(0, 1, 0)), &[("core", "")]);
        let error = require_heading(&unlogged).unwrap_err().to_string();
        let newest = "release: the newest release in the changelogs is";
        assert_eq!(error, format!("{newest} none, but the manifest says 0.1.0"));
        let newer = State::new(None, &[("core", "## 0.2.0 - 2026-08-01\n"), ("html", released)]);
        let error = require_heading(&newer).unwrap_err().to_string();
        assert_eq!(error, format!("{newest} 0.2.0, but the manifest says 0.1.0"));
    }

    #[test]
    fn a_complete_package_is_fine() {
        let files = [REQUIRED, &["src/filter/tests/mod.rs"]].concat();
        assert_eq!(package_complaints(&files, LARGEST), Vec::<String>::new());
    }

    #[test]
    fn missing_unwanted_and_large_files_are_named() {
        let files = [&REQUIRED[1..], &["src/fixtures/a.json", "tests/a.rs"]].concat();
        assert_eq!(
            package_complaints(&files, LARGEST + 1),
            [
                "lacks CHANGELOG.md",
                "has src/fixtures/a.json, which users don't need",
                "has tests/a.rs, which users don't need",
                "has 400001 bytes, more than 400000",
            ]
        );
    }
}
