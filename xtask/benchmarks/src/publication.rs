//! Publishes a report in docs/performance.md.

use std::path::Path;

use anyhow::{Context as _, Error, Result};

use crate::{
    comparison::Row,
    groups::{self, Group},
    report::Report,
};

/// The report in `made`, for the lines that a run does not measure. If it `must` exist, it also has
/// to be from this machine.
pub(crate) fn published(made: &Path, must: bool) -> Result<Option<Report>> {
    let published = Report::published(made)?;
    if !must {
        return Ok(published);
    }
    let published = published.context(
        "nothing was published from here that could stay beside these lines: publish all of them \
         first, by `--write` without `--line`",
    )?;
    published.check_machine()?;
    Ok(Some(published))
}

/// Keeps published lines from this machine that the run skipped or failed to measure. Returns notes
/// on the lines that were not measured.
pub(crate) fn publish(
    mut report: Report,
    published: Option<Report>,
    failed: &[(&Group, Error)],
    docs: &Path,
    made: &Path,
) -> Result<Vec<String>> {
    let lost = published.as_ref().and_then(|published| lost(&report, published));
    let published = published.filter(|report| report.check_machine().is_ok());
    let of_failed = failed.iter().map(|(group, _)| outcome(group, published.as_ref()));
    let outcomes = lost.into_iter().chain(of_failed).collect();
    if let Some(published) = published {
        let all = groups::all();
        let order: Vec<Row<'_>> = all.iter().flat_map(Group::rows).collect();
        let missing: Vec<Row<'_>> = failed.iter().flat_map(|(group, _)| group.rows()).collect();
        report.complete_from(published, &order, &missing);
    }
    report.publish(docs, made)?;
    Ok(outcomes)
}

/// The table holds figures of one machine only.
fn lost(report: &Report, published: &Report) -> Option<String> {
    let error = published.check_machine().err()?;
    let lines = report.lines_missing_of(published);
    let named = lines.join(", ");
    (!lines.is_empty()).then(|| format!("{error}: the document has no figures any more of {named}"))
}

fn outcome(group: &Group, published: Option<&Report>) -> String {
    let has_figures = published.is_some_and(|report| group.rows().any(|row| report.has(row)));
    let rest = if has_figures {
        "the document keeps its older figures, marked with †"
    } else {
        "the document has no figures of it"
    };
    format!("{} failed: {rest}", group.name)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use anyhow::anyhow;

    use super::*;
    use crate::{
        comparison::{Line, Other, Turn},
        measurement::{Measurement, Unit},
        side::Effort,
    };

    /// Every side of every line took `value` seconds.
    fn measured<'a>(groups: impl IntoIterator<Item = &'a Group>, value: f64) -> Report {
        let mut report = Report::new(Effort::Full, 1);
        for group in groups {
            let names = group.lines.iter().flat_map(names);
            let measurement =
                |name: String| Measurement { name, value, unit: Unit::Seconds, runs: 1, by: None };
            let turn: Turn =
                names.map(|name| (name.to_owned(), measurement(name.to_owned()))).collect();
            let turns = [turn];
            report.add(group.lines.iter().map(|line| line.compare(&turns).unwrap()).collect());
        }
        report
    }

    fn names(line: &Line) -> impl Iterator<Item = &'static str> {
        let other = match line.other {
            Other::Nothing => None,
            Other::Bare { name, .. } | Other::Peer(name) => Some(name),
        };
        [line.ours].into_iter().chain(other)
    }

    /// Returns the notes and the table's rows.
    fn publish_into_a_document(
        report: Report,
        published: Option<Report>,
        failed: &[(&Group, Error)],
    ) -> (Vec<String>, Vec<String>) {
        let docs = tempfile::tempdir().unwrap();
        fs::create_dir(docs.path().join("images")).unwrap();
        let document = docs.path().join("performance.md");
        fs::write(&document, "<!-- bench: begin -->\n<!-- bench: end -->\n").unwrap();
        let messages = publish(report, published, failed, docs.path(), docs.path()).unwrap();
        let text = fs::read_to_string(&document).unwrap();
        let rows = text.lines().filter(|line| line.starts_with("| ") && !line.starts_with("| |"));
        (messages, rows.map(str::to_owned).collect())
    }

    fn ids(rows: &[String]) -> Vec<&str> {
        rows.iter().filter_map(|row| row.split(" | ").next()?.strip_prefix("| ")).collect()
    }

    fn on_request(all: &[Group]) -> Vec<&'static str> {
        let groups = all.iter().filter(|group| group.on_request);
        let mut ids: Vec<_> = groups.flat_map(Group::names).collect();
        ids.dedup();
        ids
    }

    #[test]
    fn lines_on_request_keep_their_published_figures() {
        let all = groups::all();
        let usual = measured(all.iter().filter(|group| !group.on_request), 1.0);
        let (messages, rows) = publish_into_a_document(usual, Some(measured(&all, 2.0)), &[]);
        assert!(messages.is_empty(), "{messages:?}");
        assert_eq!(ids(&rows), all.iter().flat_map(Group::names).collect::<Vec<_>>());
        let kept = |id: &str| on_request(&all).contains(&id);
        for (row, id) in rows.iter().zip(ids(&rows)) {
            let ours = row.split(" | ").nth(2).unwrap();
            assert_eq!(ours, if kept(id) { "2.00 s" } else { "1.00 s" }, "{row}");
            assert!(!row.contains('†'), "{row}");
        }
    }

    #[test]
    fn a_failed_group_keeps_its_older_figures_marked() {
        let all = groups::all();
        let group = |name| all.iter().find(|group| group.name == name).unwrap();
        let vectors = group("vectors");
        let crates = group("crates");
        let published = measured([vectors, group("prompts")], 2.0);
        let failed = [(vectors, anyhow!("no")), (crates, anyhow!("no"))];
        let measured = measured([group("prompts")], 1.0);
        let (messages, rows) = publish_into_a_document(measured, Some(published), &failed);
        assert_eq!(
            messages,
            [
                "vectors failed: the document keeps its older figures, marked with †",
                "crates failed: the document has no figures of it",
            ]
        );
        let marked = rows.iter().filter(|row| row.ends_with("† |")).count();
        assert_eq!(marked, vectors.lines.len());
        assert!(!ids(&rows).contains(&"crates"), "{rows:?}");
    }

    #[test]
    fn figures_of_another_machine_are_dropped_and_named() {
        let all = groups::all();
        let published = measured(&all, 2.0).of_machine("another");
        let usual = measured(all.iter().filter(|group| !group.on_request), 1.0);
        let (messages, rows) = publish_into_a_document(usual, Some(published), &[]);
        assert_eq!(
            messages,
            [format!(
                "the lines before were measured on another machine: another: the document has no \
                 figures any more of {}",
                on_request(&all).join(", ")
            )]
        );
        assert!(rows.iter().all(|row| row.contains("| 1.00 s |")), "{rows:?}");
    }

    #[test]
    fn a_failed_group_without_publication_has_no_figures() {
        let all = groups::all();
        let failed = [(&all[0], anyhow!("no"))];
        let (messages, rows) = publish_into_a_document(measured(&all[1..2], 1.0), None, &failed);
        assert_eq!(messages, ["prompts failed: the document has no figures of it"]);
        assert_eq!(rows.len(), all[1].lines.len());
    }
}
