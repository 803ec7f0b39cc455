//! Runs the programs that measure, from the root of the workspace.

use std::{
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use anyhow::{Context as _, Result, bail};

/// The root of the workspace, regardless of the current folder.
pub(crate) fn root() -> PathBuf {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    own.ancestors().nth(2).unwrap_or(own).to_path_buf()
}

/// The folder for all output that is not published.
pub(crate) fn output_folder() -> PathBuf {
    let target = std::env::var_os("CARGO_TARGET_DIR");
    target.map_or_else(|| root().join("target"), PathBuf::from).join("bench")
}

/// A cargo command from a line of words; no word may contain a space.
pub(crate) fn cargo(words: &str) -> Command {
    // Cargo sets `CARGO` to its own path, so a nested call uses the same toolchain.
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(words.split_whitespace()).current_dir(root());
    command
}

/// Runs a command and returns its standard output; standard error goes to the terminal.
///
/// # Errors
/// Returns an error if the program cannot be started or fails.
pub(crate) fn read(command: &mut Command) -> Result<String> {
    run(command, Stdio::inherit())
}

/// Like [`read`], for a command that shows progress on standard error. If the command fails, that
/// output is part of the error.
///
/// # Errors
/// As [`read`].
pub(crate) fn read_quietly(command: &mut Command) -> Result<String> {
    run(command, Stdio::piped())
}

fn run(command: &mut Command, complaints: Stdio) -> Result<String> {
    let line = format!("{command:?}");
    leave_out_package_variables(command);
    let output = command
        .stdin(Stdio::null())
        .stderr(complaints)
        .output()
        .with_context(|| format!("{line} did not start"))?;
    if !output.status.success() {
        let complaints = String::from_utf8_lossy(&output.stderr);
        bail!("{line} failed with {}\n{}", output.status, complaints.trim_end());
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Removes cargo's variables about this package from a nested cargo's environment. Some build
/// scripts rerun when these variables change, and everything that depends on them would be rebuilt.
fn leave_out_package_variables(command: &mut Command) {
    for (name, _) in std::env::vars_os() {
        let text = name.to_string_lossy();
        if text.starts_with("CARGO_PKG_") || text.starts_with("CARGO_MANIFEST_") {
            command.env_remove(name);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn complaints_of_a_quiet_command_are_in_its_error() {
        let error = read_quietly(&mut cargo("no-such-command")).unwrap_err().to_string();
        assert!(error.contains("no such command: `no-such-command`"), "{error}");
    }
}
