//! `cargo xtask tools`: the helper programs that the checks need, each at one version.

use anyhow::{Context as _, Result};

use crate::shell;

pub(crate) struct Tool {
    /// Also the name of its program.
    package: &'static str,
    version: &'static str,
}

/// Pinned: a helper's release cannot fail a build that changed nothing.
const TOOLS: &[Tool] = &[Tool { package: "cargo-deny", version: "0.20.2" }];

/// Not in [`TOOLS`]: it takes minutes to build, and only `cargo xtask semver` needs it.
pub(crate) const SEMVER_CHECKS: Tool = Tool { package: "cargo-semver-checks", version: "0.51.0" };

/// Not in [`TOOLS`]: only `cargo xtask ci --full` needs it.
pub(crate) const HACK: Tool = Tool { package: "cargo-hack", version: "0.6.46" };

pub(crate) fn install() -> Result<()> {
    TOOLS.iter().try_for_each(ensure)
}

pub(crate) fn ensure(tool: &Tool) -> Result<()> {
    if installed_version(tool).as_deref() == Some(tool.version) {
        println!("tools: {} {} is installed", tool.package, tool.version);
        return Ok(());
    }
    install_one(tool)
}

fn install_one(tool: &Tool) -> Result<()> {
    // A debug build takes a quarter of the time, and the helper only runs for seconds.
    let mut command = shell::cargo("install --locked --debug");
    command.arg(format!("{}@{}", tool.package, tool.version));
    // The helper's dependencies must not fill a shared target folder.
    command.env_remove("CARGO_TARGET_DIR").env_remove("CARGO_BUILD_TARGET_DIR");
    shell::run(&mut command)
        .with_context(|| format!("{} {} did not install", tool.package, tool.version))
}

/// `None` if the program is missing.
fn installed_version(tool: &Tool) -> Option<String> {
    let subcommand = tool.package.trim_start_matches("cargo-");
    let answer = shell::read(&mut shell::cargo(&format!("{subcommand} --version"))).ok()?;
    version_in(&answer)
}

/// `answer` is like `name 1.2.3`, perhaps with more words.
fn version_in(answer: &str) -> Option<String> {
    answer.split_whitespace().nth(1).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_is_the_word_after_the_name() {
        assert_eq!(version_in("cargo-deny 0.20.2\n").as_deref(), Some("0.20.2"));
        assert_eq!(version_in("cargo-deny 0.20.2 (abc 2026-01-01)").as_deref(), Some("0.20.2"));
        assert_eq!(version_in(""), None);
    }

    #[test]
    fn a_missing_program_has_no_version() {
        let tool = Tool { package: "cargo-no-such-helper", version: "1.0.0" };
        assert_eq!(installed_version(&tool), None);
    }
}
