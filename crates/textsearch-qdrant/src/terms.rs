//! Full text: the terms of a text as a sparse vector, whose rarity the server knows.
//!
//! [BM25](https://en.wikipedia.org/wiki/Okapi_BM25) is a sum over the terms of a query of how rare the term is times how
//! much of it the text has. The first the server adds (the modifier `Idf`); the second is written with the record. Each
//! term of each field has a number, the hash of both, so that fields can be searched apart.

use std::collections::{BTreeMap, HashSet};

use qdrant_client::qdrant::SparseVector;
use rust_stemmers::{Algorithm, Stemmer};
use serde_json::Value;
use textsearch_core::{
    Error, Result,
    filter::lookup,
    vector::{DataField, RecordDefinition},
};
use twox_hash::XxHash32;
use unicode_segmentation::UnicodeSegmentation as _;

use crate::{CONNECTOR, conversion::Json};

/// How soon more of the same term stops to count for more.
const K1: f32 = 1.2;

/// How much a long text counts against itself.
const B: f32 = 0.75;

/// The longest word, in bytes, that is cut down to its stem: anything longer is no word of a language.
const LONGEST_STEMMED: usize = 64;

/// Makes sparse vectors of texts.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TermWriter {
    average_words: f32,
}

impl TermWriter {
    pub(crate) fn new(average_words: f32) -> Self {
        Self { average_words }
    }

    /// The terms of a record, with how much it has of each; `None` where it has none.
    pub(crate) fn document(
        &self,
        definition: &RecordDefinition,
        data: &Json,
    ) -> Option<SparseVector> {
        let mut weights: BTreeMap<u32, f32> = BTreeMap::new();
        for field in definition.full_text_fields() {
            let Some(value) = lookup(data, &field.name) else { continue };
            let mut counts: BTreeMap<u32, f32> = BTreeMap::new();
            let mut length = 0.0;
            for_each_text(value, &mut |text| {
                for_each_term(field, text, |term| {
                    *counts.entry(number(field, term)).or_default() += 1.0;
                    length += 1.0;
                });
            });
            for (term, count) in counts {
                let long = 1.0 - B + B * length / self.average_words;
                *weights.entry(term).or_default() += count * (K1 + 1.0) / (count + K1 * long);
            }
        }
        sparse(weights)
    }

    /// The terms of a query in these fields, each as often as the query has it; `None` where there are none.
    pub(crate) fn query(fields: &[&DataField], text: &str) -> Option<SparseVector> {
        let mut weights: BTreeMap<u32, f32> = BTreeMap::new();
        for field in fields {
            for_each_term(field, text, |term| {
                *weights.entry(number(field, term)).or_default() += 1.0;
            });
        }
        sparse(weights)
    }
}

/// The full-text fields called `names`; all of them where there are no names.
///
/// # Errors
/// `InvalidOptions` where there is no such field, or none at all.
pub(crate) fn fields<'a>(
    definition: &'a RecordDefinition,
    names: &[String],
) -> Result<Vec<&'a DataField>> {
    let all: Vec<&DataField> = definition.full_text_fields().collect();
    let refused = |found: &dyn std::fmt::Display, allowed: String| {
        Error::invalid_options(CONNECTOR, "full_text_fields", found, allowed)
    };
    if all.is_empty() {
        let allowed = "a collection with a full-text field: mark one with `DataField::full_text` \
                       or `DataField::full_text_in`";
        return Err(refused(&"used on a collection without any", allowed.to_owned()));
    }
    if names.is_empty() {
        return Ok(all);
    }
    let known: Vec<&str> = all.iter().map(|field| field.name.as_str()).collect();
    let unknown = names.iter().find(|name| !known.contains(&name.as_str()));
    if let Some(name) = unknown {
        return Err(refused(&format_args!("`{name}`"), known.join(", ")));
    }
    let wanted: HashSet<&str> = names.iter().map(String::as_str).collect();
    Ok(all.into_iter().filter(|field| wanted.contains(field.name.as_str())).collect())
}

fn sparse(weights: BTreeMap<u32, f32>) -> Option<SparseVector> {
    let (indices, values) = weights.into_iter().unzip();
    Some(SparseVector { indices, values }).filter(|vector| !vector.indices.is_empty())
}

/// The texts and numbers in a value, however deep they stand.
fn for_each_text(value: &Value, emit: &mut impl FnMut(&str)) {
    match value {
        Value::Null | Value::Bool(_) => {}
        Value::Number(number) => emit(&number.to_string()),
        Value::String(text) => emit(text),
        Value::Array(items) => items.iter().for_each(|item| for_each_text(item, emit)),
        Value::Object(fields) => fields.values().for_each(|item| for_each_text(item, emit)),
    }
}

/// The words of a text in lower case, and cut down to their stems where the field has a language. A word that holds other
/// signs, such as `std.fs`, is a term as a whole and in each of its parts that have a letter.
fn for_each_term(field: &DataField, text: &str, mut emit: impl FnMut(&str)) {
    let stemmer = stemmer(field).map(Stemmer::create);
    let mut emit = |word: &str| match &stemmer {
        Some(stemmer) if word.len() <= LONGEST_STEMMED => emit(&stemmer.stem(word)),
        _ => emit(word),
    };
    for word in text.unicode_words() {
        let word = word.to_lowercase();
        emit(&word);
        if word.contains(is_joint) {
            let parts = word.split(is_joint);
            parts.filter(|part| part.contains(char::is_alphabetic)).for_each(&mut emit);
        }
    }
}

/// Whether a sign inside a word joins what could stand alone. An apostrophe does not: `don't` is one word.
fn is_joint(sign: char) -> bool {
    sign.is_ascii_punctuation() && sign != '\''
}

/// The number of a term: part of what is stored, so the same for ever.
fn number(field: &DataField, term: &str) -> u32 {
    XxHash32::oneshot(0, format!("{}\0{term}", field.name).as_bytes())
}

fn stemmer(field: &DataField) -> Option<Algorithm> {
    let code = field.full_text.as_ref()?.language.as_deref()?;
    let code = code.split(['-', '_']).next().unwrap_or_default().to_ascii_lowercase();
    Some(match code.as_str() {
        "ar" => Algorithm::Arabic,
        "da" => Algorithm::Danish,
        "de" => Algorithm::German,
        "el" => Algorithm::Greek,
        "en" => Algorithm::English,
        "es" => Algorithm::Spanish,
        "fi" => Algorithm::Finnish,
        "fr" => Algorithm::French,
        "hu" => Algorithm::Hungarian,
        "it" => Algorithm::Italian,
        "nb" | "nn" | "no" => Algorithm::Norwegian,
        "nl" => Algorithm::Dutch,
        "pt" => Algorithm::Portuguese,
        "ro" => Algorithm::Romanian,
        "ru" => Algorithm::Russian,
        "sv" => Algorithm::Swedish,
        "ta" => Algorithm::Tamil,
        "tr" => Algorithm::Turkish,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn definition() -> RecordDefinition {
        RecordDefinition::new("id")
            .with_data(DataField::string("title").full_text_in("en"))
            .with_data(DataField::string("body").full_text())
    }

    fn document(data: Value) -> Option<SparseVector> {
        let data = data.as_object().cloned().unwrap();
        TermWriter::new(256.0).document(&definition(), &data)
    }

    #[test]
    fn a_query_has_the_terms_of_the_texts_that_it_is_to_find() {
        let definition = definition();
        let all = fields(&definition, &[]).unwrap();
        let text = document(json!({ "title": "Connections" })).unwrap();
        let query = TermWriter::query(&all, "connected").unwrap();
        assert!(query.indices.contains(&text.indices[0]));
        let body = fields(&definition, &["body".to_owned()]).unwrap();
        let query = TermWriter::query(&body, "connected").unwrap();
        assert!(!query.indices.contains(&text.indices[0]));
    }

    #[test]
    fn more_of_a_term_counts_for_more_and_a_longer_text_for_less() {
        let weight = |text: &str| {
            let found = document(json!({ "body": text })).unwrap();
            let definition = definition();
            let term = TermWriter::query(&[&definition.data[1]], "fox").unwrap().indices[0];
            let place = found.indices.iter().position(|index| *index == term).unwrap();
            found.values[place]
        };
        assert!(weight("fox fox") > weight("fox"));
        assert!(weight("fox") > weight(&format!("fox {}", "dog ".repeat(500))));
    }

    #[test]
    fn numbers_of_terms_never_change() {
        assert_eq!(number(&definition().data[1], "fox"), XxHash32::oneshot(0, b"body\0fox"));
    }

    #[test]
    fn a_joined_word_is_found_whole_and_by_its_parts() {
        let mut terms = Vec::new();
        for_each_term(&definition().data[1], "Title:apple, don't", |term| {
            terms.push(term.to_owned());
        });
        assert_eq!(terms, ["title:apple", "title", "apple", "don't"]);
    }

    #[test]
    fn a_text_without_words_has_no_vector() {
        assert_eq!(document(json!({ "body": "...", "title": null })), None);
    }
}
