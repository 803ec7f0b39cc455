//! Runs the offline example programs, so that they keep working.

use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result};
use cargo_metadata::TargetKind;

use crate::artifacts;
use crate::shell;

pub(crate) fn run_offline() -> Result<()> {
    // A single package would select other features and rebuild its dependencies.
    let mut build = shell::cargo("build --workspace --examples");
    artifacts::built(&TargetKind::Example, &mut build)?
        .iter()
        .try_for_each(|(source, program)| run_one(source, program))
}

fn run_one(source: &Path, program: &Path) -> Result<()> {
    let name = source.file_name().unwrap_or_default().to_string_lossy();
    let text = std::fs::read_to_string(source)
        .with_context(|| format!("cannot read {}", source.display()))?;
    let needs = needs(&text).with_context(|| format!("{name} has no line `//! Needs: ...`"))?;
    if !is_offline(needs) {
        println!("     {name} is left out, it needs {needs}");
        return Ok(());
    }
    let mut command = Command::new(program);
    shell::read(command.current_dir(shell::root()).stdin(Stdio::null()))?;
    println!("     {name} ran");
    Ok(())
}

/// From the line `//! Needs: ...` in its header.
pub(crate) fn needs(source: &str) -> Option<&str> {
    let mut header = source.lines().take_while(|line| line.starts_with("//!"));
    header.find_map(|line| line.strip_prefix("//! Needs:")).map(str::trim)
}

fn is_offline(needs: &str) -> bool {
    needs.split(|c: char| !c.is_alphanumeric()).any(|word| word == "offline")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_examples_marked_offline_run() {
        let offline = "//! Shows: a search.\n//! Needs: nothing, runs offline.\nfn main() {}";
        assert!(is_offline(needs(offline).unwrap()));
        assert!(!is_offline(needs("//! Needs: `BRAVE_API_KEY`").unwrap()));
    }

    #[test]
    fn a_header_ends_at_the_first_line_of_code() {
        assert_eq!(needs("//! Shows: a search.\nfn main() {}\n//! Needs: nothing"), None);
    }
}
