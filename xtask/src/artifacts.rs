//! Paths of built programs, from cargo's messages.

use std::{path::PathBuf, process::Command};

use anyhow::{Context as _, Result};
use cargo_metadata::{Message, TargetKind};

use crate::shell;

/// Runs a build of one program, and returns its path.
pub(crate) fn program(build: &mut Command) -> Result<PathBuf> {
    let program = built(&TargetKind::Bin, build)?.into_iter().next_back();
    program.map(|(_, program)| program).context("cargo named no program that it built")
}

/// Runs a build, and returns source and program of each target.
pub(crate) fn built(kind: &TargetKind, build: &mut Command) -> Result<Vec<(PathBuf, PathBuf)>> {
    // Warnings and errors stay readable.
    let messages = shell::read(build.args(["--message-format", "json-render-diagnostics"]))?;
    let mut programs: Vec<_> = Message::parse_stream(messages.as_bytes())
        .filter_map(|message| match message {
            Ok(Message::CompilerArtifact(artifact)) => Some(artifact),
            _ => None,
        })
        .filter(|artifact| artifact.target.kind.contains(kind))
        .filter_map(|artifact| Some((artifact.target.src_path.into(), artifact.executable?.into())))
        .collect();
    programs.sort();
    Ok(programs)
}
