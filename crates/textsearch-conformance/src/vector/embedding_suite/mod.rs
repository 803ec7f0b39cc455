//! The suite for embedding generators. [`embedding_suite!`](crate::embedding_suite) and
//! [`embedding_suite_without_http!`](crate::embedding_suite_without_http) generate one test per
//! case.

#[doc(hidden)]
pub mod cases;
mod contract;
mod macros;
mod subject;

pub use contract::{embedding_cases, embedding_cases_without_http};
pub use subject::{EmbeddingAnswer, EmbeddingSubject};
