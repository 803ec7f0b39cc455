//! `cargo xtask ci new-connector`: what the command writes compiles, is tidy, and fails only where its author has work.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, ensure};

use super::{name::ConnectorName, template::Template};
use crate::{shell, tidy};

/// Two words: a name in its simplest form would hide a form that is not replaced.
const NAME: &str = "new-connector";

/// What a failed test of a new connector names, for its author to write.
const LEFT_TO_WRITE: &[&str] = &["tests/it/conformance.rs:", "tests/fixtures/search.json"];

/// Makes a connector in a workspace of its own and checks it.
///
/// # Errors
/// If it is not as `docs/contributing/writing-a-connector.md` promises.
pub(crate) fn run() -> Result<()> {
    let workspace = Workspace::make()?;
    shell::run(&mut workspace.cargo("fmt --all --check -- -l"))?;
    shell::run(&mut workspace.cargo("clippy --offline --all-targets -- -D warnings"))?;
    tidy::run_with(&workspace.folder)?;
    let output = workspace.cargo("test --offline --no-fail-fast --tests").output()?;
    only_what_is_left_fails(&String::from_utf8_lossy(&output.stdout))?;
    Template::read(&shell::root().join("xtask/templates/answered"))?
        .write(&workspace.name, &workspace.folder.join(workspace.name.folder()))?;
    shell::read(&mut workspace.cargo("test --offline"))
        .context("it does not pass when its author has written what is left")?;
    Ok(())
}

/// A workspace with the settings of this one and the new connector alone.
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

    /// A cargo command in this workspace; what is built is shared with the other.
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

/// Looks at what each failed test printed.
fn only_what_is_left_fails(output: &str) -> Result<()> {
    let failures: Vec<&str> = output.split("\n---- ").skip(1).collect();
    for left in LEFT_TO_WRITE {
        ensure!(
            failures.iter().any(|text| text.contains(left)),
            "no test fails for want of {left}"
        );
    }
    let other = failures.iter().find(|text| !LEFT_TO_WRITE.iter().any(|left| text.contains(left)));
    ensure!(other.is_none(), "a test does not say what to write: {}", other.unwrap_or(&""));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const ANSWER: &str = "\n---- a stdout ----\ncrates/x/tests/it/conformance.rs:8: write\n";
    const FIXTURE: &str = "\n---- b stdout ----\nput one into tests/fixtures/search.json\n";

    #[test]
    fn failed_tests_that_say_what_to_write_are_expected() {
        assert!(only_what_is_left_fails(&format!("{ANSWER}{FIXTURE}")).is_ok());
        let error = only_what_is_left_fails(ANSWER).unwrap_err().to_string();
        assert_eq!(error, "no test fails for want of tests/fixtures/search.json");
    }

    #[test]
    fn any_other_failed_test_is_shown() {
        let output = format!("{ANSWER}{FIXTURE}\n---- c stdout ----\nleft: 1, right: 0\n");
        let error = only_what_is_left_fails(&output).unwrap_err().to_string();
        assert!(error.contains("c stdout ----\nleft: 1"), "{error}");
    }
}
