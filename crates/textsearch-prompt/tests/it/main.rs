//! Tests of the template engines, through the kernel.

mod calls;
mod chat;
mod errors;
mod handlebars_js;
mod helpers;
mod round_trip;
mod seed_templates;
mod semantic_kernel;
mod support;
mod trust;
mod variables;
