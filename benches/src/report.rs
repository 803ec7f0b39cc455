//! All lines that were compared: as a table, as JSON, as charts, and in docs/performance.md.

use std::{fs, path::Path};

use anyhow::{Context as _, Result, ensure};
use serde::{Deserialize, Serialize};

use crate::{
    chart, comparison::Comparison, document, machine, measurement::three_digits, process,
    side::Effort,
};

/// What the last run found, in the folder for what the command makes.
const FILE: &str = "report.json";

/// What one run of the command found.
#[derive(Debug, Serialize, Deserialize)]
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

    /// Adds the lines of the report that was saved before, if this one lacks them, in the order of all lines.
    ///
    /// # Errors
    /// If there is a report that cannot be read, or that another machine or a quick run made.
    pub(crate) fn complete_from_saved(&mut self, order: &[&str]) -> Result<()> {
        let path = process::output_folder().join(FILE);
        if !path.exists() {
            return Ok(());
        }
        let text = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
        let saved = serde_json::from_str(&text).with_context(|| path.display().to_string())?;
        self.complete_from(saved, order)
    }

    fn complete_from(&mut self, saved: Self, order: &[&str]) -> Result<()> {
        ensure!(
            !saved.quick,
            "the figures of the quick run before are worth nothing: measure all lines"
        );
        ensure!(
            saved.machine == self.machine,
            "the lines before were measured on another machine: {}",
            saved.machine
        );
        let lacks = |line: &Comparison| !self.lines.iter().any(|ours| ours.line == line.line);
        let kept: Vec<Comparison> = saved.lines.into_iter().filter(lacks).collect();
        self.lines.extend(kept);
        self.lines.sort_by_key(|line| order.iter().position(|id| *id == line.line));
        Ok(())
    }

    /// The table of ratios.
    pub(crate) fn markdown(&self) -> String {
        let mut text =
            "| | work | ours | beside | ratio | target | |\n|---|---|---|---|---|---|---|\n"
                .to_owned();
        text.extend(self.lines.iter().map(row));
        let turns = turns(&self.lines);
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
        write(&folder.join(FILE), &serde_json::to_string_pretty(self)?)?;
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

/// How many turns were taken, which differs between lines that were not measured in one run.
fn turns(lines: &[Comparison]) -> String {
    let turns = || lines.iter().map(|line| line.turns);
    match (turns().min().unwrap_or(1), turns().max().unwrap_or(1)) {
        (1, 1) => "One turn".to_owned(),
        (least, most) if least == most => format!("Medians of {most} turns"),
        (least, most) => format!("Medians of {least} to {most} turns"),
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

    fn report_of(lines: &[(&str, f64)]) -> Report {
        let mut report = Report::new(Effort::Full, 3);
        let line = |(id, ours): &(&str, f64)| Comparison {
            line: (*id).to_owned(),
            ours: *ours,
            ..comparison()
        };
        report.add(lines.iter().map(line).collect());
        report
    }

    #[test]
    fn lines_measured_before_stay_beside_those_measured_now_in_the_order_of_all() {
        let mut report = report_of(&[("X2", 1.0)]);
        let saved = report_of(&[("X1", 2.0), ("X2", 3.0), ("X3", 4.0)]);
        report.complete_from(saved, &["X1", "X2", "X3"]).unwrap();
        let lines: Vec<_> = report.lines.iter().map(|l| (l.line.as_str(), l.ours)).collect();
        assert_eq!(lines, [("X1", 2.0), ("X2", 1.0), ("X3", 4.0)]);
    }

    #[test]
    fn lines_of_a_quick_run_are_not_taken_over() {
        let mut report = report_of(&[("X2", 1.0)]);
        let saved = Report { quick: true, ..report_of(&[("X1", 2.0)]) };
        let error = report.complete_from(saved, &["X1", "X2"]).unwrap_err().to_string();
        assert!(error.contains("quick run"), "{error}");
    }

    #[test]
    fn lines_of_another_machine_are_not_taken_over() {
        let mut report = report_of(&[("X2", 1.0)]);
        let saved = Report { machine: "another".to_owned(), ..report_of(&[("X1", 2.0)]) };
        let error = report.complete_from(saved, &["X1", "X2"]).unwrap_err().to_string();
        assert!(error.ends_with("on another machine: another"), "{error}");
    }

    #[test]
    fn a_quick_run_says_so() {
        let table = Report::new(Effort::Quick, 1).markdown();
        assert!(table.ends_with("; a quick run, whose figures are worth nothing.\n"));
    }
}
