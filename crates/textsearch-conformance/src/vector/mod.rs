//! The suite for vector stores.
//!
//! [`vector_suite!`](crate::vector_suite) generates one test per case. [`vector_cases`] lists the
//! cases for a program that runs them itself.

mod capabilities;
#[doc(hidden)]
pub mod cases;
mod contract;
mod embeddings;
mod fixture;
mod macros;
mod runner;
mod subject;

pub use capabilities::VectorCapabilities;
pub use contract::vector_cases;
pub use embeddings::WordEmbeddings;
#[doc(hidden)]
pub use runner::check;
pub use runner::run_vector_case;
pub use subject::VectorSubject;
