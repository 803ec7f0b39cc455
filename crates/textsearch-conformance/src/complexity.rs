//! Tests of how running time grows with input.

use std::time::{Duration, Instant};

/// Covers delays on a busy machine and inaccurate CPU times.
const NOISE: Duration = Duration::from_millis(50);

/// The minimum, and the maximum if the time seems to grow faster.
const RUNS: (usize, usize) = (2, 8);

/// Runs `work` with `size` and with twice as much, and takes the fastest of several runs each.
///
/// On Linux it measures this thread's CPU time, so that other threads and programs don't count;
/// elsewhere wall-clock time. The limit includes a tolerance of 50 ms: choose a `size` at which
/// quadratic work takes longer.
///
/// ```
/// use textsearch_conformance::assert_linear;
///
/// assert_linear(100_000, |size| assert_eq!("ab".repeat(size).len(), 2 * size));
/// ```
///
/// # Panics
///
/// Panics if doubling the size more than triples the time.
#[track_caller]
pub fn assert_linear(size: usize, work: impl Fn(usize)) {
    let mut small = Duration::MAX;
    let mut large = Duration::MAX;
    for run in 1..=RUNS.1 {
        // Alternate, so that other load slows both.
        small = small.min(time_of(|| work(size)));
        large = large.min(time_of(|| work(size * 2)));
        if run >= RUNS.0 && large < small.saturating_mul(3) + NOISE {
            return;
        }
    }
    panic!("time does not grow linearly: {small:?} for {size}, {large:?} for twice as much");
}

fn time_of(work: impl FnOnce()) -> Duration {
    let start = cpu_time();
    let clock = Instant::now();
    work();
    match (start, cpu_time()) {
        (Some(start), Some(end)) => end.saturating_sub(start),
        _ => clock.elapsed(),
    }
}

fn cpu_time() -> Option<Duration> {
    let times = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    times.split(' ').next()?.parse().ok().map(Duration::from_nanos)
}

#[cfg(test)]
mod tests {
    use std::hint::black_box;

    use super::*;

    #[test]
    #[should_panic(expected = "time does not grow linearly")]
    fn work_that_grows_faster_is_found() {
        assert_linear(150, |size| {
            for turn in 0..size * size * size {
                black_box(turn);
            }
        });
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn waiting_does_not_count() {
        assert_linear(20, |size| {
            std::thread::sleep(Duration::from_micros((2 * size * size * size) as u64));
        });
    }
}
