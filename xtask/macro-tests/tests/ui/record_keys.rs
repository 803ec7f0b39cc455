//! A record has one key, of a suitable type.

use serde::{Deserialize, Serialize};
use textsearch_core::vector::VectorRecord;

#[derive(Serialize, Deserialize, VectorRecord)]
struct Keyless {
    title: String,
}

#[derive(Serialize, Deserialize, VectorRecord)]
struct Twofold {
    #[record(key)]
    one: String,
    #[record(key)]
    other: String,
}

#[derive(Serialize, Deserialize, VectorRecord)]
struct Signed {
    #[record(key)]
    number: i64,
}

#[derive(Serialize, Deserialize, VectorRecord)]
struct Missing {
    #[record(key)]
    number: Option<u64>,
}

#[derive(Serialize, Deserialize, VectorRecord)]
struct Kind {
    #[record(key, kind = "number")]
    number: u64,
}

#[derive(Serialize, Deserialize, VectorRecord)]
struct Filtered {
    #[record(key, filterable)]
    number: u64,
}

#[derive(Serialize, Deserialize, VectorRecord)]
struct Skipped {
    #[record(key)]
    #[serde(skip)]
    number: u64,
}

fn main() {}
