//! `cargo xtask ci new-connector`: checks that a new connector compiles, is tidy once it is listed, and
//! passes its tests.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context as _, Result, ensure};

use super::name::ConnectorName;
use crate::{shell, tidy};

/// A single word would hide a spelling that isn't replaced.
const NAME: &str = "new-connector";

pub(crate) fn run() -> Result<()> {
    let workspace = Workspace::make()?;
    shell::run(&mut workspace.cargo("fmt --all --check -- -l"))?;
    shell::run(&mut workspace.cargo("clippy --offline --all-targets -- -D warnings"))?;
    shell::run(&mut workspace.cargo("test --offline"))?;
    tidy::run_with(&workspace.folder)
}

/// Has this workspace's settings and only the new connector.
struct Workspace {
    folder: PathBuf,
}

impl Workspace {
    fn make() -> Result<Self> {
        let (root, name) = (shell::root(), ConnectorName::new(NAME, None, &[])?);
        let folder = root.join("target/new-connector");
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(folder.join("crates"))?;
        super::write(&name, &root, &folder)?;
        for file in [
            "Cargo.toml",
            "Cargo.lock",
            "LICENSE-APACHE",
            "LICENSE-MIT",
            "README.md",
            "clippy.toml",
            "rustfmt.toml",
        ] {
            fs::copy(root.join(file), folder.join(file))
                .with_context(|| format!("cannot copy {file}"))?;
        }
        let package = name.package();
        let entry = format!("{package} = {{ path = \"{}\" }}", name.folder());
        edit(
            &folder.join("Cargo.toml"),
            &[
                (
                    r#""crates/*", "examples", "xtask", "xtask/benchmarks", "xtask/fuzz""#,
                    r#""crates/*""#,
                ),
                ("path = \"crates", "path = \"../../crates"),
                ("[workspace.dependencies]\n", &format!("[workspace.dependencies]\n{entry}\n")),
            ],
        )?;
        let row = format!("| [`{package}`]({}) | an invented engine |\n", name.folder());
        edit(&folder.join("README.md"), &[("|---|---|\n", &format!("|---|---|\n{row}"))])?;
        edit(
            &folder.join(name.folder()).join("Cargo.toml"),
            &[("path = \"..", "path = \"../../../../crates")],
        )?;
        Ok(Self { folder })
    }

    /// Shares the target folder with the main workspace.
    fn cargo(&self, words: &str) -> Command {
        let mut command = shell::cargo(words);
        command.current_dir(&self.folder).env("CARGO_TARGET_DIR", shell::root().join("target"));
        command
    }
}

fn edit(file: &Path, replacements: &[(&str, &str)]) -> Result<()> {
    let mut text = fs::read_to_string(file)?;
    for (from, to) in replacements {
        ensure!(text.contains(from), "{} does not contain `{from}`", file.display());
        text = text.replace(from, to);
    }
    Ok(fs::write(file, text)?)
}
