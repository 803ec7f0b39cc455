//! Tests of filters: tables for every rule, and laws over arbitrary filters.

mod builder;
mod date_time;
mod fields;
mod properties;
mod semantics;
mod strategies;
mod text;
mod wire;
