//! Full-text analysis: splits texts into terms, and scores how well a text matches a query.
//!
//! [`Analyzer`] describes how it reads texts. Stores that use it and rank with [`Bm25`] return the
//! same results:
//!
//! ```
//! use textsearch_core::text_analysis::{Analyzer, Bm25, TermReader};
//!
//! let analyzer = Analyzer::new(Some("en"));
//! let mut reader = TermReader::new(&analyzer);
//! let text = reader.read(["The cats ran off."]);
//! let terms = reader.into_terms();
//! let query = analyzer.query_terms("a cat");
//! let (place, frequency) = text.frequencies[1];
//! assert_eq!(*terms[place as usize], *query[0].term);
//!
//! let bm25 = Bm25::new(2, 3.0);
//! assert!(bm25.rarity(1) * bm25.saturation(frequency, text.length) > 0.0);
//! ```

#[cfg(feature = "sparse-terms")]
mod sparse;
mod values;

pub use crate::languages::{LANGUAGES, language_code};
#[cfg(feature = "sparse-terms")]
pub use sparse::{SparseFields, SparseTerms, SparseWriter};
#[doc(inline)]
pub use textsearch_text_analysis::{Analyzer, Bm25, DocumentTerms, QueryTerm, TermReader};
pub use values::texts_of;
