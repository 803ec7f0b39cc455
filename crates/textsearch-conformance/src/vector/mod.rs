//! The suite that every vector store passes: keys, filters, distances, rankings, full text, hybrids, embeddings, faults.
//!
//! [`vector_suite!`](crate::vector_suite) makes one test of each case; [`vector_cases`] lists them for a program that runs
//! them itself, against a server for example.

mod capabilities;
#[doc(hidden)]
pub mod cases;
mod embeddings;
mod fixture;
mod macros;
mod runner;
mod subject;

pub use capabilities::VectorCapabilities;
pub use embeddings::WordEmbeddings;
pub use runner::{VectorCase, run_vector_case, vector_cases};
pub use subject::VectorSubject;
