//! Converts the bytes of a file to text.

mod loader;
mod text;

pub use loader::{ExternalLoader, LoaderError};
pub use text::NotText;
pub(crate) use text::decode_text;
