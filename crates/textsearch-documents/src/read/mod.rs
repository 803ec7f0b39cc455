//! From the bytes of a file to text.

mod loader;
mod text;

pub use loader::{ExternalLoader, InvalidLoader, LOADER_MAX_BYTES, LOADER_TIMEOUT, LoadError};
pub use text::{NotText, decode_text};
