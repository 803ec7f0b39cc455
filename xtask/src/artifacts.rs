//! The programs that cargo built, as its messages name them.

use std::path::PathBuf;

use serde::Deserialize;

use crate::metadata::Target;

/// What makes cargo print its messages; warnings and errors stay readable.
pub(crate) const AS_MESSAGES: &str = "--message-format json-render-diagnostics";

/// What cargo prints for each thing that it built; other messages lack these fields.
#[derive(Debug, Deserialize)]
struct Artifact {
    target: Target,
    executable: Option<PathBuf>,
}

/// Source and program of each target of this kind (`bin`, `example`) in cargo's messages, one JSON object a line.
pub(crate) fn built(kind: &str, messages: &str) -> Vec<(PathBuf, PathBuf)> {
    let mut programs: Vec<_> = messages
        .lines()
        .filter_map(|line| serde_json::from_str::<Artifact>(line).ok())
        .filter(|artifact| artifact.target.is(kind))
        .filter_map(|artifact| Some((artifact.target.src_path, artifact.executable?)))
        .collect();
    programs.sort();
    programs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_of_a_kind_are_found_among_cargos_messages() {
        let messages = r#"
            {"reason":"compiler-artifact","target":{"kind":["lib"],"src_path":"/a/lib.rs"},"executable":null}
            {"reason":"compiler-artifact","target":{"kind":["example"],"src_path":"/a/02.rs"},"executable":"/t/02"}
            {"reason":"compiler-artifact","target":{"kind":["bin"],"src_path":"/a/main.rs"},"executable":"/t/main"}
            {"reason":"compiler-artifact","target":{"kind":["example"],"src_path":"/a/01.rs"},"executable":"/t/01"}
            {"reason":"build-finished","success":true}"#;
        let sources = |kind| {
            let found = built(kind, messages).into_iter();
            found.map(|(source, _)| source.to_string_lossy().into_owned()).collect::<Vec<_>>()
        };
        assert_eq!(sources("example"), ["/a/01.rs", "/a/02.rs"]);
        assert_eq!(sources("bin"), ["/a/main.rs"]);
    }
}
