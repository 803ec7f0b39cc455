//! What chat services over HTTP share: the reader of streams, limits, names, and checks of options.

mod check;
mod limits;
mod names;
mod stream;

pub use check::{check_options, misplaced_part, refuse_options};
pub use limits::{bounded_list, check_length, http_settings};
pub use names::sendable_name;
pub use stream::{Assembly, read_stream};
