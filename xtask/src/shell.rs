//! Runs other programs from the root of the workspace. The benchmarks include this file.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, bail};

pub(crate) fn root() -> PathBuf {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    own.ancestors().find(|folder| folder.join("Cargo.lock").exists()).unwrap_or(own).to_path_buf()
}

/// No word may contain a space.
pub(crate) fn cargo(words: &str) -> Command {
    // Cargo sets `CARGO`: a nested call uses the same toolchain.
    let program = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(program);
    command.args(words.split_whitespace()).current_dir(root()).stdin(Stdio::null());
    leave_out_package_variables(&mut command);
    command
}

/// Some build scripts, such as that of *ring*, rerun when these variables change, and all their
/// dependents would be rebuilt whenever a nested cargo follows a direct call.
fn leave_out_package_variables(command: &mut Command) {
    for (name, _) in std::env::vars_os() {
        let text = name.to_string_lossy();
        if text.starts_with("CARGO_PKG_") || text.starts_with("CARGO_MANIFEST_") {
            command.env_remove(name);
        }
    }
}

/// Output goes to the terminal.
pub(crate) fn run(command: &mut Command) -> Result<()> {
    let line = display(command);
    println!("     {line}");
    let status = command.status().with_context(|| format!("`{line}` did not start"))?;
    if !status.success() {
        bail!("`{line}` failed with {status}");
    }
    Ok(())
}

/// Returns standard output. If the program fails, its error output is in the message.
pub(crate) fn read(command: &mut Command) -> Result<String> {
    let line = display(command);
    let output = command.output().with_context(|| format!("`{line}` did not start"))?;
    if !output.status.success() {
        let complaint = String::from_utf8_lossy(&output.stderr);
        bail!("`{line}` failed with {}\n{}", output.status, complaint.trim_end());
    }
    String::from_utf8(output.stdout)
        .with_context(|| format!("`{line}` wrote text that is not UTF-8"))
}

/// As a user would type it.
fn display(command: &Command) -> String {
    let environment = command.get_envs().filter_map(|(name, value)| {
        Some(format!("{}={:?}", name.to_string_lossy(), value?.to_string_lossy()))
    });
    let program = Path::new(command.get_program()).file_stem().unwrap_or_default();
    let words = std::iter::once(program)
        .chain(command.get_args())
        .map(|word| word.to_string_lossy().into_owned());
    environment.chain(words).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_shown_as_typed() {
        let mut command = Command::new("/somewhere/cargo");
        command.args(["doc", "--no-deps"]).env("RUSTDOCFLAGS", "-D warnings");
        assert_eq!(display(&command), r#"RUSTDOCFLAGS="-D warnings" cargo doc --no-deps"#);
    }

    #[test]
    fn a_nested_cargo_gets_no_package_variables() {
        // Cargo sets this for tests.
        assert!(std::env::var_os("CARGO_PKG_NAME").is_some());
        let command = cargo("build");
        let removed = |variable: &str| {
            command.get_envs().any(|(name, value)| name == variable && value.is_none())
        };
        assert!(removed("CARGO_PKG_NAME") && removed("CARGO_MANIFEST_DIR"));
    }

    #[test]
    fn a_failed_command_is_named_with_its_error_output() {
        let error = read(&mut cargo("no-such-subcommand")).unwrap_err().to_string();
        assert!(error.contains("cargo no-such-subcommand` failed"), "{error}");
        assert!(error.contains("no such command"), "{error}");
    }
}
