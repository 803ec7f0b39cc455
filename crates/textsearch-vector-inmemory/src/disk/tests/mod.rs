//! Tests of stores whose segments are small, so that a few records make many.

mod conformance;
mod model;
mod support;
