//! A mean length is a number above 0. Other settings are unknown.

use serde::{Deserialize, Serialize};
use textsearch_core::vector::VectorRecord;

#[derive(Serialize, Deserialize, VectorRecord)]
struct Record {
    #[record(key)]
    id: String,
    #[record(full_text(mean_length = 0))]
    none: String,
    #[record(full_text(mean_length = -1.5))]
    negative: String,
    #[record(full_text(mean_length = "50"))]
    quoted: String,
    #[record(full_text(mean_length = 1e999))]
    endless: String,
    #[record(full_text(mean_length))]
    missing: String,
    #[record(full_text(mean_length = 5, mean_length = 6))]
    twice: String,
    #[record(full_text(lang = "en"))]
    unknown: String,
    #[record(full_text(language = 5))]
    number: String,
}

fn main() {}
