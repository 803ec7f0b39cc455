//! Text in columns.

/// Columns are as wide as their widest cell, with two spaces between them. The first row holds the
/// headings.
pub(crate) fn table<const N: usize>(rows: &[[String; N]]) -> String {
    let mut widths = [0; N];
    for row in rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.chars().count());
        }
    }
    let mut text = String::new();
    for row in rows {
        let cells = row.iter().zip(widths).map(|(cell, width)| format!("{cell:width$}"));
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
