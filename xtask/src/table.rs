//! Text in columns.

/// Columns are as wide as their widest cell, with two spaces between them. The first row holds the
/// headings.
pub(crate) fn table<R: AsRef<[String]>>(rows: &[R]) -> String {
    let mut widths = Vec::new();
    for row in rows {
        widths.resize(widths.len().max(row.as_ref().len()), 0);
        for (width, cell) in widths.iter_mut().zip(row.as_ref()) {
            *width = (*width).max(cell.chars().count());
        }
    }
    let mut text = String::new();
    for row in rows {
        let cells = row.as_ref().iter().zip(&widths).map(|(cell, width)| format!("{cell:width$}"));
        text += cells.collect::<Vec<_>>().join("  ").trim_end();
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_as_wide_as_their_widest_cell() {
        let rows = [["crate", "needs"], ["brave", ""], ["a", "0.2.0"]];
        let rows = rows.map(|row| row.map(str::to_owned));
        assert_eq!(table(&rows), "crate  needs\nbrave\na      0.2.0\n");
    }
}
