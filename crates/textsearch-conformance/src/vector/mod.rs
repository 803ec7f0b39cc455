//! The suite for vector stores.
//!
//! [`vector_suite!`](crate::vector_suite) generates one test per case. [`vector_cases`] lists the
//! cases for a program that runs them itself.

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
