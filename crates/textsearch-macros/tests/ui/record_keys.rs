//! A record has one key, of a type that can be one.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use textsearch_core::vector::VectorRecord;

#[derive(Serialize, Deserialize, JsonSchema, VectorRecord)]
struct Keyless {
    title: String,
}

#[derive(Serialize, Deserialize, JsonSchema, VectorRecord)]
struct Twofold {
    #[record(key)]
    one: String,
    #[record(key)]
    other: String,
}

#[derive(Serialize, Deserialize, JsonSchema, VectorRecord)]
struct Signed {
    #[record(key)]
    number: i64,
}

#[derive(Serialize, Deserialize, JsonSchema, VectorRecord)]
struct Missing {
    #[record(key)]
    number: Option<u64>,
}

#[derive(Serialize, Deserialize, JsonSchema, VectorRecord)]
struct Kind {
    #[record(key, kind = "number")]
    number: u64,
}

#[derive(Serialize, Deserialize, JsonSchema, VectorRecord)]
struct Filtered {
    #[record(key, filterable)]
    number: u64,
}

#[derive(Serialize, Deserialize, JsonSchema, VectorRecord)]
struct Skipped {
    #[record(key)]
    #[serde(skip)]
    number: u64,
}

fn main() {}
