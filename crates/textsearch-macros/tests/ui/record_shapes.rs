//! A record is a struct with named fields, and one type.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use textsearch_core::{TextSearchRecord, vector::VectorRecord};

#[derive(Serialize, Deserialize, JsonSchema, VectorRecord)]
struct Tuple(String);

#[derive(Serialize, Deserialize, JsonSchema, VectorRecord)]
enum Choice {
    One { id: String },
}

#[derive(Serialize, Deserialize, JsonSchema, VectorRecord)]
struct Generic<T> {
    #[record(key)]
    id: T,
}

#[derive(Serialize, Deserialize, JsonSchema, VectorRecord)]
#[serde(transparent)]
struct Transparent {
    #[record(key)]
    id: String,
}

#[derive(Serialize, JsonSchema, TextSearchRecord)]
enum Page {
    One { title: String },
}

fn main() {}
