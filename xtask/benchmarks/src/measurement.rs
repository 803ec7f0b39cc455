//! A measurement as a side prints it: one JSON object per line.

use anyhow::{Context as _, Result, ensure};
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Measurement {
    /// As the table of groups spells it.
    pub(crate) name: String,
    pub(crate) value: f64,
    pub(crate) unit: Unit,
    /// Repetitions in this turn.
    #[serde(default = "once")]
    pub(crate) runs: u64,
    /// Program and version; `None` for this project.
    #[serde(default)]
    pub(crate) by: Option<String>,
}

const fn once() -> u64 {
    1
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Unit {
    /// Seconds per call.
    #[serde(rename = "s")]
    Seconds,
    #[serde(rename = "B")]
    Bytes,
    #[serde(rename = "B/s")]
    BytesPerSecond,
    #[serde(rename = "1")]
    Count,
}

impl Unit {
    pub(crate) fn show(self, value: f64) -> String {
        match self {
            Self::Seconds => scaled(value, &[(1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns")]),
            Self::Bytes => scaled(value, &[(1e6, "MB"), (1e3, "kB"), (1.0, "B")]),
            Self::BytesPerSecond => scaled(value, &[(1e6, "MB/s"), (1e3, "kB/s"), (1.0, "B/s")]),
            Self::Count if value.fract() == 0.0 => format!("{value}"),
            Self::Count => three_digits(value),
        }
    }
}

/// Uses the first unit that is no larger than the value, or else the last.
fn scaled(value: f64, units: &[(f64, &str)]) -> String {
    let fits = units.iter().find(|(size, _)| value.abs() >= *size);
    let Some((size, name)) = fits.or(units.last()) else { return value.to_string() };
    format!("{} {name}", three_digits(value / size))
}

/// Three significant digits.
pub(crate) fn three_digits(value: f64) -> String {
    let decimals = match value.abs() {
        0.0 => 0,
        size if size >= 100.0 => 0,
        size if size >= 10.0 => 1,
        size if size >= 0.1 => 2,
        _ => 3,
    };
    format!("{value:.decimals$}")
}

/// Skips lines that are meant for people.
pub(crate) fn read_all(output: &str) -> Result<Vec<Measurement>> {
    let lines = output.lines().filter(|line| line.starts_with('{'));
    let read =
        |line| serde_json::from_str(line).with_context(|| format!("not a measurement: {line}"));
    let measurements: Vec<Measurement> = lines.map(read).collect::<Result<_>>()?;
    ensure!(!measurements.is_empty(), "it printed no measurement");
    Ok(measurements)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn measurements_are_found_between_words_for_people() {
        let output = "warming up\n{\"name\":\"rag-template\",\"value\":0.5,\"unit\":\"s\",\"by\":\"peer 1.0\"}\ndone";
        let measurements = read_all(output).unwrap();
        let by = Some("peer 1.0".to_owned());
        let unit = Unit::Seconds;
        assert_eq!(
            measurements,
            [Measurement { name: "rag-template".to_owned(), value: 0.5, unit, runs: 1, by }]
        );
    }

    #[test]
    fn an_output_without_measurements_is_an_error() {
        assert_eq!(read_all("done").unwrap_err().to_string(), "it printed no measurement");
    }

    #[test]
    fn a_broken_measurement_is_shown() {
        let error = read_all("{\"name\":1}").unwrap_err().to_string();
        assert_eq!(error, "not a measurement: {\"name\":1}");
    }

    #[test]
    fn figures_are_shown_in_a_unit_that_fits() {
        assert_eq!(Unit::Seconds.show(0.000_012_34), "12.3 µs");
        assert_eq!(Unit::Seconds.show(6.5), "6.50 s");
        assert_eq!(Unit::Bytes.show(12_000_000.0), "12.0 MB");
        assert_eq!(Unit::Bytes.show(-5_000.0), "-5.00 kB");
        assert_eq!(Unit::BytesPerSecond.show(15_400_000.0), "15.4 MB/s");
        assert_eq!(Unit::Count.show(35.0), "35");
        assert_eq!(Unit::Count.show(2.8712), "2.87");
        assert_eq!(Unit::Seconds.show(0.0), "0 ns");
    }
}
