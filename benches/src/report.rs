//! All lines that were compared: as a table, as JSON, as charts, and in docs/performance.md.

use std::{fs, path::Path};

use anyhow::{Context as _, Result};
use serde::Serialize;

use crate::{
    chart, comparison::Comparison, document, machine, measurement::three_digits, process,
    side::Effort,
};

/// What one run of the command found.
#[derive(Debug, Serialize)]
pub(crate) struct Report {
    /// Whether the figures are worth something.
    quick: bool,
    turns: usize,
    machine: String,
    lines: Vec<Comparison>,
}

impl Report {
    pub(crate) fn new(effort: Effort, turns: usize) -> Self {
        Self {
            quick: effort == Effort::Quick,
            turns,
            machine: machine::describe(),
            lines: Vec::new(),
        }
    }

    pub(crate) fn add(&mut self, lines: Vec<Comparison>) {
        self.lines.extend(lines);
    }

    /// The table of ratios.
    pub(crate) fn markdown(&self) -> String {
        let mut text =
            "| | work | ours | beside | ratio | target | |\n|---|---|---|---|---|---|---|\n"
                .to_owned();
        text.extend(self.lines.iter().map(row));
        let turns = if self.turns == 1 {
            "One turn".to_owned()
        } else {
            format!("Medians of {} turns", self.turns)
        };
        let worth = if self.quick { "; a quick run, whose figures are worth nothing" } else { "" };
        format!("{text}\n{turns} on {}{worth}.\n", self.machine)
    }

    /// Writes table and charts into the build folder.
    ///
    /// # Errors
    /// If a file cannot be written.
    pub(crate) fn save(&self) -> Result<()> {
        let folder = process::output_folder();
        fs::create_dir_all(&folder)?;
        write(&folder.join("report.json"), &serde_json::to_string_pretty(self)?)?;
        self.draw(&folder)?;
        println!("bench: table and charts are in {}", folder.display());
        Ok(())
    }

    /// Puts the table into docs/performance.md, and the charts beside the other images.
    ///
    /// # Errors
    /// If a file cannot be written, or the document has no place for the table.
    pub(crate) fn publish(&self) -> Result<()> {
        let docs = process::root().join("docs");
        let path = docs.join("performance.md");
        let text = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
        write(&path, &document::with_table(&text, &self.markdown())?)?;
        self.draw(&docs.join("images"))
    }

    fn draw(&self, folder: &Path) -> Result<()> {
        let charts = [
            ("targets.svg", chart::targets(&self.lines)?),
            ("throughput.svg", chart::throughput(&self.lines)?),
        ];
        charts.iter().try_for_each(|(name, drawing)| match drawing {
            Some(drawing) => write(&folder.join(name), drawing),
            None => Ok(()),
        })
    }
}

fn row(line: &Comparison) -> String {
    let beside = line
        .other
        .as_ref()
        .map_or_else(String::new, |other| format!("{}: {}", other.by, line.unit.show(other.value)));
    let ratio = line.ratio.map_or_else(String::new, three_digits);
    let Comparison { line: id, work, target, .. } = line;
    let ours = line.unit.show(line.ours);
    let verdict = match line.is_met() {
        None => "",
        Some(true) => "met",
        Some(false) => "**missed**",
    };
    format!("| {id} | {work} | {ours} | {beside} | {ratio} | {target} | {verdict} |\n")
}

fn write(path: &Path, text: &str) -> Result<()> {
    fs::write(path, text).with_context(|| path.display().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{comparison::Figure, measurement::Unit};

    fn comparison() -> Comparison {
        Comparison {
            line: "X1".to_owned(),
            work: "some work".to_owned(),
            measured: "work".to_owned(),
            ours: 2e-6,
            unit: Unit::Seconds,
            other: Some(Figure { by: "peer 1.0".to_owned(), value: 1e-4 }),
            ratio: Some(50.0),
            is_ratio: true,
            target: "at least 60 × the speed".to_owned(),
            reached: Some(0.83),
            turns: 3,
        }
    }

    #[test]
    fn a_row_shows_both_sides_the_ratio_and_the_verdict() {
        let mut report = Report::new(Effort::Full, 3);
        report.add(vec![comparison()]);
        let table = report.markdown();
        let row = "| X1 | some work | 2.00 µs | peer 1.0: 100 µs | 50.0 | at least 60 × the speed | **missed** |\n";
        assert!(table.contains(row), "{table}");
        assert!(table.contains("\nMedians of 3 turns on "), "{table}");
    }

    #[test]
    fn a_quick_run_says_so() {
        let table = Report::new(Effort::Quick, 1).markdown();
        assert!(table.ends_with("; a quick run, whose figures are worth nothing.\n"));
    }
}
