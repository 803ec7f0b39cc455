#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod analyzer;
mod bm25;
mod language;
mod split;
mod stems;
mod stop_words;
mod term_cache;
mod term_table;
mod terms;
#[cfg(test)]
mod tests;
mod vocabulary;
mod words;

pub use analyzer::{Analyzer, QueryTerm};
pub use bm25::Bm25;
pub use terms::{DocumentTerms, TermReader};
