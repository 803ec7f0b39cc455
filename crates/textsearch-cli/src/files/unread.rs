//! What is said of files that were skipped.

use std::collections::BTreeMap;

use super::Skipped;
use crate::messages;

/// How many files of a kind are named.
const MOST_NAMES: usize = 3;

/// How many kinds have a message of their own.
const MOST_KINDS: usize = 12;

/// How long an ending may be to be part of a command.
const LONGEST_EXTENSION: usize = 16;

/// Warns of each file that was skipped, and of each kind of files that nothing reads.
pub(crate) fn warn_of(skipped: &[Skipped]) {
    let mut kinds: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for Skipped { path, reason, unread_kind } in skipped {
        match unread_kind {
            Some(kind) => kinds.entry(kind).or_default().push(path),
            None => messages::warn(&format!("`{path}` was skipped: {reason}")),
        }
    }
    for (kind, paths) in kinds.iter().take(MOST_KINDS) {
        messages::warn(&of_kind(kind, paths));
    }
    let files: usize = kinds.values().skip(MOST_KINDS).map(Vec::len).sum();
    if files > 0 {
        let others = kinds.len() - MOST_KINDS;
        messages::warn(&format!("{files} files of {others} other kinds were skipped"));
    }
}

/// Returns why files of a kind that nothing reads are skipped.
pub(super) fn reason_of(kind: &str) -> String {
    if kind.is_empty() {
        return "its name has no ending that says how to read it".to_owned();
    }
    format!("files with the ending .{kind} are not read")
}

fn of_kind(kind: &str, paths: &[&str]) -> String {
    let named = paths.iter().take(MOST_NAMES).map(|path| format!("`{path}`"));
    let names = named.collect::<Vec<_>>().join(", ");
    let more = if paths.len() > MOST_NAMES { ", …" } else { "" };
    let number = paths.len();
    let what = match (number, kind) {
        (1, "") => "1 file without an ending was".to_owned(),
        (_, "") => format!("{number} files without an ending were"),
        (1, _) => format!("1 file with the ending .{kind} was"),
        (_, _) => format!("{number} files with the ending .{kind} were"),
    };
    format!("{what} skipped ({names}{more}): {}", advice(kind))
}

/// Says what would read files with the ending `kind`.
fn advice(kind: &str) -> String {
    let program = match kind {
        "pdf" => Some("pdftotext {} -"),
        "docx" | "odt" | "epub" | "rtf" => Some("pandoc --to plain {}"),
        "doc" => Some("antiword {}"),
        _ => None,
    };
    if let Some(program) = program {
        return format!("try --loader {kind}='{program}'");
    }
    if kind.is_empty() {
        return "try --text-extension '' if they are text, or name them in a file `.ignore`"
            .to_owned();
    }
    // The advice may be copied into a shell, and a stranger may have named the file.
    let is_plain =
        kind.len() <= LONGEST_EXTENSION && kind.chars().all(|one| one.is_ascii_alphanumeric());
    let kind = if is_plain { kind } else { "EXT" };
    format!(
        "try --text-extension {kind} if they are text, --loader {kind}='PROGRAM {{}}' for other formats, or name them in \
         a file `.ignore`"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_counted_with_first_names_and_advice() {
        assert_eq!(
            of_kind("pdf", &["a.pdf", "b.pdf", "c.pdf", "d.pdf"]),
            "4 files with the ending .pdf were skipped (`a.pdf`, `b.pdf`, `c.pdf`, …): try --loader pdf='pdftotext {} -'"
        );
        let one = of_kind("py", &["a.py"]);
        let start = "1 file with the ending .py was skipped (`a.py`): try --text-extension py if";
        assert!(one.starts_with(start), "{one}");
        assert!(of_kind("", &["Makefile"]).starts_with("1 file without an ending was skipped"));
    }

    #[test]
    fn advice_holds_no_shell_syntax_from_names() {
        let advice = advice("x'; reboot #");
        assert!(!advice.contains("reboot") && advice.contains("--text-extension EXT"), "{advice}");
    }
}
