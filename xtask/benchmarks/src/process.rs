//! Runs the programs that measure, from the root of the workspace.

use std::{
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use anyhow::{Context as _, Result, bail};

pub(crate) fn root() -> PathBuf {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    own.ancestors().nth(2).unwrap_or(own).to_path_buf()
}

/// Holds everything that is not published.
pub(crate) fn output_folder() -> PathBuf {
    let target = std::env::var_os("CARGO_TARGET_DIR");
    target.map_or_else(|| root().join("target"), PathBuf::from).join("bench")
}

/// No word may contain a space.
pub(crate) fn cargo(words: &str) -> Command {
    // Cargo sets `CARGO`: a nested call uses the same toolchain.
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(words.split_whitespace()).current_dir(root());
    command
}

/// Returns standard output; standard error goes to the terminal.
pub(crate) fn read(command: &mut Command) -> Result<String> {
    run(command, Stdio::inherit())
}

/// Standard error, which shows progress, becomes part of the error if the command fails.
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

/// Some build scripts rerun when these variables change, and everything that depends on them would
/// be rebuilt.
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
    fn standard_error_of_a_quiet_command_is_reported() {
        let error = read_quietly(&mut cargo("no-such-command")).unwrap_err().to_string();
        assert!(error.contains("no such command: `no-such-command`"), "{error}");
    }
}
