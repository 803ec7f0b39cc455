//! The suites for vector stores and embedding generators.
//!
//! [`vector_suite!`](crate::vector_suite), [`store_search_suite!`](crate::store_search_suite) and
//! [`embedding_suite!`](crate::embedding_suite) generate one test per case. [`vector_cases`] and
//! [`embedding_cases`] list the cases for a program that runs them itself.

mod capabilities;
mod cases;
mod contract;
mod embedding_suite;
mod embeddings;
mod fixture;
mod runner;
mod subject;
mod text_search;

pub use capabilities::{VectorCapabilities, VectorFeature};
pub use contract::vector_cases;
pub use embedding_suite::{EmbeddingAnswer, EmbeddingSubject, embedding_cases};
pub use embeddings::WordEmbeddings;
pub use subject::VectorSubject;
pub use text_search::store_search_subject;
