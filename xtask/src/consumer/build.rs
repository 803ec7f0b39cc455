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
    /// Name and version of each crate in the graph, also of build scripts and macros, without the
    /// program itself.
    pub(super) crates: BTreeSet<(String, String)>,
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
    let mut own = BTreeSet::new();
    for message in Message::parse_stream(BufReader::new(output)) {
        match message.context("cargo's messages changed")? {
            Message::CompilerArtifact(artifact) => {
                let package = name_and_version(&artifact.package_id.repr);
                if let Some(program) = artifact.executable {
                    own.insert(package.clone());
                    build.program = program.into_std_path_buf();
                }
                build.crates.insert(package);
            }
            Message::BuildScriptExecuted(script) => {
                let output = script.out_dir.with_file_name("output");
                if std::fs::read_to_string(output).is_ok_and(|output| compiles_c(&output)) {
                    build.with_c.insert(name_and_version(&script.package_id.repr).0);
                }
            }
            _ => {}
        }
    }
    ensure!(cargo.wait()?.success(), "cargo failed");
    build.crates.retain(|package| !own.contains(package));
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

/// From an identifier such as `registry+https://host/index#name@1.2.3` or `path+file:///name#1.2.3`.
fn name_and_version(id: &str) -> (String, String) {
    let (source, package) = id.rsplit_once('#').unwrap_or(("", id));
    let folder = source.rsplit('/').next().unwrap_or_default();
    let (name, version) = package.split_once('@').unwrap_or((folder, package));
    (name.to_owned(), version.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_crate_is_known_by_name_and_version() {
        for (id, name, version) in [
            ("registry+https://index.example/crates#serde@1.0.2", "serde", "1.0.2"),
            (
                "path+file:///packages/textsearch-core-0.1.0#textsearch-core@0.1.0",
                "textsearch-core",
                "0.1.0",
            ),
            ("path+file:///programs/core#0.1.0", "core", "0.1.0"),
        ] {
            assert_eq!(name_and_version(id), (name.to_owned(), version.to_owned()));
        }
    }

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
