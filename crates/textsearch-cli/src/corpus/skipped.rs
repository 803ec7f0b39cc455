//! Warnings about skipped files and files without text.

use std::{cmp::Reverse, collections::BTreeMap, path::Path};

use textsearch_documents::{
    Tally,
    ingest::{FieldRole, IngestReport, JsonLinesConfig, RecordError, SkipReason, Skipped},
};

use crate::{arguments::ReadingArguments, messages, output::counted};

/// Maximum number of files named per kind.
const MAX_NAMES: usize = 3;

/// Maximum number of kinds named in a message.
const MAX_KINDS: usize = 12;

/// Longest file extension that advice repeats in a command.
const LONGEST_EXTENSION: usize = 16;

const WITHOUT_TEXT: &str = "nothing is stored of such a file; check what its --loader prints, or name it in a file `.ignore`";

/// The paths of the skipped files, by file extension.
type Kinds<'a> = Vec<(&'a str, Vec<&'a str>)>;

pub(crate) fn warn_of_report(report: &IngestReport, reading: &ReadingArguments) {
    warn_of(&report.skipped);
    if report.has_dropped_fields {
        messages::warn(
            "the records hold objects with many different fields: filters can name only some of them",
        );
    }
    warn_of_empty(&report.files_without_text, "file", WITHOUT_TEXT);
    let advice = match &reading.text_field {
        Some(field) => format!("the field `{field}` is blank in them; try another --text-field"),
        None => format!(
            "none of the fields {} holds any; try --text-field FIELD",
            JsonLinesConfig::TEXT_FIELDS.join(", ")
        ),
    };
    warn_of_empty(&report.records_without_text, "record", &advice);
}

fn warn_of_empty(tally: &Tally, what: &str, advice: &str) {
    if tally.count == 0 {
        return;
    }
    let has = if tally.count == 1 { "has" } else { "have" };
    let more = if tally.count > tally.first.len() { ", …" } else { "" };
    let what = counted(tally.count as u64, what);
    let ids = first_names(&tally.first);
    messages::warn(&format!("{what} {has} no text ({ids}{more}): {advice}"));
}

pub(crate) fn reason_of(reason: &SkipReason) -> String {
    match reason {
        SkipReason::Record { reason: record, .. } => match of_record(record) {
            Some(advice) => format!("{reason}: {advice}"),
            None => reason.to_string(),
        },
        _ => reason.to_string(),
    }
}

fn of_record(reason: &RecordError) -> Option<String> {
    match reason {
        RecordError::NoText(_) => Some("try --text-field FIELD".to_owned()),
        RecordError::DuplicateId(_) => Some("try --id-field with a field that differs".to_owned()),
        RecordError::MissingField { role, .. } => {
            let role = match role {
                FieldRole::Id => "id",
                FieldRole::Text => "text",
                FieldRole::Name => "name",
                _ => "link",
            };
            Some(format!("try --{role}-field with one of them"))
        }
        _ => None,
    }
}

/// Warns about each failed file, each kind of file that nothing reads, and links. Counts files that aren't
/// documents.
pub(crate) fn warn_of(skipped: &[Skipped]) {
    let mut kinds: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    let mut not_documents: BTreeMap<&str, usize> = BTreeMap::new();
    let mut links: Vec<&str> = Vec::new();
    for Skipped { path, reason, .. } in skipped {
        match reason {
            SkipReason::Unreadable(error) if error.is_unsupported_format() => {
                // A loader never sees the files in an archive.
                let archive = path.split('#').next().unwrap_or(path);
                kinds.entry(extension_of(archive)).or_default().push(path);
            }
            SkipReason::NotADocument(extension) => {
                *not_documents.entry(extension).or_default() += 1;
            }
            SkipReason::Link => links.push(path),
            SkipReason::Limit(reason) => messages::warn(&format!("`{path}`: {reason}")),
            _ => messages::warn(&format!("`{path}` failed: {}", reason_of(reason))),
        }
    }
    if !links.is_empty() {
        messages::warn(&of_links(&links));
    }
    if !not_documents.is_empty() {
        messages::say(&of_not_documents(&not_documents));
    }
    let (readable, unknown): (Kinds<'_>, Kinds<'_>) = kinds
        .iter()
        .map(|(kind, paths)| (kind.as_str(), paths.clone()))
        .partition(|(kind, _)| loader(kind).is_some());
    readable.iter().for_each(|(kind, paths)| messages::warn(&of_kind(kind, paths)));
    match unknown.as_slice() {
        [] => {}
        [(kind, paths)] => messages::warn(&of_kind(kind, paths)),
        kinds => messages::warn(&of_kinds(kinds)),
    }
}

/// Returns the beginning of a message, such as `2 files without an ending were skipped`.
fn were_skipped(number: usize, what: &str, which: &str) -> String {
    let were = if number == 1 { "was" } else { "were" };
    format!("{}{which} {were} skipped", counted(number as u64, what))
}

fn of_links(paths: &[&str]) -> String {
    format!(
        "{} ({}): links in folders are not followed; try another PATH for what they lead to",
        were_skipped(paths.len(), "link", ""),
        first_names(paths)
    )
}

fn of_not_documents(numbers: &BTreeMap<&str, usize>) -> String {
    let skipped = were_skipped(numbers.values().sum(), "non-document file", "");
    let counts: Vec<(usize, &str)> =
        numbers.iter().map(|(kind, number)| (*number, *kind)).collect();
    format!("{skipped}: {}", first_counts(&counts))
}

fn first_counts(counts: &[(usize, &str)]) -> String {
    let named = counts.iter().take(MAX_KINDS).map(|(count, kind)| match *kind {
        "" => format!("{count} without an ending"),
        kind => format!("{count} .{kind}"),
    });
    let more = if counts.len() > MAX_KINDS { ", …" } else { "" };
    named.collect::<Vec<_>>().join(", ") + more
}

fn first_names(names: &[impl AsRef<str>]) -> String {
    let named = names.iter().take(MAX_NAMES).map(|name| format!("`{}`", name.as_ref()));
    let more = if names.len() > MAX_NAMES { ", …" } else { "" };
    named.collect::<Vec<_>>().join(", ") + more
}

fn extension_of(path: &str) -> String {
    let extension = Path::new(path).extension();
    extension.map(|extension| extension.to_string_lossy().to_lowercase()).unwrap_or_default()
}

fn of_kind(kind: &str, paths: &[&str]) -> String {
    let which = match kind {
        "" => " without an ending".to_owned(),
        kind => format!(" with the ending .{kind}"),
    };
    let skipped = were_skipped(paths.len(), "file", &which);
    format!("{skipped} ({}): {}", first_names(paths), advice(kind))
}

/// Describes the skipped files of several kinds, the most frequent kind first.
fn of_kinds(kinds: &[(&str, Vec<&str>)]) -> String {
    let mut counts: Vec<(usize, &str)> =
        kinds.iter().map(|(kind, paths)| (paths.len(), *kind)).collect();
    counts.sort_by_key(|(count, kind)| (Reverse(*count), *kind));
    let files = counts.iter().map(|(count, _)| count).sum();
    let skipped = were_skipped(files, "file", " with unknown endings");
    format!("{skipped} ({}): {}", first_counts(&counts), advice("EXT"))
}

/// Returns the `--loader` argument for files with the extension `kind`.
pub(crate) fn loader(kind: &str) -> Option<String> {
    let program = match kind {
        "djvu" => "djvutxt {}",
        "doc" => "antiword {}",
        "ps" => "ps2ascii {}",
        "rtf" => "pandoc --to plain {}",
        _ => return None,
    };
    Some(format!("--loader {kind}='{program}'"))
}

fn advice(kind: &str) -> String {
    if let Some(loader) = loader(kind) {
        return format!("try {loader}");
    }
    // Users may paste the advice into a shell, and a stranger may have named the file.
    let is_plain = (1..=LONGEST_EXTENSION).contains(&kind.len())
        && kind.chars().all(|c| c.is_ascii_alphanumeric());
    let kind = if is_plain { kind } else { "EXT" };
    format!(
        "nothing here reads their format; try --loader {kind}='PROGRAM {{}}' with a program that prints their text, or \
         name them in a file `.ignore`"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_counted_with_first_names_and_advice() {
        assert_eq!(
            of_kind("doc", &["a.doc", "b.doc", "c.doc", "d.doc"]),
            "4 files with the ending .doc were skipped (`a.doc`, `b.doc`, `c.doc`, …): try --loader doc='antiword {}'"
        );
        let sentence = of_kind("xyz", &["a.xyz"]);
        let start = "1 file with the ending .xyz was skipped (`a.xyz`): nothing here reads";
        assert!(sentence.starts_with(start), "{sentence}");
        assert!(of_kind("", &["core"]).starts_with("1 file without an ending was skipped"));
    }

    #[test]
    fn several_unknown_kinds_share_one_message() {
        let kinds = [("", vec!["core"]), ("mod", vec!["a.mod"]), ("xyz", vec!["a.xyz", "b.xyz"])];
        assert_eq!(
            of_kinds(&kinds),
            "4 files with unknown endings were skipped (2 .xyz, 1 without an ending, 1 .mod): nothing here reads their \
             format; try --loader EXT='PROGRAM {}' with a program that prints their text, or name them in a file `.ignore`"
        );
    }

    #[test]
    fn advice_holds_no_shell_syntax_from_names() {
        let advice = advice("x'; reboot #");
        assert!(!advice.contains("reboot") && advice.contains("--loader EXT="), "{advice}");
    }
}
