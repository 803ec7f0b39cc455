//! Tests of filters.

mod builder;
mod date_time;
mod fields;
mod nesting;
mod properties;
mod push_down;
mod semantics;
mod strategies;
mod text;
mod wire;
