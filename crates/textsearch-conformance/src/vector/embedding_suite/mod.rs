//! The suite for embedding generators. [`embedding_suite!`](crate::embedding_suite) and
//! [`embedding_suite_without_http!`](crate::embedding_suite_without_http) generate one test per
//! case.

mod cases;
mod contract;
mod subject;

pub use contract::embedding_cases;
pub use subject::{EmbeddingAnswer, EmbeddingSubject};
