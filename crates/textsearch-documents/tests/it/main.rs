//! The public face of the crate.

mod chunks;
mod failures;
mod html;
mod laws;
mod search;
mod store;
mod wrapper;
