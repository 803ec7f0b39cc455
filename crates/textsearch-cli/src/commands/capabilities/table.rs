//! Formats capabilities for a terminal or a README.

use crate::web::Capabilities;

const HEADINGS: [&str; 7] = [
    "Connector",
    "Crate",
    "Search",
    "Filter operators",
    "Most results",
    "Total count",
    "Needs a key",
];

pub(super) fn markdown(all: &[Capabilities]) -> String {
    let mut lines = vec![row(HEADINGS.map(str::to_owned)), row(HEADINGS.map(|_| "---".to_owned()))];
    lines.extend(all.iter().map(|one| row(marked(cells(one)))));
    lines.concat()
}

/// Returns a block per connector, because a terminal is too narrow for the table.
pub(super) fn plain(all: &[Capabilities]) -> String {
    let blocks = all.iter().map(|one| {
        let lines = HEADINGS.iter().zip(cells(one));
        lines.map(|(heading, cell)| format!("{heading:<18}{cell}\n")).collect::<String>()
    });
    blocks.collect::<Vec<_>>().join("\n")
}

fn row(cells: [String; 7]) -> String {
    format!("| {} |\n", cells.join(" | "))
}

fn marked(cells: [String; 7]) -> [String; 7] {
    let [name, crate_name, rest @ ..] = cells;
    let [searches, filters, max_results, total_count, needs_key] = rest;
    let (name, crate_name) = (format!("`{name}`"), format!("`{crate_name}`"));
    [name, crate_name, searches, filters, max_results, total_count, needs_key]
}

fn cells(one: &Capabilities) -> [String; 7] {
    [
        one.name.clone(),
        one.crate_name.to_owned(),
        one.searches.join("; "),
        one.filters.join(", "),
        one.max_results.map_or_else(|| "no limit".to_owned(), |max| max.to_string()),
        yes_or_no(one.total_count),
        yes_or_no(one.needs_key),
    ]
}

fn yes_or_no(answer: bool) -> String {
    let word = if answer { "yes" } else { "no" };
    word.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn brave() -> Capabilities {
        Capabilities {
            name: "brave".to_owned(),
            crate_name: "textsearch-brave",
            searches: vec!["web".to_owned()],
            filters: vec!["eq", "and"],
            max_results: Some(200),
            total_count: false,
            needs_key: true,
        }
    }

    #[test]
    fn a_connector_is_one_row_of_the_markdown_table() {
        let table = markdown(&[brave()]);
        let last = table.lines().last().unwrap();
        assert_eq!(last, "| `brave` | `textsearch-brave` | web | eq, and | 200 | no | yes |");
        assert_eq!(table.lines().count(), 3);
    }

    #[test]
    fn a_connector_is_one_block_on_a_terminal() {
        let text = plain(&[brave(), brave()]);
        assert!(text.starts_with("Connector         brave\nCrate             textsearch-brave\n"));
        assert_eq!(text.lines().count(), 15);
    }
}
