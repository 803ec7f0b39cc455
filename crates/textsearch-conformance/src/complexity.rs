//! Tests of how time grows with input.

use std::time::{Duration, Instant};

/// The delay that a busy machine may cause, and the inaccuracy of CPU times.
const NOISE: Duration = Duration::from_millis(50);

/// How often both sizes run: at least, and at most if the time seems to grow faster.
const RUNS: (usize, usize) = (2, 8);

/// Runs `work` with `size` and with twice as much, and panics if the time triples.
///
/// On Linux the time is the CPU time of this thread, so that other programs don't count, nor does work in other threads.
/// Elsewhere it is the time of the clock. The fastest of several runs counts for each size. 50 ms are allowed on top:
/// choose a `size` at which quadratic work takes longer.
///
/// ```
/// use textsearch_conformance::assert_linear;
///
/// assert_linear(100_000, |size| assert_eq!("ab".repeat(size).len(), 2 * size));
/// ```
///
/// # Panics
///
/// Panics if twice the size takes more than three times as long.
#[track_caller]
pub fn assert_linear(size: usize, work: impl Fn(usize)) {
    let (mut small, mut large) = (Duration::MAX, Duration::MAX);
    for run in 1..=RUNS.1 {
        // By turns, so that what else the machine does slows both.
        small = small.min(time_of(|| work(size)));
        large = large.min(time_of(|| work(size * 2)));
        if run >= RUNS.0 && large < small.saturating_mul(3) + NOISE {
            return;
        }
    }
    panic!("time does not grow linearly: {small:?} for {size}, {large:?} for twice as much");
}

fn time_of(work: impl FnOnce()) -> Duration {
    let (start, clock) = (cpu_time(), Instant::now());
    work();
    match (start, cpu_time()) {
        (Some(start), Some(end)) => end.saturating_sub(start),
        _ => clock.elapsed(),
    }
}

/// The CPU time of this thread, where the system has a file that says it.
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
