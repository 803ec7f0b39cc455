//! One line of the table: its two sides, its target and its result.

use std::collections::BTreeMap;

use anyhow::{Context as _, Result};
use serde::{Deserialize, Serialize};

use crate::measurement::{Measurement, Unit, three_digits};

/// Caps how far a figure beats its limit.
const MAX_REACHED: f64 = 1_000.0;

#[derive(Debug, Clone, Copy)]
pub(crate) struct Line {
    /// Selects it with `--line`, such as `rag-template`.
    pub(crate) id: &'static str,
    pub(crate) work: &'static str,
    pub(crate) ours: &'static str,
    pub(crate) other: Other,
    pub(crate) target: Target,
}

#[derive(Debug, Clone, Copy)]
pub(crate) enum Other {
    /// Compared with the target alone.
    Nothing,
    /// A baseline, measured by a benchmark of ours.
    Bare { name: &'static str, label: &'static str },
    /// The measurement of a peer's script.
    Peer(&'static str),
}

#[derive(Debug, Clone, Copy)]
pub(crate) enum Target {
    /// Minimum speedup over the other side.
    Speed(f64),
    /// Maximum ratio of our time to the other side's.
    Time(f64),
    /// Our figure is at most this.
    AtMost(f64),
    /// Our figure is at least this.
    AtLeast(f64),
    /// No target: the figures are for reference.
    Unset,
}

pub(crate) type Turn = BTreeMap<String, Measurement>;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Comparison {
    pub(crate) line: String,
    pub(crate) work: String,
    /// Lines may share it.
    pub(crate) measured: String,
    /// Medians of the turns.
    pub(crate) ours: f64,
    pub(crate) unit: Unit,
    pub(crate) other: Option<Figure>,
    /// The median of the turns' ratios.
    pub(crate) ratio: Option<f64>,
    pub(crate) is_ratio: bool,
    pub(crate) target: String,
    /// The target is met at 1 or more. `None` if there is no target.
    pub(crate) reached: Option<f64>,
    pub(crate) turns: usize,
    /// Whether the latest run failed to measure it.
    #[serde(default)]
    pub(crate) is_old: bool,
}

/// The line, which groups may share, and the name of our measurement.
pub(crate) type Row<'a> = (&'a str, &'a str);

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Figure {
    pub(crate) by: String,
    pub(crate) value: f64,
}

impl Line {
    pub(crate) fn is_with_peer(&self) -> bool {
        matches!(self.other, Other::Peer(_))
    }

    pub(crate) fn compare(&self, turns: &[Turn]) -> Result<Comparison> {
        let ours = self.figures(turns, self.ours)?;
        let others = match self.other {
            Other::Nothing => None,
            Other::Bare { name, .. } | Other::Peer(name) => Some(self.figures(turns, name)?),
        };
        let ratios = others.as_ref().map(|others| {
            let pairs = ours.iter().zip(others);
            pairs.map(|(ours, other)| self.target.ratio(ours.value, other.value)).collect()
        });
        let value = median(ours.iter().map(|figure| figure.value).collect());
        let ratio = ratios.map(median);
        let unit = ours.first().context("there was no turn")?.unit;
        Ok(Comparison {
            line: self.id.to_owned(),
            work: self.work.to_owned(),
            measured: self.ours.to_owned(),
            ours: value,
            unit,
            other: others.map(|others| self.figure_of(&others)),
            ratio,
            is_ratio: self.target.is_a_ratio(),
            target: self.target.show(unit),
            reached: self.target.reached(value, ratio.unwrap_or(f64::NAN)),
            turns: turns.len(),
            is_old: false,
        })
    }

    fn figures<'a>(&self, turns: &'a [Turn], name: &str) -> Result<Vec<&'a Measurement>> {
        let of_turn = |turn: &'a Turn| {
            turn.get(name).with_context(|| format!("{}: nothing measured `{name}`", self.id))
        };
        turns.iter().map(of_turn).collect()
    }

    fn figure_of(&self, others: &[&Measurement]) -> Figure {
        let by = others.first().and_then(|other| other.by.clone());
        let by = match self.other {
            Other::Bare { label, .. } => label.to_owned(),
            Other::Nothing | Other::Peer(_) => by.unwrap_or_default(),
        };
        Figure { by, value: median(others.iter().map(|other| other.value).collect()) }
    }
}

impl Target {
    fn ratio(self, ours: f64, other: f64) -> f64 {
        match self {
            Self::Time(_) => ours / other,
            Self::Speed(_) | Self::AtMost(_) | Self::AtLeast(_) | Self::Unset => other / ours,
        }
    }

    fn reached(self, ours: f64, ratio: f64) -> Option<f64> {
        match self {
            Self::Speed(min) => Some(ratio / min),
            Self::Time(max) => Some(max / ratio),
            Self::AtLeast(min) => Some(ours / min),
            // Zero or less counts as the best possible.
            Self::AtMost(max) => Some((max / ours.max(f64::MIN_POSITIVE)).min(MAX_REACHED)),
            Self::Unset => None,
        }
    }

    pub(crate) const fn is_a_ratio(self) -> bool {
        matches!(self, Self::Speed(_) | Self::Time(_))
    }

    fn show(self, unit: Unit) -> String {
        match self {
            Self::Speed(min) => format!("at least {} × the speed", number(min)),
            Self::Time(max) => format!("at most {} × the time", number(max)),
            Self::AtMost(max) => format!("at most {}", unit.show(max)),
            Self::AtLeast(min) => format!("at least {}", unit.show(min)),
            Self::Unset => String::new(),
        }
    }
}

impl Comparison {
    pub(crate) fn row(&self) -> Row<'_> {
        (&self.line, &self.measured)
    }

    /// Empty unless old.
    pub(crate) const fn mark(&self) -> &'static str {
        if self.is_old { " †" } else { "" }
    }

    /// `None` if there is no target.
    pub(crate) fn is_met(&self) -> Option<bool> {
        self.reached.map(|times| times >= 1.0)
    }
}

fn number(value: f64) -> String {
    if value.fract() == 0.0 { value.to_string() } else { three_digits(value) }
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    let at = |index: usize| values.get(index).copied().unwrap_or(f64::NAN);
    if values.len() % 2 == 1 {
        at(middle)
    } else {
        f64::midpoint(at(middle.wrapping_sub(1)), at(middle))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn turns(figures: &[(f64, f64)]) -> Vec<Turn> {
        let measured = |name: &str, value: f64, by: Option<&str>| {
            let name = name.to_owned();
            let by = by.map(str::to_owned);
            (name.clone(), Measurement { name, value, unit: Unit::Seconds, runs: 1, by })
        };
        let turn = |(ours, other): &(f64, f64)| {
            Turn::from([measured("ours", *ours, None), measured("other", *other, Some("peer 1"))])
        };
        figures.iter().map(turn).collect()
    }

    fn line(other: Other, target: Target) -> Line {
        Line { id: "X1", work: "work", ours: "ours", other, target }
    }

    #[test]
    fn the_ratio_is_the_median_of_turn_ratios() {
        let line = line(Other::Peer("other"), Target::Speed(4.0));
        let result = line.compare(&turns(&[(1.0, 6.0), (2.0, 4.0), (4.0, 20.0)])).unwrap();
        assert_eq!((result.ours, result.ratio), (2.0, Some(5.0)));
        assert_eq!(result.other, Some(Figure { by: "peer 1".to_owned(), value: 6.0 }));
        assert_eq!((result.reached, result.is_met()), (Some(1.25), Some(true)));
        assert_eq!(result.target, "at least 4 × the speed");
    }

    #[test]
    fn a_time_is_met_below_the_target() {
        let line = line(Other::Bare { name: "other", label: "bare" }, Target::Time(1.2));
        let result = line.compare(&turns(&[(1.5, 1.0)])).unwrap();
        assert_eq!((result.ratio, result.is_met()), (Some(1.5), Some(false)));
        assert_eq!(result.other.unwrap().by, "bare");
        assert_eq!(result.target, "at most 1.20 × the time");
    }

    #[test]
    fn a_limit_needs_no_other_side() {
        let line = line(Other::Nothing, Target::AtMost(0.003));
        let result = line.compare(&turns(&[(0.001, 0.0), (0.002, 0.0)])).unwrap();
        assert_eq!((result.ours, result.ratio, result.is_met()), (0.0015, None, Some(true)));
        assert_eq!(result.target, "at most 3.00 ms");
    }

    #[test]
    fn a_minimum_is_met_above_it() {
        let line = line(Other::Nothing, Target::AtLeast(0.5));
        let result = line.compare(&turns(&[(1.0, 0.0)])).unwrap();
        assert_eq!((result.reached, result.is_met()), (Some(2.0), Some(true)));
        assert_eq!(result.target, "at least 500 ms");
    }

    #[test]
    fn memory_that_shrank_meets_every_limit() {
        let line = line(Other::Nothing, Target::AtMost(1.0));
        assert_eq!(line.compare(&turns(&[(-1.0, 0.0)])).unwrap().is_met(), Some(true));
    }

    #[test]
    fn without_a_target_there_is_no_verdict() {
        let line = line(Other::Peer("other"), Target::Unset);
        let result = line.compare(&turns(&[(1.0, 3.0)])).unwrap();
        assert_eq!((result.ratio, result.is_met()), (Some(3.0), None));
        assert!(result.target.is_empty());
    }

    #[test]
    fn a_missing_measurement_is_named() {
        let error = line(Other::Peer("third"), Target::Speed(1.0)).compare(&turns(&[(1.0, 1.0)]));
        assert_eq!(error.unwrap_err().to_string(), "X1: nothing measured `third`");
    }
}
