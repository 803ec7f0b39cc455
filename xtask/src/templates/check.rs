//! `cargo xtask ci templates`: checks that each template makes a crate whose tests pass, outside the
//! workspace.

use std::{fs, path::Path};

use anyhow::{Context as _, Result};

use super::{Answers, Template};
use crate::shell;

pub(crate) fn run() -> Result<()> {
    check("vector-store", "my-vector-store", false)?;
    check("web-connector", "my-keyed-engine", true)?;
    check("web-connector", "my-open-engine", false)
}

fn check(template: &str, project_name: &str, has_key: bool) -> Result<()> {
    let root = shell::root();
    let folder = root.join("target/templates").join(project_name);
    let _ = fs::remove_dir_all(&folder);
    // Two words show a spelling that isn't replaced.
    let answers = Answers { project_name, id: "my-own", type_name: "MyOwn", has_key };
    Template::read(template)?.write(&answers, &folder)?;
    use_this_workspace(&folder.join("Cargo.toml"), &root)?;
    // Shared dependencies keep the versions that this workspace tests.
    fs::copy(root.join("Cargo.lock"), folder.join("Cargo.lock"))?;
    for line in ["fmt", "clippy --all-targets -- -D warnings", "test"] {
        let mut command = shell::cargo(line);
        command.current_dir(&folder).env("CARGO_TARGET_DIR", root.join("target"));
        // As in this workspace's profile, to share compiled dependencies.
        command.env("CARGO_PROFILE_DEV_DEBUG", "0");
        shell::run(&mut command).with_context(|| format!("the template `{template}` fails"))?;
    }
    Ok(())
}

/// Patches our published crates with this workspace's, and makes the crate a separate workspace.
fn use_this_workspace(manifest: &Path, root: &Path) -> Result<()> {
    let crates = root.join("crates");
    let ours = [
        "textsearch-core",
        "textsearch-conformance",
        "textsearch-macros",
        "textsearch-text-analysis",
    ];
    let patch = |name: &&str| format!("{name} = {{ path = {:?} }}\n", crates.join(name));
    let patches: String = ours.iter().map(patch).collect();
    let text = fs::read_to_string(manifest)?;
    fs::write(manifest, format!("{text}\n[workspace]\n\n[patch.crates-io]\n{patches}"))?;
    Ok(())
}
