//! Full text: the terms of a text as a sparse vector.
//!
//! [BM25](https://en.wikipedia.org/wiki/Okapi_BM25) sums, over the terms of a query, the rarity of
//! the term times its weight in the text. The server applies the rarity (the modifier `Idf`); the
//! weight is written with the record. Each term of each field has a number, the hash of field and
//! term, so that one field can be searched alone. With several fields, each term has one more
//! number for all fields together, with a BM25F weight.

use std::collections::BTreeMap;

use qdrant_client::qdrant::SparseVector;
use textsearch_core::{
    Error, Result,
    filter::lookup,
    text_analysis::{Analyzer, Bm25, TermReader, texts_of},
    vector::{DataField, FullText, RecordDefinition},
};
use twox_hash::XxHash32;

use crate::{CONNECTOR, conversion::Json};

const MEAN_LENGTH: f64 = 256.0;

/// The assumed average number of terms in the field's texts; the server doesn't know it.
pub(crate) fn mean_length(field: &DataField) -> f64 {
    field.full_text.as_ref().and_then(|text| text.mean_length).unwrap_or(MEAN_LENGTH)
}

pub(crate) fn weight(field: &DataField) -> f64 {
    field.full_text.as_ref().map_or(1.0, FullText::weight_or_default)
}

pub(crate) struct TextFields(Vec<TextField>);

struct TextField {
    name: String,
    analyzer: Analyzer,
    bm25: Bm25,
    weight: f64,
}

impl TextFields {
    pub(crate) fn new(definition: &RecordDefinition) -> Self {
        let field = |field: &DataField| {
            let language = field.full_text.as_ref().and_then(|text| text.language.as_deref());
            TextField {
                name: field.name.clone(),
                analyzer: Analyzer::new(language),
                // The server counts the texts and those that contain a term.
                bm25: Bm25::new(0, mean_length(field)),
                weight: weight(field),
            }
        };
        Self(definition.full_text_fields().map(field).collect())
    }

    /// Searches all fields if `names` is empty. Each term counts as often as it occurs in the
    /// query. Returns `None` if the query has no terms.
    ///
    /// # Errors
    /// Returns `InvalidOptions` if there is no such field, no full-text field at all, or for
    /// several but not all fields: weights are stored for one field or for all.
    pub(crate) fn query(
        &self,
        definition: &RecordDefinition,
        names: &[String],
        text: &str,
    ) -> Result<Option<SparseVector>> {
        let wanted = definition.full_text_fields_among(names, CONNECTOR)?;
        let is_wanted = |field: &&TextField| wanted.iter().any(|one| one.name == field.name);
        let alone = match wanted.as_slice() {
            [field] => field.name.as_str(),
            wanted if wanted.len() == self.0.len() => ALL,
            _ => {
                let found = format_args!("{} of {} fields", wanted.len(), self.0.len());
                let allowed = "one field or all of them, which Qdrant stores weights for";
                return Err(Error::invalid_options(CONNECTOR, "full_text_fields", found, allowed));
            }
        };
        let mut weights: BTreeMap<u32, f32> = BTreeMap::new();
        for field in self.0.iter().filter(is_wanted) {
            for query in field.analyzer.query_terms(text) {
                let count = weights.entry(number(alone, &query.term)).or_default();
                *count = count.max(query.count as f32);
            }
        }
        Ok(sparse(weights))
    }
}

pub(crate) struct TermWriter<'a>(Vec<FieldWriter<'a>>);

struct FieldWriter<'a> {
    field: &'a TextField,
    reader: TermReader<'a>,
    numbers: Vec<Numbers>,
}

struct Numbers {
    in_field: u32,
    in_all: u32,
}

impl<'a> TermWriter<'a> {
    pub(crate) fn new(fields: &'a TextFields) -> Self {
        let writer = |field: &'a TextField| {
            let reader = TermReader::new(&field.analyzer);
            FieldWriter { field, reader, numbers: Vec::new() }
        };
        Self(fields.0.iter().map(writer).collect())
    }

    /// Returns `None` if the record has no terms.
    pub(crate) fn document(&mut self, data: &Json) -> Option<SparseVector> {
        let has_one_field = self.0.len() == 1;
        let mut weights: BTreeMap<u32, f32> = BTreeMap::new();
        let mut frequencies: BTreeMap<u32, f64> = BTreeMap::new();
        for FieldWriter { field, reader, numbers } in &mut self.0 {
            let Some(value) = lookup(data, &field.name) else { continue };
            let terms = reader.read(texts_of(value).iter().map(AsRef::as_ref));
            let new = reader.terms().iter().skip(numbers.len());
            numbers.extend(new.map(|term| Numbers::of(&field.name, term)));
            for (term, frequency) in terms.frequencies {
                let Some(Numbers { in_field, in_all }) = numbers.get(term as usize) else {
                    continue;
                };
                let weight = field.bm25.saturation(frequency, terms.length) as f32;
                *weights.entry(*in_field).or_default() += weight;
                if !has_one_field {
                    *frequencies.entry(*in_all).or_default() +=
                        field.weight * field.bm25.relative_frequency(frequency, terms.length);
                }
            }
        }
        for (number, frequency) in frequencies {
            *weights.entry(number).or_default() += Bm25::saturate(frequency) as f32;
        }
        sparse(weights)
    }
}

fn sparse(weights: BTreeMap<u32, f32>) -> Option<SparseVector> {
    let (indices, values) = weights.into_iter().unzip();
    Some(SparseVector { indices, values }).filter(|vector| !vector.indices.is_empty())
}

/// Stands for all fields. Field names are never empty.
const ALL: &str = "";

impl Numbers {
    fn of(field: &str, term: &str) -> Self {
        Self { in_field: number(field, term), in_all: number(ALL, term) }
    }
}

/// Numbers are stored, so this must never change.
fn number(field: &str, term: &str) -> u32 {
    XxHash32::oneshot(0, format!("{field}\0{term}").as_bytes())
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn definition() -> RecordDefinition {
        RecordDefinition::new("id")
            .with_data(DataField::string("title").full_text_in("en"))
            .with_data(DataField::string("body").full_text())
    }

    fn document(data: Value) -> Option<SparseVector> {
        let data = data.as_object().cloned().unwrap();
        TermWriter::new(&TextFields::new(&definition())).document(&data)
    }

    fn query(names: &[&str], text: &str) -> Option<SparseVector> {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        TextFields::new(&definition()).query(&definition(), &names, text).unwrap()
    }

    #[test]
    fn query_terms_equal_document_terms() {
        let text = document(json!({ "title": "Connections" })).unwrap();
        assert!(query(&[], "connected").unwrap().indices.contains(&text.indices[0]));
        assert!(!query(&["body"], "connected").unwrap().indices.contains(&text.indices[0]));
    }

    #[test]
    fn query_drops_stop_words_unless_it_has_nothing_else() {
        assert_eq!(query(&["title"], "the cats and the dogs").unwrap().indices.len(), 2);
        assert_eq!(query(&["title"], "the and the").unwrap().values.iter().sum::<f32>(), 3.0);
        assert_eq!(query(&[], "..."), None);
    }

    #[test]
    fn weight_grows_with_frequency_and_shrinks_with_length() {
        let term = query(&["body"], "fox").unwrap().indices[0];
        let weight = |text: &str| {
            let found = document(json!({ "body": text })).unwrap();
            let place = found.indices.iter().position(|index| *index == term).unwrap();
            found.values[place]
        };
        assert!(weight("fox fox") > weight("fox"));
        assert!(weight("fox") > weight(&format!("fox {}", "dog ".repeat(500))));
    }

    #[test]
    fn word_weighs_more_in_heavier_field() {
        let field = |name| DataField::string(name).full_text().with_mean_length(1.0);
        let definition = RecordDefinition::new("id")
            .with_data(field("title").with_weight(3.0))
            .with_data(field("body"));
        let fields = TextFields::new(&definition);
        let term = number(ALL, "fox");
        let weight = |data: Value| {
            let found = TermWriter::new(&fields).document(data.as_object().unwrap()).unwrap();
            let place = found.indices.iter().position(|index| *index == term).unwrap();
            found.values[place]
        };
        // For texts of mean length, the frequency is the weight, and saturates once.
        let saturated = |frequency: f64| (frequency * 2.2 / (frequency + 1.2)) as f32;
        assert_eq!(weight(json!({ "title": "fox" })), saturated(3.0));
        assert_eq!(weight(json!({ "body": "fox" })), saturated(1.0));
        assert_eq!(weight(json!({ "title": "fox", "body": "fox" })), saturated(4.0));
    }

    #[test]
    fn term_numbers_never_change() {
        assert_eq!(number("body", "fox"), XxHash32::oneshot(0, b"body\0fox"));
    }

    #[test]
    fn text_without_words_has_no_vector() {
        assert_eq!(document(json!({ "body": "...", "title": null })), None);
    }
}
