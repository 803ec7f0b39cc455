//! Tests of how input may nest.

use std::thread::Builder;

const DEPTHS: [usize; 13] = [1, 2, 10, 31, 64, 99, 100, 101, 128, 1_000, 1_200, 10_000, 100_000];

/// Runs `work` with nesting depths from 1 to 100,000 in a thread with a stack of `stack` bytes.
///
/// Choose 256 KiB, an eighth of the stack of a thread of tokio, unless a limit needs more in a
/// debug build.
///
/// `work` builds an input of that depth without recursion, and passes it to the parser under test.
/// A stack overflow ends the test program, so run this in a test of its own.
///
/// ```
/// use textsearch_conformance::with_each_depth;
///
/// with_each_depth(256 << 10, |depth| {
///     let read = serde_json::from_str::<serde_json::Value>(&"[".repeat(depth));
///     assert!(read.is_err());
/// });
/// ```
///
/// # Panics
///
/// Panics if `work` panics, or if the thread can't start.
#[track_caller]
pub fn with_each_depth(stack: usize, work: impl Fn(usize) + Send + 'static) {
    let thread = Builder::new().stack_size(stack).spawn(move || DEPTHS.into_iter().for_each(work));
    if let Err(panic) = thread.expect("a thread can start").join() {
        std::panic::resume_unwind(panic);
    }
}

/// Returns `start` `depth` times, `middle`, and `end` `depth` times.
///
/// ```
/// use textsearch_conformance::nested;
///
/// assert_eq!(nested(("[", "1", "]"), 3), "[[[1]]]");
/// ```
pub fn nested((start, middle, end): (&str, &str, &str), depth: usize) -> String {
    format!("{}{middle}{}", start.repeat(depth), end.repeat(depth))
}
