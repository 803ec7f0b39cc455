//! All compared lines: as a table, as JSON, as charts, and in docs/performance.md.

use std::{fs, path::Path};

use anyhow::{Context as _, Result, ensure};
use serde::{Deserialize, Serialize};

use crate::{
    chart,
    comparison::{Comparison, Row},
    document, machine,
    measurement::three_digits,
    side::Effort,
};

const FILE: &str = "report.json";

/// A run that is not published leaves this file alone.
const PUBLISHED: &str = "published.json";

#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Report {
    /// The figures of a quick run are meaningless.
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

    /// `None` if nothing was published from this working copy.
    pub(crate) fn published(folder: &Path) -> Result<Option<Self>> {
        let path = folder.join(PUBLISHED);
        if !path.exists() {
            return Ok(None);
        }
        let text = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
        serde_json::from_str(&text).with_context(|| path.display().to_string()).map(Some)
    }

    pub(crate) fn has(&self, row: Row<'_>) -> bool {
        self.lines.iter().any(|line| line.row() == row)
    }

    pub(crate) fn lines_missing_of<'a>(&self, other: &'a Self) -> Vec<&'a str> {
        let is_missing = |line: &&Comparison| !self.lines.iter().any(|own| own.line == line.line);
        let mut names: Vec<&str> =
            other.lines.iter().filter(is_missing).map(|line| line.line.as_str()).collect();
        names.dedup();
        names
    }

    #[cfg(test)]
    pub(crate) fn of_machine(self, machine: &str) -> Self {
        Self { machine: machine.to_owned(), ..self }
    }

    /// Figures of two machines cannot share a table.
    pub(crate) fn check_machine(&self) -> Result<()> {
        let is_this_one = self.machine == machine::describe();
        ensure!(is_this_one, "the lines before were measured on another machine: {}", self.machine);
        Ok(())
    }

    /// Adds rows that this report lacks, in the order of all rows, and marks them as old if this
    /// run failed to measure them.
    pub(crate) fn complete_from(&mut self, published: Self, order: &[Row<'_>], failed: &[Row<'_>]) {
        let measured: Vec<Row<'_>> = self.lines.iter().map(Comparison::row).collect();
        let is_kept =
            |line: &Comparison| order.contains(&line.row()) && !measured.contains(&line.row());
        let mut kept: Vec<Comparison> = published.lines.into_iter().filter(is_kept).collect();
        for line in &mut kept {
            line.is_old |= failed.contains(&line.row());
        }
        self.lines.extend(kept);
        self.lines.sort_by_key(|line| order.iter().position(|row| *row == line.row()));
    }

    pub(crate) fn markdown(&self) -> String {
        let mut text =
            "| | work | ours | peer | ratio | target | |\n|---|---|---|---|---|---|---|\n"
                .to_owned();
        text.extend(self.lines.iter().map(row));
        let turns = turns(&self.lines);
        let worth = if self.quick { "; a quick run, whose figures are worth nothing" } else { "" };
        let is_partly_old = self.lines.iter().any(|line| line.is_old);
        let old = if is_partly_old { OLD } else { "" };
        format!("{text}\n{turns} on {}{worth}.\n{old}", self.machine)
    }

    /// Leaves the published files alone.
    pub(crate) fn save(&self, folder: &Path) -> Result<()> {
        fs::create_dir_all(folder)?;
        write(&folder.join(FILE), &serde_json::to_string_pretty(self)?)?;
        self.draw(folder)?;
        println!("bench: figures and charts are in {}", folder.display());
        Ok(())
    }

    /// The figures go into `folder`.
    pub(crate) fn publish(&self, docs: &Path, folder: &Path) -> Result<()> {
        let path = docs.join("performance.md");
        let text = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
        write(&path, &document::with_table(&text, &self.markdown())?)?;
        self.draw(&docs.join("images"))?;
        write(&folder.join(PUBLISHED), &serde_json::to_string_pretty(self)?)
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

const OLD: &str = "\n† Figure from an earlier run.\n";

/// A range if the lines come from different runs.
fn turns(lines: &[Comparison]) -> String {
    let turns = || lines.iter().map(|line| line.turns);
    match (turns().min().unwrap_or(1), turns().max().unwrap_or(1)) {
        (1, 1) => "One turn".to_owned(),
        (min, max) if min == max => format!("Medians of {max} turns"),
        (min, max) => format!("Medians of {min} to {max} turns"),
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
    let mark = line.mark();
    format!("| {id} | {work} | {ours} | {beside} | {ratio} | {target} | {verdict}{mark} |\n")
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
            is_old: false,
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
            measured: format!("work {id}"),
            ours: *ours,
            ..comparison()
        };
        report.add(lines.iter().map(line).collect());
        report
    }

    const ORDER: &[Row<'_>] = &[("X1", "work X1"), ("X2", "work X2"), ("X3", "work X3")];

    #[test]
    fn unmeasured_lines_keep_their_published_figures_in_order() {
        let mut report = report_of(&[("X2", 1.0)]);
        let published = report_of(&[("X1", 2.0), ("X2", 3.0), ("X3", 4.0)]);
        report.complete_from(published, ORDER, &[]);
        let lines: Vec<_> = report.lines.iter().map(|l| (l.line.as_str(), l.ours)).collect();
        assert_eq!(lines, [("X1", 2.0), ("X2", 1.0), ("X3", 4.0)]);
        assert!(!report.markdown().contains('†'));
    }

    #[test]
    fn lines_that_no_longer_exist_are_dropped() {
        let mut report = report_of(&[("X1", 1.0)]);
        let named = |name: &str| Comparison {
            line: "X1".to_owned(),
            measured: name.to_owned(),
            ..comparison()
        };
        let mut published = report_of(&[("X1", 2.0)]);
        published.add(vec![named("another"), named("none")]);
        report.complete_from(published, &[("X1", "another"), ("X1", "work X1")], &[]);
        let lines: Vec<_> = report.lines.iter().map(|line| line.measured.as_str()).collect();
        assert_eq!(lines, ["another", "work X1"]);
    }

    #[test]
    fn a_failed_line_stays_marked_until_measured() {
        let mut report = report_of(&[("X2", 1.0)]);
        let published = report_of(&[("X1", 2.0), ("X3", 4.0)]);
        report.complete_from(published, ORDER, &[("X3", "work X3")]);
        let table = report.markdown();
        let marked: Vec<&str> = table.lines().filter(|line| line.ends_with("† |")).collect();
        assert!(matches!(marked[..], [row] if row.starts_with("| X3 |")), "{table}");
        assert!(table.ends_with(OLD), "{table}");

        let mut next = report_of(&[("X1", 5.0)]);
        next.complete_from(report, ORDER, &[]);
        assert!(next.markdown().contains("**missed** † |"));
        let mut last = report_of(&[("X3", 6.0)]);
        last.complete_from(next, ORDER, &[]);
        assert!(!last.markdown().contains('†'));
    }

    #[test]
    fn an_unpublished_run_keeps_published_figures() {
        let docs = tempfile::tempdir().unwrap();
        let made = docs.path().join("made");
        fs::create_dir(docs.path().join("images")).unwrap();
        let document = docs.path().join("performance.md");
        fs::write(&document, "<!-- bench: begin -->\n<!-- bench: end -->\n").unwrap();
        assert!(Report::published(&made).unwrap().is_none());
        let published = report_of(&[("X1", 1.0), ("X2", 2.0)]);
        published.save(&made).unwrap();
        published.publish(docs.path(), &made).unwrap();
        let text = fs::read_to_string(&document).unwrap();
        assert!(text.contains(&published.markdown()), "{text}");

        report_of(&[("X1", 9.0)]).save(&made).unwrap();
        let kept = Report::published(&made).unwrap().unwrap();
        assert_eq!(kept.lines, published.lines);
        assert_eq!(fs::read_to_string(&document).unwrap(), text);
    }

    #[test]
    fn figures_of_two_machines_do_not_mix() {
        let published = report_of(&[("X1", 2.0)]).of_machine("another");
        let error = published.check_machine().unwrap_err().to_string();
        assert!(error.ends_with("on another machine: another"), "{error}");
        assert!(report_of(&[]).check_machine().is_ok());
    }

    #[test]
    fn a_report_without_marks_is_read() {
        let mut json = serde_json::to_value(report_of(&[("X1", 1.0)])).unwrap();
        json["lines"][0].as_object_mut().unwrap().remove("is_old");
        let report: Report = serde_json::from_value(json).unwrap();
        assert!(!report.lines[0].is_old);
    }

    #[test]
    fn a_quick_run_is_marked() {
        let table = Report::new(Effort::Quick, 1).markdown();
        assert!(table.ends_with("; a quick run, whose figures are worth nothing.\n"));
    }
}
