//! `cargo xtask ci new-crate`: checks that a new connector and a new store compile, are tidy once they
//! are listed, and pass their tests.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context as _, Result, ensure};

use super::{CONNECTOR, Kind, STORE, name::ConnectorName};
use crate::{shell, tidy};

/// A single word would hide a spelling that isn't replaced.
const NAMES: [(Kind, &str); 2] = [(CONNECTOR, "new-connector"), (STORE, "new-store")];

pub(crate) fn run() -> Result<()> {
    let workspace = Workspace::make()?;
    shell::run(&mut workspace.cargo("fmt --all --check -- -l"))?;
    shell::run(&mut workspace.cargo("clippy --all-targets -- -D warnings"))?;
    shell::run(&mut workspace.cargo("test"))?;
    tidy::run_with(&workspace.folder)
}

/// Its texts are read, but it isn't compiled.
const FACADE: &str = "crates/textsearch-sdk";

/// Has this workspace's settings and only the new crates.
struct Workspace {
    folder: PathBuf,
}

impl Workspace {
    fn make() -> Result<Self> {
        let root = shell::root();
        let folder = root.join("target/new-crate");
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(folder.join("crates"))?;
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
        for file in ["Cargo.toml", "README.md", "src/lib.rs"] {
            let file = Path::new(FACADE).join(file);
            fs::create_dir_all(folder.join(&file).parent().unwrap_or(&folder))?;
            fs::copy(root.join(&file), folder.join(&file))
                .with_context(|| format!("cannot copy {}", file.display()))?;
        }
        edit(
            &folder.join("Cargo.toml"),
            &[
                (
                    r#""crates/*", "examples", "xtask", "xtask/benchmarks", "xtask/fuzz""#,
                    r#""crates/textsearch-new-*""#,
                ),
                ("path = \"crates", "path = \"../../crates"),
            ],
        )?;
        for (kind, name) in &NAMES {
            add(kind, &ConnectorName::new(name, None, &[])?, &root, &folder)?;
        }
        Ok(Self { folder })
    }

    /// Shares the target folder with the main workspace.
    fn cargo(&self, words: &str) -> Command {
        let mut command = shell::cargo(words);
        command.current_dir(&self.folder).env("CARGO_TARGET_DIR", shell::root().join("target"));
        command
    }
}

/// Writes the crate and lists it.
fn add(kind: &Kind, name: &ConnectorName, root: &Path, folder: &Path) -> Result<()> {
    super::write(kind, name, root, folder)?;
    let (package, path) = (name.package(), name.folder());
    let entry = format!("[workspace.dependencies]\n{package} = {{ path = \"{path}\" }}\n");
    edit(&folder.join("Cargo.toml"), &[("[workspace.dependencies]\n", &entry)])?;
    let row = format!("|---|---|\n| [`{package}`]({path}) | an invention |\n");
    edit(&folder.join("README.md"), &[("|---|---|\n", &row)])?;
    add_to_facade(&package, &folder.join(FACADE))?;
    edit(&folder.join(path).join("Cargo.toml"), &[("path = \"..", "path = \"../../../../crates")])
}

fn add_to_facade(package: &str, facade: &Path) -> Result<()> {
    let name = package.trim_start_matches("textsearch-");
    let feature = format!("default = []\n{name} = [\"dep:{package}\"]\n");
    edit(&facade.join("Cargo.toml"), &[("default = []\n", &feature)])?;
    let (module, krate) = (name.replace('-', "_"), package.replace('-', "_"));
    let core = "pub use textsearch_core as core;\n";
    let re_export = format!("{core}#[cfg(feature = \"{name}\")]\npub use {krate} as {module};\n");
    edit(&facade.join("src/lib.rs"), &[(core, &re_export)])?;
    let row = format!("|---|---|---|\n| `{name}` | `{package}` | an invention |\n");
    edit(&facade.join("README.md"), &[("|---|---|---|\n", &row)])
}

fn edit(file: &Path, replacements: &[(&str, &str)]) -> Result<()> {
    let mut text = fs::read_to_string(file)?;
    for (from, to) in replacements {
        ensure!(text.contains(from), "{} does not contain `{from}`", file.display());
        text = text.replace(from, to);
    }
    Ok(fs::write(file, text)?)
}
