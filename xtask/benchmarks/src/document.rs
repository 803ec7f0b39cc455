//! Writes the table into a document, between two marks.

use anyhow::{Context as _, Result};

const BEGIN: &str = "<!-- bench: begin -->";
const END: &str = "<!-- bench: end -->";

pub(crate) fn with_table(document: &str, table: &str) -> Result<String> {
    let (before, rest) = document.split_once(BEGIN).with_context(|| missing(BEGIN))?;
    let (_, after) = rest.split_once(END).with_context(|| missing(END))?;
    Ok(format!("{before}{BEGIN}\n{table}{END}{after}"))
}

fn missing(mark: &str) -> String {
    format!("the document has no line `{mark}`, which tells where the table is")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shell;

    #[test]
    fn only_text_between_the_marks_changes() {
        let document = "before\n<!-- bench: begin -->\nold\n<!-- bench: end -->\nafter\n";
        let expected = "before\n<!-- bench: begin -->\nnew\n<!-- bench: end -->\nafter\n";
        assert_eq!(with_table(document, "new\n").unwrap(), expected);
    }

    #[test]
    fn a_missing_mark_is_named() {
        let error = with_table("<!-- bench: begin -->\n", "new").unwrap_err().to_string();
        assert!(error.contains("no line `<!-- bench: end -->`"), "{error}");
    }

    #[test]
    fn the_document_of_this_project_has_both_marks() {
        let path = shell::root().join("docs/performance.md");
        assert!(with_table(&std::fs::read_to_string(path).unwrap(), "").is_ok());
    }
}
