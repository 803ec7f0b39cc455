//! The error lists known attributes, and where a misplaced one belongs.

use serde::{Deserialize, Serialize};
use textsearch_core::vector::VectorRecord;

#[derive(Serialize, Deserialize, VectorRecord)]
#[record(filterable)]
struct Misplaced {
    #[record(key, shards = 2)]
    id: String,
}

#[derive(Serialize, Deserialize, VectorRecord)]
#[record(replicas = 2)]
struct Unknown {
    #[record(key)]
    id: String,
    #[record(filterabel)]
    title: String,
    #[record(link, link)]
    twice: String,
}

#[derive(Serialize, Deserialize, VectorRecord)]
struct Roles {
    #[record(key)]
    id: String,
    #[record(name)]
    title: String,
    #[record(name)]
    name: String,
    #[record(published)]
    year: i32,
    #[record(full_text)]
    is_open: bool,
    #[record(kind = "text")]
    kind: String,
    #[record(filterable)]
    #[serde(skip)]
    skipped: String,
    #[record(filterable)]
    #[serde(flatten)]
    rest: serde_json::Map<String, serde_json::Value>,
}

#[derive(Serialize, Deserialize, VectorRecord)]
struct Names {
    #[record(key)]
    id: String,
    #[serde(rename(serialize = "Title", deserialize = "title"))]
    title: String,
}

fn main() {}
