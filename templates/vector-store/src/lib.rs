#![doc = include_str!("../README.md")]

mod collection;
mod columns;
mod database;
mod order;
mod records;
mod store;

pub use store::{{type_name}}Store;

const CONNECTOR: &str = "{{id}}";
