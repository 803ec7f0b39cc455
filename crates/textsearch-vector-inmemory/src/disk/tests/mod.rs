//! Tests of stores whose segments are small, so that a few records make many.

mod conformance;
mod crash;
mod damage;
mod merges;
mod model;
mod readers;
mod support;
