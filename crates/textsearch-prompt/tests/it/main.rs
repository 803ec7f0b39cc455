//! The template engines through the kernel's public API.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a panic in a test's helper is a failed test with a line number"
)]

mod calls;
mod chat;
mod errors;
mod handlebars_crate;
mod handlebars_js;
mod helpers;
mod nesting;
mod parameters;
mod round_trip;
mod seed_templates;
mod semantic_kernel;
mod support;
mod trust;
mod variables;
mod work;
