//! Missing and invalid settings of vectors.

use serde::{Deserialize, Serialize};
use textsearch_core::vector::VectorRecord;

#[derive(Serialize, Deserialize, VectorRecord)]
struct Record {
    #[record(key)]
    id: String,
    #[record(vector)]
    without_dimensions: Vec<f32>,
    #[record(vector(dimensions = 0))]
    empty: Vec<f32>,
    #[record(vector(dimensions = 3))]
    array: [f32; 3],
    #[record(vector(dimensions = 3), filterable, name)]
    filtered: Vec<f32>,
    #[record(vector(dimensions = 3, distance = "cosine"))]
    distance: Vec<f32>,
    #[record(vector(dimensions = 3, index = "ivf"))]
    index: Vec<f32>,
    #[record(vector(dimensions = 3, connections = 16))]
    parameter: Vec<f32>,
    #[record(vector(dimensions = 3, quantization = "int8"))]
    quantization: Vec<f32>,
    #[record(vector(dimension = 3))]
    misspelled: Vec<f32>,
    #[record(vector(dimensions = 3, embedded_from(title, "bdoy")))]
    source: Vec<f32>,
    #[record(vector(dimensions = 3, embedded_from(source)))]
    source_is_a_vector: Vec<f32>,
    body: String,
}

#[derive(Serialize, Deserialize, VectorRecord)]
struct Text {
    #[record(key)]
    id: String,
    #[record(vector(dimensions = 3))]
    embedding: Vec<f64>,
}

#[derive(Serialize, Deserialize, VectorRecord)]
struct ByHand {
    #[record(key)]
    id: String,
    #[record(vector(dimensions = 3))]
    #[serde(deserialize_with = "numbers")]
    embedding: Vec<f32>,
}

fn numbers<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Vec<f32>, D::Error> {
    Vec::deserialize(deserializer)
}

fn main() {}
