//! Tests of the public API.

mod check;
mod limits;
mod plan;
mod resume;
mod run;
mod spans;
mod support;
