//! `cargo xtask ci new-connector`: checks that a new connector compiles, is tidy, and fails only
//! tests that its author has to complete.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, ensure};

use super::{name::ConnectorName, template::Template};
use crate::{shell, tidy};

/// A single word would hide a name form that isn't replaced.
const NAME: &str = "new-connector";

/// Failing tests of a new connector must name these.
const LEFT_TO_WRITE: &[&str] = &["tests/it/conformance.rs:", "tests/fixtures/search.json"];

/// Checks against `docs/contributing/writing-a-connector.md`.
pub(crate) fn run() -> Result<()> {
    let workspace = Workspace::make()?;
    shell::run(&mut workspace.cargo("fmt --all --check -- -l"))?;
    shell::run(&mut workspace.cargo("clippy --offline --all-targets -- -D warnings"))?;
    tidy::run_with(&workspace.folder)?;
    let output = workspace.cargo("test --offline --no-fail-fast --tests").output()?;
    check_failures(&String::from_utf8_lossy(&output.stdout))?;
    Template::read(&shell::root().join("xtask/templates/answered"))?
        .write(&workspace.name, &workspace.folder.join(workspace.name.folder()))?;
    shell::read(&mut workspace.cargo("test --offline"))
        .context("the completed connector fails its tests")?;
    Ok(())
}

/// Has this workspace's settings and only the new connector.
struct Workspace {
    folder: PathBuf,
    name: ConnectorName,
}

impl Workspace {
    fn make() -> Result<Self> {
        let (root, name) = (shell::root(), ConnectorName::new(NAME, &[])?);
        let folder = root.join("target/new-connector");
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(folder.join("crates"))?;
        super::write(&name, &root, &folder)?;
        for file in ["Cargo.toml", "Cargo.lock", "clippy.toml", "rustfmt.toml"] {
            std::fs::copy(root.join(file), folder.join(file))
                .with_context(|| format!("cannot copy {file}"))?;
        }
        edit(
            &folder.join("Cargo.toml"),
            &[
                (
                    r#""crates/*", "examples", "xtask", "xtask/benchmarks", "xtask/fuzz""#,
                    r#""crates/*""#,
                ),
                ("path = \"crates", "path = \"../../crates"),
            ],
        )?;
        edit(
            &folder.join(name.folder()).join("Cargo.toml"),
            &[("path = \"..", "path = \"../../../../crates")],
        )?;
        Ok(Self { folder, name })
    }

    /// Shares the target folder with the main workspace.
    fn cargo(&self, words: &str) -> Command {
        let mut command = shell::cargo(words);
        command.current_dir(&self.folder).env("CARGO_TARGET_DIR", shell::root().join("target"));
        command
    }
}

fn edit(file: &Path, replacements: &[(&str, &str)]) -> Result<()> {
    let mut text = std::fs::read_to_string(file)?;
    for (from, to) in replacements {
        ensure!(text.contains(from), "{} does not contain `{from}`", file.display());
        text = text.replace(from, to);
    }
    Ok(std::fs::write(file, text)?)
}

fn check_failures(output: &str) -> Result<()> {
    let failures: Vec<&str> = output.split("\n---- ").skip(1).collect();
    for left in LEFT_TO_WRITE {
        ensure!(failures.iter().any(|text| text.contains(left)), "no failing test names {left}");
    }
    let other = failures.iter().find(|text| !LEFT_TO_WRITE.iter().any(|left| text.contains(left)));
    ensure!(
        other.is_none(),
        "a failing test doesn't name a file to complete: {}",
        other.unwrap_or(&"")
    );
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const ANSWER: &str = "\n---- a stdout ----\ncrates/x/tests/it/conformance.rs:8: write\n";
    const FIXTURE: &str = "\n---- b stdout ----\nput one into tests/fixtures/search.json\n";

    #[test]
    fn failures_that_name_a_file_to_complete_pass() {
        assert!(check_failures(&format!("{ANSWER}{FIXTURE}")).is_ok());
        let error = check_failures(ANSWER).unwrap_err().to_string();
        assert_eq!(error, "no failing test names tests/fixtures/search.json");
    }

    #[test]
    fn other_failures_are_reported() {
        let output = format!("{ANSWER}{FIXTURE}\n---- c stdout ----\nleft: 1, right: 0\n");
        let error = check_failures(&output).unwrap_err().to_string();
        assert!(error.contains("c stdout ----\nleft: 1"), "{error}");
    }
}
