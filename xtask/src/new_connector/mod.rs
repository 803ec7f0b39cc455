//! `cargo xtask new-connector NAME`: writes a crate of this workspace from `templates/web-connector`.
//! It compiles, is tidy and passes its tests, for an invented engine.

pub(crate) mod check;
mod name;

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context as _, Result};

use crate::{
    metadata, shell,
    templates::{Answers, Template},
};
use name::ConnectorName;

const MANIFEST: &str = include_str!("manifest.toml");

const MAIN: &str =
    "//! Integration tests: the connector over real HTTP on loopback.\n\nmod conformance;\n";

/// Leaves nothing behind on failure.
pub(crate) fn run(name: &str, type_name: Option<&str>) -> Result<()> {
    let root = shell::root();
    let taken = metadata::packages()?.into_iter().map(|package| package.name.to_string());
    let name = ConnectorName::new(name, type_name, &taken.collect::<Vec<_>>())?;
    write(&name, &root, &root)?;
    println!("{}", next_steps(&name));
    Ok(())
}

/// Writes into the workspace at `target`, with the settings of the one at `root`.
fn write(name: &ConnectorName, root: &Path, target: &Path) -> Result<()> {
    // The crate appears completely or not at all.
    let staged = target.join(format!(".{}.new", name.package()));
    let written = write_files(name, &staged)
        .and_then(|()| format(&staged, root))
        .and_then(|()| place(&staged, &target.join(name.folder())));
    if written.is_err() {
        // The first error is the useful one.
        let _ = fs::remove_dir_all(&staged);
    }
    written
}

/// Adapts the template, a crate outside any workspace, to this workspace's rules.
fn write_files(name: &ConnectorName, folder: &Path) -> Result<()> {
    let package = name.package();
    let (id, type_name) = (name.kebab(), name.type_name());
    let answers = Answers { project_name: &package, id, type_name, has_key: true };
    let mut template = Template::read("web-connector")?;
    template.remove(".gitignore");
    template.change("Cargo.toml", |_| MANIFEST.to_owned());
    template.change("src/lib.rs", |text| {
        text.replacen("\")]\n", "\")]\n#![cfg_attr(docsrs, feature(doc_cfg))]\n", 1)
    });
    template.rename("tests/conformance.rs", "tests/it/conformance.rs");
    template.add("tests/it/main.rs", MAIN);
    template.write(&answers, folder)?;
    for licence in ["LICENSE-APACHE", "LICENSE-MIT"] {
        let to = PathBuf::from("../..").join(licence);
        link(&to, &folder.join(licence)).with_context(|| format!("cannot link {licence}"))?;
    }
    Ok(())
}

#[cfg(unix)]
fn link(to: &Path, from: &Path) -> std::io::Result<()> {
    std::os::unix::fs::symlink(to, from)
}

#[cfg(not(unix))]
fn link(to: &Path, from: &Path) -> std::io::Result<()> {
    std::os::windows::fs::symlink_file(to, from)
}

/// The length of the name moves line breaks.
fn format(folder: &Path, root: &Path) -> Result<()> {
    let mut command = Command::new("rustfmt");
    command.args(["--edition", "2024", "--config-path"]).arg(root.join("rustfmt.toml"));
    command.args(["src/lib.rs", "tests/it/main.rs"]).current_dir(folder);
    shell::read(&mut command)
        .context("rustfmt failed; install it with `rustup component add rustfmt`")?;
    Ok(())
}

fn place(staged: &Path, folder: &Path) -> Result<()> {
    anyhow::ensure!(!folder.exists(), "{} already exists", folder.display());
    fs::rename(staged, folder).with_context(|| format!("cannot write {}", folder.display()))
}

fn next_steps(name: &ConnectorName) -> String {
    let (package, folder) = (name.package(), name.folder());
    format!(
        "\
{folder} searches an invented engine. Next steps:

  1. Replace five places by what your engine's reference says:
       grep -n '// [1-5]\\.' {folder}/src/lib.rs
  2. Let `answer` in {folder}/tests/it/conformance.rs respond as your engine does, and run
       cargo test -p {package}
  3. Add the crate to `[workspace.dependencies]` in Cargo.toml and to the table in README.md,
     which `cargo xtask tidy` checks, and to crates/textsearch-cli/src/web/sources/mod.rs.

Guide: docs/contributing/writing-a-connector.md. Commit Cargo.lock too."
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use tempfile::TempDir;

    fn name() -> ConnectorName {
        ConnectorName::new("my-engine2", None, &[]).unwrap()
    }

    #[test]
    fn a_crate_is_written_under_its_name() {
        let scratch = TempDir::new().unwrap();
        fs::create_dir_all(scratch.path().join("crates")).unwrap();
        write(&name(), &shell::root(), scratch.path()).unwrap();
        let folder = scratch.path().join("crates/textsearch-my-engine2");
        let manifest = fs::read_to_string(folder.join("Cargo.toml")).unwrap();
        assert!(manifest.contains("name = \"textsearch-my-engine2\""), "{manifest}");
        let library = fs::read_to_string(folder.join("src/lib.rs")).unwrap();
        assert!(library.contains("pub type MyEngine2TextSearch"), "{library}");
        assert!(library.contains("\"MY_ENGINE2_API_KEY\""), "{library}");
        let entries = fs::read_dir(scratch.path()).unwrap();
        assert_eq!(entries.count(), 1, "there are other entries than `crates`");
    }

    #[test]
    fn a_failure_leaves_nothing_behind() {
        let scratch = TempDir::new().unwrap();
        let folder = scratch.path().join("crates/textsearch-my-engine2");
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("mine.txt"), "mine").unwrap();
        let error = write(&name(), &shell::root(), scratch.path()).unwrap_err().to_string();
        assert!(error.ends_with("textsearch-my-engine2 already exists"), "{error}");
        assert_eq!(fs::read_dir(scratch.path()).unwrap().count(), 1);
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1, "the existing folder changed");
    }

    #[test]
    fn the_next_steps_name_commands_and_files() {
        let text = next_steps(&name());
        for words in ["cargo test -p textsearch-my-engine2", "README.md", "sources/mod.rs"] {
            assert!(text.contains(words), "{words}");
        }
    }
}
