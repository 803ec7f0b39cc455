//! The serde form of filters, which stores and tools exchange: see [`Filter`](super::Filter).

mod depth;
mod deserialize;
mod parts;
mod schema;
mod serialize;
mod value;

/// The operators as a comparison names them; `and`, `or` and `not` are keys of their own.
const OPERATORS: &[&str] =
    &["eq", "ne", "lt", "le", "gt", "ge", "in", "contains", "starts_with", "exists"];
