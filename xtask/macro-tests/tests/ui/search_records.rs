//! Missing and invalid settings of a text search's record.

use serde::Serialize;
use textsearch_core::TextSearchRecord;

#[derive(Serialize, TextSearchRecord)]
struct Textless {
    #[result(name)]
    title: String,
}

#[derive(Serialize, TextSearchRecord)]
struct Mistaken {
    #[result(value)]
    text: String,
    #[result(title)]
    unknown: String,
    #[result(name)]
    one: String,
    #[result(name)]
    other: String,
    #[result(link, id)]
    both: String,
}

#[derive(Serialize, TextSearchRecord)]
struct Typed {
    #[result(value)]
    text: Vec<String>,
    #[result(published)]
    date: u64,
    #[result(score)]
    score: String,
}

#[derive(Serialize, TextSearchRecord)]
struct ByHand {
    #[result(value)]
    text: String,
    #[result(metadata)]
    #[serde(serialize_with = "loudly")]
    language: String,
}

fn loudly<S: serde::Serializer>(text: &str, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&text.to_uppercase())
}

fn main() {}
