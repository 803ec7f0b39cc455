//! `cargo xtask new-connector NAME`: a crate that compiles and is tidy, and whose tests say what its author writes next.

pub(crate) mod check;
mod name;
mod template;

use std::path::Path;

use anyhow::{Context as _, Result};

use crate::{metadata, shell};
use name::ConnectorName;
use template::Template;

/// Writes the crate of a new connector.
///
/// # Errors
/// If the name is not one or is taken, with what would be right; if a file cannot be read or written. Then nothing is
/// left behind.
pub(crate) fn run(name: &str) -> Result<()> {
    let root = shell::root();
    let taken = metadata::packages()?.into_iter().map(|package| package.name.to_string());
    let name = ConnectorName::new(name, &taken.collect::<Vec<_>>())?;
    write(&name, &root, &root)?;
    println!("{}", what_is_left(&name));
    Ok(())
}

/// Writes the crate into the workspace at `target`, from the template of the workspace at `root`.
fn write(name: &ConnectorName, root: &Path, target: &Path) -> Result<()> {
    let template = Template::read(&root.join("xtask/templates/connector"))?;
    // Written beside its place and then moved there, so that there is all of it or nothing.
    let staged = target.join(format!(".{}.new", name.package()));
    let written = template
        .write(name, &staged)
        .and_then(|()| format(&staged, root))
        .and_then(|()| place(&staged, &target.join(name.folder())));
    if written.is_err() {
        // Whatever went wrong is the better message.
        let _ = std::fs::remove_dir_all(&staged);
    }
    written
}

/// A name that is longer or shorter than the template's moves line breaks.
fn format(folder: &Path, root: &Path) -> Result<()> {
    let mut command = std::process::Command::new("rustfmt");
    command.args(["--edition", "2024", "--config-path"]).arg(root.join("rustfmt.toml"));
    command.args(["src/lib.rs", "tests/it/main.rs"]).current_dir(folder);
    shell::read(&mut command).context("rustfmt is needed: `rustup component add rustfmt`")?;
    Ok(())
}

fn place(staged: &Path, folder: &Path) -> Result<()> {
    anyhow::ensure!(!folder.exists(), "{} exists already", folder.display());
    std::fs::rename(staged, folder).with_context(|| format!("cannot write {}", folder.display()))
}

fn what_is_left(name: &ConnectorName) -> String {
    let (package, folder) = (name.package(), name.folder());
    format!(
        "\
{folder} compiles and is tidy. What is left:

  1. The provider's reference: five places say what to take from it.
       grep -rn 'Reference [1-5] of 5' {folder}/src
  2. The tests: one that fails says what to write.
       cargo test -p {package}
  3. Where it is named, when it works: `[workspace.dependencies]` in Cargo.toml,
     the table of crates in README.md, crates/textsearch-cli/src/web/sources/mod.rs.

The guide is docs/contributing/writing-a-connector.md. Commit Cargo.lock too."
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use tempfile::TempDir;

    fn name() -> ConnectorName {
        ConnectorName::new("my-engine2", &[]).unwrap()
    }

    #[test]
    fn a_crate_is_written_under_its_own_name() {
        let scratch = TempDir::new().unwrap();
        std::fs::create_dir_all(scratch.path().join("crates")).unwrap();
        write(&name(), &shell::root(), scratch.path()).unwrap();
        let folder = scratch.path().join("crates/textsearch-my-engine2");
        let manifest = std::fs::read_to_string(folder.join("Cargo.toml")).unwrap();
        assert!(manifest.contains("name = \"textsearch-my-engine2\""), "{manifest}");
        let library = std::fs::read_to_string(folder.join("src/lib.rs")).unwrap();
        assert!(library.contains("pub use search::MyEngine2TextSearch;"), "{library}");
        let entries = std::fs::read_dir(scratch.path()).unwrap();
        assert_eq!(entries.count(), 1, "something is left beside `crates`");
    }

    #[test]
    fn what_fails_leaves_nothing_behind() {
        let scratch = TempDir::new().unwrap();
        let folder = scratch.path().join("crates/textsearch-my-engine2");
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("mine.txt"), "mine").unwrap();
        let error = write(&name(), &shell::root(), scratch.path()).unwrap_err().to_string();
        assert!(error.ends_with("textsearch-my-engine2 exists already"), "{error}");
        assert_eq!(std::fs::read_dir(scratch.path()).unwrap().count(), 1);
        assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 1, "what was there is changed");
    }

    #[test]
    fn the_author_is_told_what_is_left() {
        let text = what_is_left(&name());
        for words in ["cargo test -p textsearch-my-engine2", "README.md", "sources/mod.rs"] {
            assert!(text.contains(words), "{words}");
        }
    }
}
