//! Tests of how time grows with input.

use std::time::{Duration, Instant};

/// The delay that a busy machine may cause.
const NOISE: Duration = Duration::from_millis(50);

/// How often both sizes run: at least, and at most if the time seems to grow faster.
const RUNS: (usize, usize) = (2, 8);

/// Runs `work` with `size` and with twice as much, and panics if the time triples.
///
/// The fastest of several runs counts for each size, so a busy machine matters little. 50 ms are allowed on top: choose
/// a `size` at which quadratic work takes longer.
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
    let start = Instant::now();
    work();
    start.elapsed()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[should_panic(expected = "time does not grow linearly")]
    fn work_that_grows_faster_is_found() {
        assert_linear(24, |size| {
            std::thread::sleep(Duration::from_micros((2 * size * size * size) as u64));
        });
    }
}
