//! The sizes and distances at which an element shows nothing.

use super::measure::{at_least, at_most};

/// Maximum opacity or scale at which text is unreadable.
pub(super) const MIN_OPACITY: f32 = 0.05;

/// Distances in pixels beyond which an element is off the page: to the left or the top, to the
/// right or the bottom, and from there to the left or the top.
pub(super) const FAR_BEFORE: f32 = -900.0;
pub(super) const FAR_BEHIND: f32 = 5_000.0;
pub(super) const FAR_FROM_END: f32 = 2_500.0;

/// Sizes in pixels at which a box shows nothing and letters are unreadable.
const TINY: f32 = 1.4;
pub(super) const TINY_LETTERS: f32 = 2.0;

/// Whether a distance to the right or the bottom is off the page.
pub(super) fn is_far(distance: f32) -> bool {
    at_most(distance, FAR_BEFORE) || at_least(distance, FAR_BEHIND)
}

pub(super) fn is_tiny(size: f32) -> bool {
    at_most(size, TINY)
}
