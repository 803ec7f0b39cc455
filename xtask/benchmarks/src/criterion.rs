//! Runs criterion benchmarks and reads the figures from criterion's output files.

use std::{
    ffi::OsStr,
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context as _, Result, ensure};
use serde::Deserialize;

use crate::{
    measurement::{Measurement, Unit},
    shell,
    side::Effort,
};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Criterion {
    pub(crate) package: &'static str,
    pub(crate) bench: &'static str,
    /// A regular expression.
    pub(crate) filter: &'static str,
}

impl Criterion {
    pub(crate) fn build(&self, effort: Effort) -> Result<()> {
        shell::run(&mut effort.bench(self.package, self.bench, "", "--no-run"))
    }

    pub(crate) fn measure(&self, effort: Effort) -> Result<Vec<Measurement>> {
        let Self { package, bench, filter } = self;
        let home = crate::output_folder().join("criterion");
        // Results of earlier turns must not pass for this one's.
        if home.exists() {
            fs::remove_dir_all(&home)?;
        }
        let mut command = effort.bench(package, bench, "", "--");
        let seconds = match effort {
            Effort::Quick => ["0.1", "0.2"],
            Effort::Full => ["0.5", "2"],
        };
        let [warm_up, measurement] = seconds;
        command.args(["--noplot", "--sample-size", "10", "--warm-up-time", warm_up]);
        command.args(["--measurement-time", measurement, filter]);
        shell::read(command.env("CRITERION_HOME", &home))?;
        let measurements = read_folder(&home)?;
        ensure!(
            !measurements.is_empty(),
            "{package}: no benchmark of `{bench}` is named like {filter}"
        );
        Ok(measurements)
    }
}

/// `new/benchmark.json`.
#[derive(Deserialize)]
struct Benchmark {
    full_id: String,
    throughput: Option<Throughput>,
}

/// The work of one iteration; only bytes are used.
#[derive(Deserialize)]
struct Throughput {
    #[serde(rename = "Bytes")]
    bytes: Option<f64>,
}

/// `new/estimates.json`, in nanoseconds.
#[derive(Deserialize)]
struct Estimates {
    median: Estimate,
}

#[derive(Deserialize)]
struct Estimate {
    point_estimate: f64,
}

/// `new/sample.json`.
#[derive(Deserialize)]
struct Sample {
    iters: Vec<f64>,
}

fn read_folder(home: &Path) -> Result<Vec<Measurement>> {
    let mut folders = Vec::new();
    find_results(home, &mut folders)?;
    folders.sort();
    let results: Vec<_> =
        folders.iter().map(|folder| read_result(folder)).collect::<Result<_>>()?;
    Ok(results.into_iter().flatten().collect())
}

/// Benchmark names may contain slashes.
fn find_results(folder: &Path, folders: &mut Vec<PathBuf>) -> Result<()> {
    for entry in fs::read_dir(folder).with_context(|| folder.display().to_string())? {
        let path = entry?.path();
        if path.file_name() == Some(OsStr::new("new")) {
            folders.push(path);
        } else if path.is_dir() {
            find_results(&path, folders)?;
        }
    }
    Ok(())
}

fn read_result(folder: &Path) -> Result<Vec<Measurement>> {
    let Benchmark { full_id, throughput } = read(&folder.join("benchmark.json"))?;
    let Estimates { median } = read(&folder.join("estimates.json"))?;
    let Sample { iters } = read(&folder.join("sample.json"))?;
    let seconds = median.point_estimate / 1e9;
    let runs = iters.iter().sum::<f64>() as u64;
    let measured = |name, value, unit| Measurement { name, value, unit, runs, by: None };
    let bytes = throughput.and_then(|throughput| throughput.bytes);
    let rate = bytes
        .map(|bytes| measured(format!("{full_id}, bytes"), bytes / seconds, Unit::BytesPerSecond));
    let time = measured(full_id, seconds, Unit::Seconds);
    Ok([Some(time), rate].into_iter().flatten().collect())
}

fn read<T: for<'de> Deserialize<'de>>(path: &Path) -> Result<T> {
    let text = fs::read(path).with_context(|| path.display().to_string())?;
    serde_json::from_slice(&text).with_context(|| path.display().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn criterion_medians_are_read_with_throughput_and_runs() {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join("a group/one/new");
        fs::create_dir_all(&folder).unwrap();
        let write = |name: &str, text: &str| fs::write(folder.join(name), text).unwrap();
        let benchmark = r#"{"full_id":"a group/one","throughput":{"Bytes":10}}"#;
        write("benchmark.json", benchmark);
        write("estimates.json", r#"{"median":{"point_estimate":2e9}}"#);
        write("sample.json", r#"{"sampling_mode":"Flat","iters":[2.0,3.0],"times":[1.0,1.0]}"#);
        let measurements = read_folder(home.path()).unwrap();
        let measurements: Vec<_> = measurements
            .iter()
            .map(|measurement| (measurement.name.as_str(), measurement.value, measurement.runs))
            .collect();
        assert_eq!(measurements, [("a group/one", 2.0, 5), ("a group/one, bytes", 5.0, 5)]);
    }
}
