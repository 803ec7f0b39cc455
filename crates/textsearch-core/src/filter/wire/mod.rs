//! The serde form of filters: see [`Filter`](super::Filter).

mod deserialize;
mod schema;
mod serialize;

/// Without `and`, `or` and `not`, which are keys.
const OPERATORS: &[&str] =
    &["eq", "ne", "lt", "le", "gt", "ge", "in", "contains", "starts_with", "exists"];
