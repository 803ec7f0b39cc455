#![doc = include_str!("../README.md")]

mod collection;
mod columns;
mod database;
mod records;
mod store;

use std::fmt;

use textsearch_core::Error;

pub use store::{{type_name}}Store;

const CONNECTOR: &str = "{{id}}";

fn refused(option: &str, found: impl fmt::Display, allowed: &str) -> Error {
    Error::invalid_options(CONNECTOR, option, found, allowed)
}
