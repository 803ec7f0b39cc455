//! What chat services over HTTP share: the reader of streams, limits, and checks of options.

mod check;
mod limits;
mod stream;

pub use check::check_options;
pub use limits::{bounded_list, check_length};
pub use stream::{Assembly, read_stream};
