//! The serde form of filters, which stores and tools exchange: see [`Filter`](super::Filter).

mod depth;
mod deserialize;
mod parts;
mod schema;
mod serialize;
mod value;

/// The operator names of comparisons; `and`, `or` and `not` are separate keys.
const OPERATORS: &[&str] =
    &["eq", "ne", "lt", "le", "gt", "ge", "in", "contains", "starts_with", "exists"];
