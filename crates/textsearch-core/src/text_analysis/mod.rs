//! Full-text analysis: splits texts into terms, and scores how well a text matches a query.
//!
//! Stores that read texts with one [`Analyzer`] and rank them with [`Bm25`] find the same:
//!
//! ```
//! use textsearch_core::text_analysis::{Analyzer, Bm25, TermReader};
//!
//! let analyzer = Analyzer::new(Some("en"));
//! let mut reader = TermReader::new(&analyzer);
//! let documents = [reader.read(["A cat sat."]), reader.read(["The dogs and the cats ran off."])];
//! let terms = reader.into_terms();
//!
//! let lengths: u32 = documents.iter().map(|document| document.length).sum();
//! let bm25 = Bm25::new(2, f64::from(lengths) / 2.0);
//! let mut scores = [0.0, 0.0];
//! for query in analyzer.query_terms("a cat") {
//!     let is_it = |(place, _): &&(u32, u32)| *terms[*place as usize] == *query.term;
//!     let frequencies = documents.each_ref().map(|text| text.frequencies.iter().find(is_it).map_or(0, |(_, count)| *count));
//!     let holders = frequencies.iter().filter(|frequency| **frequency > 0).count();
//!     let weight = f64::from(query.count) * bm25.rarity(holders as u64);
//!     for ((score, text), frequency) in scores.iter_mut().zip(&documents).zip(frequencies) {
//!         *score += weight * bm25.saturation(frequency, text.length);
//!     }
//! }
//! assert!(scores[0] > scores[1], "the shorter text fits better");
//! ```
//!
//! - Words follow [Unicode word segmentation](https://www.unicode.org/reports/tr29/), in lower
//!   case. Chinese, Thai, and Japanese except katakana are split into single characters, Korean at
//!   spaces.
//! - A word that contains other characters, such as `snake_case` or `std.fs`, is a term as a whole,
//!   and so is each of its parts that has a letter.
//! - If the language is known, terms are stems by the [Snowball
//!   algorithms](https://snowballstem.org), and articles such as the French `l'` are cut off.
//! - Stop words are terms too, but do not count towards a text's length. A query drops them unless
//!   it has no other words.

mod analyzer;
mod bm25;
mod language;
#[cfg(feature = "sparse-terms")]
mod sparse;
mod split;
mod stems;
mod stop_words;
mod term_cache;
mod term_table;
mod terms;
#[cfg(test)]
mod tests;
mod values;
mod vocabulary;

pub use crate::languages::{LANGUAGES, language_code};
pub use analyzer::Analyzer;
pub use bm25::Bm25;
#[cfg(feature = "sparse-terms")]
pub use sparse::{SparseFields, SparseTerms, SparseWriter};
pub use terms::{DocumentTerms, QueryTerm, TermReader};
pub use values::texts_of;
