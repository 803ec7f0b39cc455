//! Whether there is text in files, before something is done that is not worth it without: a store replaced, a model asked.

use anyhow::{Context as _, Result, bail};
use textsearch_documents::Chunker;

use super::load::{read_document, read_records};
use crate::{files::SourceFile, json_lines::FieldNames};

/// Whether there is text in any of the files, and whether each that was named can be read: what a server holds is gone
/// before the first of them is stored.
///
/// # Errors
///
/// Where a file that was named cannot be read, and where there is no text at all.
pub(super) fn check_any_text<'a>(
    files: impl Iterator<Item = &'a SourceFile>,
    names: &FieldNames,
) -> Result<()> {
    let mut is_any = false;
    for file in files {
        // One that was found in a folder is left out later, with its reason.
        if file.is_named {
            let has_text = has_text(file, names);
            is_any |= has_text.with_context(|| format!("`{}` cannot be indexed", file.path))?;
        } else if !is_any {
            is_any = has_text(file, names).unwrap_or_default();
        }
    }
    if is_any {
        return Ok(());
    }
    bail!(
        "there is no text in what was named, and --rebuild replaces no store by an empty one: try another PATH"
    )
}

/// Whether there is no text in any of the files for certain: one that cannot be read may have some.
pub(super) fn is_without_text(files: &[SourceFile], names: &FieldNames) -> bool {
    files.iter().all(|file| matches!(has_text(file, names), Ok(false)))
}

fn has_text(file: &SourceFile, names: &FieldNames) -> Result<bool> {
    match file.kind.format() {
        Some(format) => {
            let document = read_document(file, format)?;
            Ok(!Chunker::default().chunk(&document)?.chunks.is_empty())
        }
        // A record without text is an error, which is found when all lines are read.
        None => Ok(read_records(file, names)?.next().is_some()),
    }
}
