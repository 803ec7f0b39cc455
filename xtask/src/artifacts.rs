//! Paths of built programs, from cargo's messages.

use std::path::PathBuf;

use cargo_metadata::{Message, TargetKind};

/// Warnings and errors stay readable.
pub(crate) const AS_MESSAGES: &str = "--message-format json-render-diagnostics";

/// Source and program of each target, from cargo's messages.
pub(crate) fn built(kind: &TargetKind, messages: &str) -> Vec<(PathBuf, PathBuf)> {
    let mut programs: Vec<_> = Message::parse_stream(messages.as_bytes())
        .filter_map(|message| match message {
            Ok(Message::CompilerArtifact(artifact)) => Some(artifact),
            _ => None,
        })
        .filter(|artifact| artifact.target.kind.contains(kind))
        .filter_map(|artifact| Some((artifact.target.src_path.into(), artifact.executable?.into())))
        .collect();
    programs.sort();
    programs
}
