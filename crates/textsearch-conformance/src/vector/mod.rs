//! The suite that every vector store passes: keys, filters, distances, rankings, full text, hybrids, embeddings, faults.
//!
//! [`vector_suite!`](crate::vector_suite) generates one test per case. [`vector_cases`] lists the
//! cases for a program that runs them itself, for example against a server.

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
