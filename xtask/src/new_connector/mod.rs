//! `cargo xtask new-connector NAME`: writes a crate that compiles and is tidy. Its failing tests
//! tell the author what to write next.

pub(crate) mod check;
mod name;
mod template;

use std::path::Path;

use anyhow::{Context as _, Result};

use crate::{metadata, shell};
use name::ConnectorName;
use template::Template;

/// Leaves nothing behind on failure.
pub(crate) fn run(name: &str) -> Result<()> {
    let root = shell::root();
    let taken = metadata::packages()?.into_iter().map(|package| package.name.to_string());
    let name = ConnectorName::new(name, &taken.collect::<Vec<_>>())?;
    write(&name, &root, &root)?;
    println!("{}", next_steps(&name));
    Ok(())
}

/// Writes into the workspace at `target`, from the template in the one at `root`.
fn write(name: &ConnectorName, root: &Path, target: &Path) -> Result<()> {
    let template = Template::read(&root.join("xtask/templates/connector"))?;
    // The crate appears completely or not at all.
    let staged = target.join(format!(".{}.new", name.package()));
    let written = template
        .write(name, &staged)
        .and_then(|()| format(&staged, root))
        .and_then(|()| place(&staged, &target.join(name.folder())));
    if written.is_err() {
        // The first error is the useful one.
        let _ = std::fs::remove_dir_all(&staged);
    }
    written
}

/// The length of the name moves line breaks.
fn format(folder: &Path, root: &Path) -> Result<()> {
    let mut command = std::process::Command::new("rustfmt");
    command.args(["--edition", "2024", "--config-path"]).arg(root.join("rustfmt.toml"));
    command.args(["src/lib.rs", "tests/it/main.rs"]).current_dir(folder);
    shell::read(&mut command)
        .context("rustfmt failed; install it with `rustup component add rustfmt`")?;
    Ok(())
}

fn place(staged: &Path, folder: &Path) -> Result<()> {
    anyhow::ensure!(!folder.exists(), "{} already exists", folder.display());
    std::fs::rename(staged, folder).with_context(|| format!("cannot write {}", folder.display()))
}

fn next_steps(name: &ConnectorName) -> String {
    let (package, folder) = (name.package(), name.folder());
    format!(
        "\
{folder} compiles and is tidy. Next steps:

  1. Fill in five places from the provider's reference:
       grep -rn 'Reference [1-5] of 5' {folder}/src
  2. Fix the failing tests. Each one says what to write:
       cargo test -p {package}
  3. When it works, add it to `[workspace.dependencies]` in Cargo.toml,
     the table of crates in README.md, and crates/textsearch-cli/src/web/sources/mod.rs.

Guide: docs/contributing/writing-a-connector.md. Commit Cargo.lock too."
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
    fn a_crate_is_written_under_its_name() {
        let scratch = TempDir::new().unwrap();
        std::fs::create_dir_all(scratch.path().join("crates")).unwrap();
        write(&name(), &shell::root(), scratch.path()).unwrap();
        let folder = scratch.path().join("crates/textsearch-my-engine2");
        let manifest = std::fs::read_to_string(folder.join("Cargo.toml")).unwrap();
        assert!(manifest.contains("name = \"textsearch-my-engine2\""), "{manifest}");
        let library = std::fs::read_to_string(folder.join("src/lib.rs")).unwrap();
        assert!(library.contains("pub use search::MyEngine2TextSearch;"), "{library}");
        let entries = std::fs::read_dir(scratch.path()).unwrap();
        assert_eq!(entries.count(), 1, "there are other entries than `crates`");
    }

    #[test]
    fn a_failure_leaves_nothing_behind() {
        let scratch = TempDir::new().unwrap();
        let folder = scratch.path().join("crates/textsearch-my-engine2");
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("mine.txt"), "mine").unwrap();
        let error = write(&name(), &shell::root(), scratch.path()).unwrap_err().to_string();
        assert!(error.ends_with("textsearch-my-engine2 already exists"), "{error}");
        assert_eq!(std::fs::read_dir(scratch.path()).unwrap().count(), 1);
        assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 1, "the existing folder changed");
    }

    #[test]
    fn the_next_steps_name_commands_and_files() {
        let text = next_steps(&name());
        for words in ["cargo test -p textsearch-my-engine2", "README.md", "sources/mod.rs"] {
            assert!(text.contains(words), "{words}");
        }
    }
}
