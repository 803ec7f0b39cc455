//! `docs/llms.txt`: the index of the documentation for models, <https://llmstxt.org>.

use std::fs;

use anyhow::Result;

use crate::shell;

pub(crate) const FILE: &str = "docs/llms.txt";
pub(crate) const README: &str = "README.md";
pub(crate) const INDEX: &str = "docs/README.md";

/// Serves files as they are.
const ADDRESS: &str = "https://raw.githubusercontent.com/textsearch-rs/textsearch/main";

pub(crate) fn write() -> Result<()> {
    let read = |path| fs::read_to_string(shell::root().join(path));
    Ok(fs::write(shell::root().join(FILE), text(&read(README)?, &read(INDEX)?))?)
}

/// Returns the title and the first paragraph of `readme`, and the lists of documents of `index`.
pub(crate) fn text(readme: &str, index: &str) -> String {
    let mut paragraphs = readme.split("\n\n");
    let title = paragraphs.next().unwrap_or_default();
    let summary = paragraphs.next().unwrap_or_default().replace('\n', " ").replace("**", "");
    let mut text = format!("{title}\n\n> {summary}\n");
    for section in index.split("\n## ").skip(1) {
        let heading = section.lines().next().unwrap_or_default();
        let entries: Vec<String> = section.lines().filter_map(entry).collect();
        if !entries.is_empty() {
            text += &format!("\n## {heading}\n\n{}\n", entries.join("\n"));
        }
    }
    text
}

/// Returns the entry of a line such as `- [Filters](guide/filters.md): syntax.`
fn entry(line: &str) -> Option<String> {
    let (name, rest) = line.strip_prefix("- [")?.split_once("](")?;
    let (target, notes) = rest.split_once(')')?;
    let path = match target.strip_prefix("../") {
        Some(path) => path.to_owned(),
        None => format!("docs/{target}"),
    };
    let notes = notes.trim_start_matches([':', ' ']);
    path.ends_with(".md").then(|| format!("- [{name}]({ADDRESS}/{path}): {notes}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_documents_become_sections() {
        let index = "# Index\n\n## Guide\n\n- [Filters](guide/filters.md): syntax.\n- [Old](old): none.\n\n\
                     ## Table\n\n| a |\n\n## More\n\n- [Format](../crates/x/F.md) of files.\n";
        let expected = format!(
            "# name\n\n> One two.\n\n## Guide\n\n- [Filters]({ADDRESS}/docs/guide/filters.md): syntax.\n\n\
             ## More\n\n- [Format]({ADDRESS}/crates/x/F.md): of files.\n"
        );
        assert_eq!(text("# name\n\n**One**\ntwo.\n\nRest", index), expected);
    }
}
