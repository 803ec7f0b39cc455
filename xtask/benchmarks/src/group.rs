//! A group of lines, measured by the same sides.

use anyhow::Result;

use crate::{
    comparison::{Comparison, Line, Other, Row, Target, Turn},
    peers::Script,
    side::{Effort, Side},
};
use Other::Nothing;

/// Sides that take turns.
#[derive(Debug)]
pub(crate) struct Group {
    pub(crate) name: &'static str,
    pub(crate) sides: Vec<Side>,
    pub(crate) lines: Vec<Line>,
    /// Only if the user names one of its lines.
    pub(crate) on_request: bool,
    pub(crate) turns: usize,
}

pub(crate) fn group(name: &'static str, sides: Vec<Side>, lines: Vec<Line>) -> Group {
    Group { name, sides, lines, on_request: false, turns: 5 }
}

pub(crate) fn line(
    id: &'static str,
    work: &'static str,
    ours: &'static str,
    other: Other,
    target: Target,
) -> Line {
    Line { id, work, ours, other, target }
}

pub(crate) fn program(package: &'static str, bench: &'static str) -> Side {
    Side::Program { package, bench, features: "", argument: None }
}

pub(crate) fn script(file: &'static str, requirements: &'static str) -> Script {
    Script { file, requirements, argument: None }
}

pub(crate) fn semantic_kernel(file: &'static str) -> Side {
    Side::Peer(script(file, "semantic-kernel"))
}

impl Group {
    pub(crate) fn names(&self) -> impl Iterator<Item = &'static str> {
        self.lines.iter().map(|line| line.id)
    }

    pub(crate) fn rows(&self) -> impl Iterator<Item = Row<'static>> {
        self.lines.iter().map(|line| (line.id, line.ours))
    }

    /// Without names, keeps all lines, unless the group is measured on request only.
    pub(crate) fn keep(&mut self, names: &[String]) {
        let on_request = self.on_request;
        self.lines.retain(|line| match names {
            [] => !on_request,
            names => names.iter().any(|name| name == line.id),
        });
    }

    /// Also removes the lines whose target is a ratio to a peer.
    pub(crate) fn leave_out_peers(&mut self) {
        self.sides.retain(|side| !side.is_peer());
        self.lines.retain(|line| !line.is_with_peer() || !line.target.is_a_ratio());
        for line in self.lines.iter_mut().filter(|line| line.is_with_peer()) {
            line.other = Nothing;
        }
    }

    pub(crate) fn prepare(&self, effort: Effort) -> Result<()> {
        self.sides.iter().try_for_each(|side| side.prepare(effort))
    }

    /// Each turn starts with a different side.
    pub(crate) fn compare(&self, effort: Effort, turns: usize) -> Result<Vec<Comparison>> {
        let turns: Vec<Turn> =
            (0..turns).map(|turn| self.turn(effort, turn)).collect::<Result<_>>()?;
        self.lines.iter().map(|line| line.compare(&turns)).collect()
    }

    fn turn(&self, effort: Effort, number: usize) -> Result<Turn> {
        let mut measured = Turn::new();
        let mut sides = self.sides.clone();
        sides.rotate_left(number % self.sides.len().max(1));
        for side in sides {
            let measurements = side.measure(effort)?;
            measured.extend(
                measurements.into_iter().map(|measurement| (measurement.name.clone(), measurement)),
            );
        }
        Ok(measured)
    }
}
