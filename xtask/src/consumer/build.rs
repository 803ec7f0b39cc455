//! Builds and runs one program, and says what cargo compiled for it.

use std::collections::BTreeSet;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use cargo_metadata::Message;

use crate::shell;

/// Lets the crate `cc` print the compiler's command lines. Assembly goes through the same compiler.
const SHOW_COMMANDS: &str = "CC_ENABLE_DEBUG_OUTPUT";

const ENDINGS_OF_C: &[&str] = &[".c", ".cc", ".cpp", ".cxx"];

#[derive(Debug, Default)]
pub(super) struct Build {
    /// Identifiers of the crates in the graph, also of build scripts and macros, with the program.
    pub(super) crates: BTreeSet<String>,
    /// Those whose build scripts compile C or C++.
    pub(super) with_c: BTreeSet<String>,
    pub(super) time: Duration,
    pub(super) program: PathBuf,
    pub(super) program_bytes: u64,
}

/// Runs cargo with `words` in `folder`, and then the program that it built.
pub(super) fn run(words: &str, folder: &Path, target: &Path) -> Result<Build> {
    let mut command = shell::cargo(words);
    command.args(["--quiet", "--message-format", "json-render-diagnostics"]);
    command.current_dir(folder).env("CARGO_TARGET_DIR", target).env(SHOW_COMMANDS, "1");
    let build = build(&mut command)?;
    shell::run(Command::new(&build.program).current_dir(folder))?;
    Ok(build)
}

fn build(command: &mut Command) -> Result<Build> {
    let start = Instant::now();
    let mut cargo = command.stdout(Stdio::piped()).spawn().context("cargo did not start")?;
    let output = cargo.stdout.take().context("cargo has no output")?;
    let mut build = Build::default();
    for message in Message::parse_stream(BufReader::new(output)) {
        match message.context("cargo's messages changed")? {
            Message::CompilerArtifact(artifact) => {
                build.crates.insert(artifact.package_id.repr);
                build.program = artifact
                    .executable
                    .map_or(build.program, cargo_metadata::camino::Utf8PathBuf::into_std_path_buf);
            }
            Message::BuildScriptExecuted(script) => {
                let output = script.out_dir.with_file_name("output");
                if std::fs::read_to_string(output).is_ok_and(|output| compiles_c(&output)) {
                    build.with_c.insert(script.package_id.repr);
                }
            }
            _ => {}
        }
    }
    ensure!(cargo.wait()?.success(), "cargo failed");
    build.time = start.elapsed();
    let about = std::fs::metadata(&build.program).context("cargo built no program")?;
    build.program_bytes = about.len();
    Ok(build)
}

/// `output` is a build script's. Its other commands ask which compiler it is.
fn compiles_c(output: &str) -> bool {
    let commands = output.lines().filter(|line| line.starts_with("running: "));
    let mut compiled = commands.filter(|line| line.contains(" \"-c\""));
    compiled.any(|line| {
        let mut words = line.split_whitespace().map(|word| word.trim_matches('"'));
        words.any(|word| ENDINGS_OF_C.iter().any(|ending| word.ends_with(ending)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn assembly_is_not_c() {
        let output =
            |source| format!("OPT_LEVEL = Some(0)\nrunning: \"cc\" \"-O0\" \"-c\" \"{source}\"\n");
        assert!(compiles_c(&output("crypto/poly.c")) && compiles_c(&output("src/a.cpp")));
        assert!(!compiles_c(&output("src/arch/x86_64.s")));
        assert!(!compiles_c("cargo:rerun-if-changed=windows.c\n"));
        assert!(!compiles_c("running: \"cc\" \"-E\" \"detect_compiler_family.c\"\n"));
    }
}
