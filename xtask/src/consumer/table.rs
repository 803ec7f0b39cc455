//! The table that `cargo xtask consumer` prints.

use super::build::Build;

#[derive(Debug)]
pub(super) struct Row {
    pub(super) name: &'static str,
    pub(super) build: Build,
    /// Crates of ours with their dependencies, and the most that are allowed.
    pub(super) limit: Option<(usize, usize)>,
    pub(super) complaints: Vec<String>,
}

const NOTE: &str = "\nThese are debug builds in one target folder: a build time excludes crates that an earlier way compiled.\n";

/// As Markdown.
pub(super) fn table(rows: &[Row]) -> String {
    let head = "| Way | Crates compiled | Ours with dependencies | Build, s | Program, MB |\n\
                |---|---|---|---|---|\n";
    let lines = std::iter::once(head.to_owned()).chain(rows.iter().map(line));
    lines.chain([NOTE.to_owned()]).collect()
}

fn line(Row { name, build, limit, .. }: &Row) -> String {
    let limit = limit.map_or_else(|| "–".to_owned(), |(count, most)| format!("{count} of {most}"));
    let (crates, seconds) = (build.crates.len(), build.time.as_secs_f32());
    // Sizes need no more than three digits.
    #[expect(clippy::cast_precision_loss)]
    let megabytes = build.program_bytes as f64 / 1e6;
    format!("| {name} | {crates} | {limit} | {seconds:.1} | {megabytes:.1} |\n")
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_row_has_crates_seconds_and_megabytes() {
        let build = Build {
            crates: [("serde".to_owned(), "1.0.0".to_owned())].into(),
            time: Duration::from_millis(1_250),
            program_bytes: 3_210_000,
            ..Build::default()
        };
        let row = Row { name: "core", build, limit: Some((31, 35)), complaints: Vec::new() };
        let table = table(&[row]);
        let (_, rows) = table.split_once("|---|\n").unwrap();
        assert_eq!(rows, format!("| core | 1 | 31 of 35 | 1.2 | 3.2 |\n{NOTE}"));
    }
}
