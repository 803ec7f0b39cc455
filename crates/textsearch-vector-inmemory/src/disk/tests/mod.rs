//! Tests of stores whose segments are small, so that a few records make many.

mod conformance;
mod crash;
mod damage;
mod model;
mod readers;
mod support;
