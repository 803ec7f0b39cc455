//! Output of benchmarks that measure by themselves. They print figures for people or, with
//! `--json`, for `cargo xtask bench`. With `--quick` they only show that they run.

pub(crate) struct Report {
    json: bool,
    pub(crate) quick: bool,
}

impl Report {
    pub(crate) fn from_arguments() -> Self {
        let has = |word: &str| std::env::args().any(|argument| argument == word);
        Self { json: has("--json"), quick: has("--quick") }
    }

    pub(crate) fn seconds(&self, name: &str, value: f64) {
        self.print(name, value, "s", format_args!("{:.1} µs", value * 1e6));
    }

    pub(crate) fn bytes(&self, name: &str, value: f64) {
        self.print(name, value, "B", format_args!("{:.1} MB", value / 1e6));
    }

    /// `1` is the unit of a number of items.
    pub(crate) fn print(
        &self,
        name: &str,
        value: f64,
        unit: &str,
        for_people: std::fmt::Arguments<'_>,
    ) {
        if self.json {
            println!(r#"{{"name":"{name}","value":{value},"unit":"{unit}"}}"#);
        } else {
            println!("{name}: {for_people}");
        }
    }
}

pub(crate) fn median(figures: &mut [f64]) -> f64 {
    figures.sort_by(f64::total_cmp);
    figures.get(figures.len() / 2).copied().unwrap_or_default()
}

/// In bytes, from Linux: `VmHWM` is the peak, `VmRSS` the current size.
pub(crate) fn memory(figure: &str) -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix(figure)?.strip_prefix(':'));
    let kilobytes = line.and_then(|line| line.trim().strip_suffix("kB"));
    kilobytes.and_then(|text| text.trim().parse::<f64>().ok()).unwrap_or_default() * 1024.0
}
