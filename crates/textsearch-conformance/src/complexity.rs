//! Tests of how time grows with input.

use std::time::{Duration, Instant};

/// What a busy machine may add.
const NOISE: Duration = Duration::from_millis(50);

/// Runs `work` with `size` and with twice as much, and panics if the time triples.
///
/// Each size runs three times and the fastest counts, so a busy machine matters little. 50 ms are allowed on top: choose
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
    let (small, large) = (fastest(|| work(size)), fastest(|| work(size * 2)));
    assert!(
        large < small * 3 + NOISE,
        "time does not grow linearly: {small:?} for {size}, {large:?} for twice as much"
    );
}

fn fastest(work: impl Fn()) -> Duration {
    let run = || {
        let start = Instant::now();
        work();
        start.elapsed()
    };
    run().min(run()).min(run())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[should_panic(expected = "time does not grow linearly")]
    fn work_that_grows_faster_is_found() {
        assert_linear(30, |size| {
            std::thread::sleep(Duration::from_micros((size * size * size) as u64));
        });
    }
}
