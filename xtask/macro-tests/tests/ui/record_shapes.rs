//! A record is a struct with named fields, and one type.

use serde::{Deserialize, Serialize};
use textsearch_core::schemars::{self, JsonSchema};
use textsearch_core::{TextSearchRecord, vector::VectorRecord};

#[derive(Serialize, Deserialize, VectorRecord)]
struct Tuple(String);

#[derive(Serialize, Deserialize, VectorRecord)]
enum Choice {
    One { id: String },
}

#[derive(Serialize, Deserialize, VectorRecord)]
struct Generic<T> {
    #[record(key)]
    id: T,
}

#[derive(Serialize, Deserialize, VectorRecord)]
#[serde(transparent)]
struct Transparent {
    #[record(key)]
    id: String,
}

#[derive(Serialize, TextSearchRecord)]
enum Page {
    One { title: String },
}

#[derive(Clone, Serialize, Deserialize, VectorRecord)]
#[serde(into = "Wire", from = "Wire")]
struct Other {
    #[record(key)]
    id: String,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Wire {
    number: String,
}

impl From<Other> for Wire {
    fn from(Other { id: number }: Other) -> Self {
        Self { number }
    }
}

impl From<Wire> for Other {
    fn from(Wire { number: id }: Wire) -> Self {
        Self { id }
    }
}

#[derive(Serialize, Deserialize, VectorRecord)]
#[serde(try_from = "Wire")]
struct Checked {
    #[record(key)]
    id: String,
}

impl TryFrom<Wire> for Checked {
    type Error = String;

    fn try_from(Wire { number: id }: Wire) -> Result<Self, String> {
        Ok(Self { id })
    }
}

fn main() {}
