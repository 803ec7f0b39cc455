//! Reads real files, and compares with the text that other programs find in them.

use std::{path::Path, process::Command};

use anyhow::{Context as _, Result, ensure};
use serde_json::Value;
use tempfile::TempDir;

use crate::{program::Program, python::PythonEnvironment, shell};

/// Debian packages with PDF, EPUB, HTML in many languages and encodings, PostScript and Texinfo.
const PACKAGES: &[&str] = &[
    "asymptote-doc",
    "auto-multiple-choice-doc-pdf",
    "debian-faq",
    "debian-policy",
    "developers-reference",
    "docbook-xsl-doc-pdf",
    "gnuplot-doc",
    "graphviz-doc",
    "groff",
    "installation-guide-amd64",
    "live-manual-epub",
    "live-manual-pdf",
    "maint-guide",
    "maxima-doc",
    "octave-doc",
    "pari-doc",
    "r-doc-pdf",
    "ubuntu-packaging-guide-epub",
    "ubuntu-packaging-guide-pdf",
    "why3-doc-pdf",
    "xfig-doc",
];

/// The program's exit code.
const SOME_FILES_FAILED: i32 = 5;

/// Of the files that hold text.
const MIN_SHARE: f64 = 0.95;

pub(super) fn run() -> Result<()> {
    for program in ["pdftotext", "pandoc", "soffice", "/usr/bin/time"] {
        let missing =
            || format!("install poppler-utils, pandoc, libreoffice-nogui and time: no {program}");
        shell::read(Command::new("which").arg(program)).with_context(missing)?;
    }
    let folder = TempDir::new()?;
    unpack(folder.path())?;
    let own = shell::root().join("xtask/integration/documents");
    let environment = PythonEnvironment::with_requirements(&own)?;
    // The time of an unoptimized build says nothing.
    let program = Program::build("--release")?;
    let mut check = Command::new(environment.python());
    shell::run(check.arg(own.join("check.py")).arg(program.path()).arg(folder.path()))?;
    index(&program, folder.path())
}

/// As a user without rights does.
fn unpack(folder: &Path) -> Result<()> {
    let mut download = Command::new("apt-get");
    shell::run(download.current_dir(folder).args(["--quiet", "download"]).args(PACKAGES))
        .context("this needs Debian's packages: try `apt-get update`")?;
    for entry in folder.read_dir()? {
        let package = entry?.path();
        shell::run(Command::new("dpkg").arg("-x").arg(&package).arg(folder.join("files")))?;
        std::fs::remove_file(package)?;
    }
    Ok(())
}

fn index(program: &Program, folder: &Path) -> Result<()> {
    let store = folder.join("documents.index");
    let mut command = program.command("index");
    command.arg(folder.join("files")).arg("--store").arg(store).args(["--output", "json"]);
    let output = command.output().context("textsearch did not start")?;
    // Some of the files have only images.
    ensure!(matches!(output.status.code(), Some(0 | SOME_FILES_FAILED)), "{}", output.status);
    let report: Value = serde_json::from_slice(&output.stdout)?;
    let number = |name: &str| report.get(name).and_then(Value::as_f64).unwrap_or(f64::NAN);
    let unread = |name: &str| {
        let files = report.get(name).and_then(Value::as_array).into_iter().flatten();
        files.filter(|file| holds_text(file)).count() as f64
    };
    let read = number("added");
    let all = read + unread("failed") + unread("skipped");
    println!("     {read} of {all} files with text indexed in {} s", number("seconds"));
    ensure!(read / all >= MIN_SHARE, "below {MIN_SHARE}: {report}");
    Ok(())
}

/// Whether a skipped file may be read: it is no image and no link.
fn holds_text(file: &Value) -> bool {
    let reason = file.get("reason").and_then(Value::as_str).unwrap_or_default();
    !reason.contains("not documents") && !reason.contains("not followed")
}
