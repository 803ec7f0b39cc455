//! The peak memory of a running program.

use std::{fs, process::Command, thread, time::Duration};

use anyhow::{Context as _, Result, bail};

/// Short enough to see a program's memory just before it ends.
const PAUSE: Duration = Duration::from_millis(5);

/// In bytes.
pub(super) fn peak_of(command: &mut Command) -> Result<u64> {
    let mut child = command.spawn().context("the program did not start")?;
    let mut peak = None;
    let status = loop {
        // The peak never falls: the last reading is the highest.
        peak = peak_so_far(child.id()).or(peak);
        if let Some(status) = child.try_wait()? {
            break status;
        }
        thread::sleep(PAUSE);
    };
    if !status.success() {
        bail!("the program failed with {status}");
    }
    peak.context("this system does not say how much memory a program has: it needs Linux")
}

fn peak_so_far(process: u32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    peak_in(&status)
}

fn peak_in(status: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_peak_is_read_from_process_status() {
        let status = "Name:\tx\nVmPeak:\t  9999 kB\nVmHWM:\t    12 kB\nVmRSS:\t 8 kB\n";
        assert_eq!(peak_in(status), Some(12 * 1024));
        assert_eq!(peak_in("Name:\tx\n"), None);
    }
}
