//! Jupyter notebooks, in the
//! [format](https://nbformat.readthedocs.io/en/latest/format_description.html) since version 4.

use serde::Deserialize;

use super::{ReadError, ReadLimits};
use crate::{Document, DocumentFormat, Locator};

/// Each cell repeats it.
const MAX_LANGUAGE_BYTES: usize = 32;

#[derive(Deserialize)]
struct Notebook {
    cells: Vec<Cell>,
    #[serde(default)]
    metadata: Metadata,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Metadata {
    language_info: LanguageInfo,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct LanguageInfo {
    name: String,
}

/// Outputs are left out: images, long tables, and what the next run replaces.
#[derive(Deserialize)]
struct Cell {
    cell_type: String,
    source: Source,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Source {
    Text(String),
    Lines(Vec<String>),
}

/// Makes Markdown of it, with code in fenced blocks.
pub(super) fn read(
    json: &str,
    limits: &ReadLimits,
    document: &mut Document,
) -> Result<(), ReadError> {
    let notebook: Notebook = serde_json::from_str(json).map_err(ReadError::damaged)?;
    let mut language = notebook.metadata.language_info.name;
    language.retain(|c| c.is_ascii_alphanumeric());
    language.truncate(MAX_LANGUAGE_BYTES);
    document.format = DocumentFormat::Markdown;
    for (index, cell) in notebook.cells.into_iter().enumerate() {
        let text = match cell.source {
            Source::Text(text) => text,
            Source::Lines(lines) => lines.concat(),
        };
        let text = text.trim_end();
        if text.is_empty() {
            continue;
        }
        let locator = Locator::Fragment(format!("cell={}", index + 1));
        match cell.cell_type.as_str() {
            "code" => {
                let fence = fence(text);
                document.push_section(locator, &format!("{fence}{language}\n{text}\n{fence}\n\n"));
            }
            _ => document.push_section(locator, &format!("{text}\n\n")),
        }
        limits.check_text(document.text.len())?;
    }
    Ok(())
}

/// Longer than any in the code.
fn fence(code: &str) -> String {
    let longest =
        code.lines().map(|line| line.trim_start().bytes().take_while(|b| *b == b'`').count());
    "`".repeat(longest.max().unwrap_or(0).max(2) + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Chunker;

    #[test]
    fn cells_are_located_and_outputs_left_out() {
        let json = r##"{"nbformat": 4, "metadata": {"language_info": {"name": "python"}}, "cells": [
            {"cell_type": "markdown", "source": ["# Title\n", "Words."]},
            {"cell_type": "code", "source": "print('```')", "outputs": [{"text": "secret"}]}]}"##;
        let mut document = Document::plain_text("a", "");
        read(json, &ReadLimits::default(), &mut document).unwrap();
        assert_eq!(document.text, "# Title\nWords.\n\n```python\nprint('```')\n```\n\n");
        let chunked = Chunker::default().chunk(&document).unwrap();
        let anchors: Vec<_> = chunked.chunks.iter().map(|chunk| chunk.anchor.as_deref()).collect();
        assert_eq!(anchors, [Some("cell=1"), Some("cell=2")]);
        assert_eq!(chunked.chunks[1].heading_path, ["Title"]);
    }

    #[test]
    fn notebook_without_cells_is_damaged() {
        let mut document = Document::plain_text("a", "");
        let error = read("{}", &ReadLimits::default(), &mut document).unwrap_err();
        assert!(matches!(error, ReadError::Damaged(_)), "{error}");
    }
}
