//! `cargo xtask new-connector NAME` and `new-store NAME`: write a crate of this workspace from a folder
//! in `templates`. It compiles, is tidy and passes its tests.

mod kind;
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
pub(crate) use kind::{CONNECTOR, Kind, STORE};
use name::ConnectorName;

/// Leaves nothing behind on failure.
pub(crate) fn run(kind: &Kind, name: &str, type_name: Option<&str>) -> Result<()> {
    let root = shell::root();
    let taken = metadata::packages()?.into_iter().map(|package| package.name.to_string());
    let name = ConnectorName::new(name, type_name, &taken.collect::<Vec<_>>())?;
    write(kind, &name, &root, &root)?;
    println!("{}", next_steps(kind, &name));
    Ok(())
}

/// Writes into the workspace at `target`, with the settings of the one at `root`.
fn write(kind: &Kind, name: &ConnectorName, root: &Path, target: &Path) -> Result<()> {
    // The crate appears completely or not at all.
    let staged = target.join(format!(".{}.new", name.package()));
    let written = write_files(kind, name, &staged)
        .and_then(|()| format(&staged, root))
        .and_then(|()| place(&staged, &target.join(name.folder())));
    if written.is_err() {
        // The first error is the useful one.
        let _ = fs::remove_dir_all(&staged);
    }
    written
}

/// Adapts the template, a crate outside any workspace, to this workspace's rules.
fn write_files(kind: &Kind, name: &ConnectorName, folder: &Path) -> Result<()> {
    let package = name.package();
    let (id, type_name) = (name.kebab(), name.type_name());
    let answers = Answers { project_name: &package, id, type_name, has_key: true };
    let mut template = Template::read(kind.template)?;
    template.remove(".gitignore");
    template.change("Cargo.toml", |_| kind.manifest.to_owned());
    template.change("src/lib.rs", |text| {
        text.replacen("\")]\n", "\")]\n#![cfg_attr(docsrs, feature(doc_cfg))]\n", 1)
    });
    for test in kind.tests {
        template.rename(&format!("tests/{test}.rs"), &format!("tests/it/{test}.rs"));
    }
    template.add("tests/it/main.rs", &kind.main_of_tests());
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

fn next_steps(kind: &Kind, name: &ConnectorName) -> String {
    kind.next_steps.replace("{package}", &name.package()).replace("{folder}", &name.folder())
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
        write(&CONNECTOR, &name(), &shell::root(), scratch.path()).unwrap();
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
        let error =
            write(&CONNECTOR, &name(), &shell::root(), scratch.path()).unwrap_err().to_string();
        assert!(error.ends_with("textsearch-my-engine2 already exists"), "{error}");
        assert_eq!(fs::read_dir(scratch.path()).unwrap().count(), 1);
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1, "the existing folder changed");
    }

    #[test]
    fn a_store_is_written_with_both_suites() {
        let scratch = TempDir::new().unwrap();
        fs::create_dir_all(scratch.path().join("crates")).unwrap();
        write(&STORE, &name(), &shell::root(), scratch.path()).unwrap();
        let tests = scratch.path().join("crates/textsearch-my-engine2/tests");
        let main = fs::read_to_string(tests.join("it/main.rs")).unwrap();
        assert!(main.contains("mod conformance;\n"), "{main}");
        assert!(main.contains("mod vector_conformance;\n"), "{main}");
        let suite = fs::read_to_string(tests.join("it/vector_conformance.rs")).unwrap();
        assert!(suite.contains("MyEngine2Store::open("), "{suite}");
        assert_eq!(fs::read_dir(&tests).unwrap().count(), 1, "there are tests beside `it`");
    }

    #[test]
    fn the_next_steps_name_commands_and_files() {
        for (kind, file) in [(CONNECTOR, "web/sources/mod.rs"), (STORE, "src/corpus/store")] {
            let text = next_steps(&kind, &name());
            for words in ["cargo test -p textsearch-my-engine2", "README.md", file] {
                assert!(text.contains(words), "{words}");
            }
        }
    }
}
