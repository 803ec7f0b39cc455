//! `cargo xtask bench`: measures this project and its peers in turns on one machine, and compares
//! both with the targets.
#![expect(clippy::print_stdout, reason = "a command-line tool talks to its terminal")]

mod chart;
mod comparison;
mod criterion;
mod document;
mod first_command;
mod group;
mod groups;
mod machine;
mod measurement;
mod peers;
mod publication;
mod report;
#[path = "../../src/shell.rs"]
mod shell;
mod side;

use std::{path::PathBuf, process::ExitCode};

use anyhow::{Result, bail, ensure};
use clap::Parser;

use groups::Group;
use report::Report;
use side::Effort;

/// Measure this project and its peers in turns, and compare both with the targets.
#[derive(Debug, Parser)]
#[command(name = "cargo xtask bench")]
struct Arguments {
    /// Lines to measure, such as `rag-template,start`. The default is all lines except the slow
    /// ones: first-command, which rebuilds everything; exact-million, disk and approximate;
    /// approximate-million, which takes a quarter of an hour; and embed-documents, embed-int8,
    /// embed-query, rerank-pairs and index-embedded, which need a model: `cargo xtask model minilm`.
    #[arg(long = "line", value_delimiter = ',')]
    lines: Vec<String>,

    /// Turns of each side. The default is 5, or 1 for groups that take minutes, such as
    /// first-command. A ratio is the median over all turns.
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..))]
    turns: Option<u16>,

    /// Run one short turn to check that everything works; its figures are meaningless.
    #[arg(long, conflicts_with = "turns")]
    quick: bool,

    /// Skip the peers, which need Python and a registry of Python packages.
    #[arg(long)]
    without_peers: bool,

    /// Write the table to docs/performance.md and the charts to docs/images. Keeps the published
    /// figures of lines that are not measured now.
    #[arg(long, conflicts_with_all = ["quick", "without_peers"])]
    write: bool,
}

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            println!("bench: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Returns the folder of everything that is not published.
fn output_folder() -> PathBuf {
    let target = std::env::var_os("CARGO_TARGET_DIR");
    target.map_or_else(|| shell::root().join("target"), PathBuf::from).join("bench")
}

fn run(arguments: &Arguments) -> Result<()> {
    let groups = selected(arguments)?;
    let made = output_folder();
    // Measuring takes minutes, so this comes first.
    let published = if arguments.write {
        publication::published(&made, !arguments.lines.is_empty())?
    } else {
        None
    };
    let effort = if arguments.quick { Effort::Quick } else { Effort::Full };
    let turns = arguments.turns.map(usize::from).or(arguments.quick.then_some(1));
    for group in &groups {
        println!("bench: preparing {} ...", group.name);
        group.prepare(effort)?;
    }
    let turns = |group: &Group| turns.unwrap_or(group.turns);
    let max = groups.iter().map(turns).max().unwrap_or_default();
    let mut report = Report::new(effort, max);
    let mut failed = Vec::new();
    for group in &groups {
        println!("bench: measuring {} ...", group.name);
        match group.compare(effort, turns(group)) {
            Ok(lines) => report.add(lines),
            // The figures of the other groups took minutes and are still valid.
            Err(error) => failed.push((group, error)),
        }
    }
    println!("\n{}", report.markdown());
    report.save(&made)?;
    if arguments.write {
        let docs = shell::root().join("docs");
        for outcome in publication::publish(report, published, &failed, &docs, &made)? {
            println!("bench: {outcome}");
        }
    }
    let failed: Vec<String> =
        failed.iter().map(|(group, error)| format!("{}: {error:#}", group.name)).collect();
    ensure!(failed.is_empty(), "not measured: {}", failed.join("; "));
    Ok(())
}

fn selected(arguments: &Arguments) -> Result<Vec<Group>> {
    let mut groups = groups::all();
    if arguments.without_peers {
        groups.iter_mut().for_each(Group::leave_out_peers);
    }
    let known: Vec<&str> = groups.iter().flat_map(Group::names).collect();
    if let Some(unknown) = arguments.lines.iter().find(|line| !known.contains(&line.as_str())) {
        let mut known = known;
        known.dedup();
        bail!("no line `{unknown}` is measured here; the lines are {}", known.join(", "));
    }
    groups.iter_mut().for_each(|group| group.keep(&arguments.lines));
    groups.retain(|group| !group.lines.is_empty());
    Ok(groups)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(words: &str) -> Arguments {
        Arguments::try_parse_from(std::iter::once("bench").chain(words.split_whitespace())).unwrap()
    }

    #[test]
    fn by_default_all_but_on_request_lines_are_measured() {
        let groups = selected(&parse("")).unwrap();
        let lines: Vec<&str> = groups.iter().flat_map(Group::names).collect();
        assert!(
            [
                "rag-template",
                "inline-search",
                "call",
                "start",
                "index",
                "exact",
                "crates",
                "web-search",
                "tool-round"
            ]
            .iter()
            .all(|l| lines.contains(l))
        );
        assert!(!lines.contains(&"first-command"));
    }

    #[test]
    fn slow_groups_take_one_turn_and_others_five() {
        for group in groups::all() {
            let takes_minutes = group.names().any(|line| {
                ["first-command", "disk", "index-embedded", "approximate", "approximate-million"]
                    .contains(&line)
            });
            let turns = if takes_minutes { 1 } else { 5 };
            assert_eq!(group.turns, turns, "{}", group.name);
        }
    }

    #[test]
    fn only_chosen_lines_are_kept() {
        let groups = selected(&parse("--line inline-search,first-command")).unwrap();
        let lines: Vec<&str> = groups.iter().flat_map(Group::names).collect();
        assert!(
            lines.iter().all(|line| ["inline-search", "first-command"].contains(line)),
            "{lines:?}"
        );
        assert_eq!(groups.len(), 2);
    }

    #[test]
    fn an_unknown_line_is_refused_with_the_known_ones() {
        let error = selected(&parse("--line nonsense")).unwrap_err().to_string();
        assert!(
            error.starts_with(
                "no line `nonsense` is measured here; the lines are rag-template, inline-search"
            ),
            "{error}"
        );
    }

    #[test]
    fn without_peers_only_our_own_sides_are_left() {
        let groups = selected(&parse("--without-peers --line rag-template")).unwrap();
        assert!(groups.iter().all(|group| !group.sides.iter().any(side::Side::is_peer)));
        assert!(groups.iter().flat_map(|group| &group.lines).all(|line| !line.is_with_peer()));
    }
}
