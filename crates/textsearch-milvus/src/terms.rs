//! Full text: the terms of a text as a sparse vector.
//!
//! [BM25](https://en.wikipedia.org/wiki/Okapi_BM25) sums, over the terms of a query, the rarity of
//! the term times its weight in the text. The weight is written with the record, the rarity is in
//! the query's vector. Each term of each field has a number, the hash of field and term, so that
//! one field can be searched alone. With several fields, each term has one more number for all
//! fields together, with a BM25F weight.

use std::collections::BTreeMap;

use serde_json::{Map, Value};
use textsearch_core::{
    Result,
    filter::lookup,
    text_analysis::{Analyzer, Bm25, TermReader, texts_of},
    vector::{DataField, FullText, RecordDefinition},
};
use twox_hash::XxHash32;

use crate::{CONNECTOR, error::refused};

/// The assumed average number of terms in a text; the server doesn't know it.
const MEAN_LENGTH: f64 = 256.0;

/// The dimension of records without terms. The server stores no empty vector.
const NO_TERMS: u32 = u32::MAX - 1;

/// Weights by number.
pub(crate) type Weights = BTreeMap<u32, f32>;

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
            let text = field.full_text.as_ref();
            TextField {
                name: field.name.clone(),
                analyzer: Analyzer::new(text.and_then(|text| text.language.as_deref())),
                // Rarity is computed in searches.
                bm25: Bm25::new(0, text.and_then(|text| text.mean_length).unwrap_or(MEAN_LENGTH)),
                weight: text.map_or(1.0, FullText::weight_or_default),
            }
        };
        Self(definition.full_text_fields().map(field).collect())
    }

    /// Returns how often each term occurs in a query of these fields; of all fields if `names` is
    /// empty.
    ///
    /// # Errors
    /// Returns `InvalidOptions` if there is no such field, no full-text field at all, or for
    /// several but not all fields: weights are stored for one field or for all.
    pub(crate) fn query(
        &self,
        definition: &RecordDefinition,
        names: &[String],
        text: &str,
    ) -> Result<Weights> {
        let wanted = definition.full_text_fields_among(names, CONNECTOR)?;
        let alone = match wanted.as_slice() {
            [field] => field.name.as_str(),
            wanted if wanted.len() == self.0.len() => ALL,
            _ => {
                let found = format_args!("{} of {} fields", wanted.len(), self.0.len());
                let allowed = "one field or all of them, which have weights in the collection";
                return Err(refused("full_text_fields", found, allowed));
            }
        };
        let mut counts = Weights::new();
        for field in self.0.iter().filter(|field| wanted.iter().any(|one| one.name == field.name)) {
            for query in field.analyzer.query_terms(text) {
                let count = counts.entry(number(alone, &query.term)).or_default();
                *count = count.max(query.count as f32);
            }
        }
        Ok(counts)
    }
}

/// Computes the vectors of records. Remembers the numbers of terms.
pub(crate) struct TermWriter<'a>(Vec<FieldWriter<'a>>);

struct FieldWriter<'a> {
    field: &'a TextField,
    reader: TermReader<'a>,
    /// Of each term: its number in the field, and in all fields.
    numbers: Vec<[u32; 2]>,
}

impl<'a> TermWriter<'a> {
    pub(crate) fn new(fields: &'a TextFields) -> Self {
        let writer = |field: &'a TextField| {
            let reader = TermReader::new(&field.analyzer);
            FieldWriter { field, reader, numbers: Vec::new() }
        };
        Self(fields.0.iter().map(writer).collect())
    }

    pub(crate) fn document(&mut self, data: &Map<String, Value>) -> Weights {
        let has_one_field = self.0.len() == 1;
        let mut weights = Weights::new();
        let mut frequencies: BTreeMap<u32, f64> = BTreeMap::new();
        for FieldWriter { field, reader, numbers } in &mut self.0 {
            let Some(value) = lookup(data, &field.name) else { continue };
            let terms = reader.read(texts_of(value).iter().map(AsRef::as_ref));
            let new = reader.terms().iter().skip(numbers.len());
            numbers.extend(new.map(|term| [number(&field.name, term), number(ALL, term)]));
            for (term, frequency) in terms.frequencies {
                let Some([in_field, in_all]) = numbers.get(term as usize) else { continue };
                let weight = field.bm25.saturation(frequency, terms.length);
                *weights.entry(*in_field).or_default() += weight as f32;
                if !has_one_field {
                    *frequencies.entry(*in_all).or_default() +=
                        field.weight * field.bm25.relative_frequency(frequency, terms.length);
                }
            }
        }
        for (number, frequency) in frequencies {
            *weights.entry(number).or_default() += Bm25::saturate(frequency) as f32;
        }
        weights
    }
}

/// Writes a sparse vector as the protocol has it.
pub(crate) fn to_bytes(weights: &Weights) -> Vec<u8> {
    let placeholder = [(&NO_TERMS, &1.0)];
    let placeholder = placeholder.into_iter().filter(|_| weights.is_empty());
    let pairs = weights.iter().chain(placeholder);
    pairs
        .flat_map(|(number, weight)| [number.to_le_bytes(), weight.to_le_bytes()])
        .flatten()
        .collect()
}

/// Returns the score of a stored vector for a query.
pub(crate) fn score(query: &Weights, stored: &[u8]) -> f64 {
    let pairs = stored.chunks_exact(8).filter_map(|pair| {
        let (number, weight) = pair.split_at_checked(4)?;
        let number = u32::from_le_bytes(number.try_into().ok()?);
        let weight = f32::from_le_bytes(weight.try_into().ok()?);
        Some(f64::from(*query.get(&number)?) * f64::from(weight))
    });
    pairs.sum()
}

/// Stands for all fields. Field names are never empty.
const ALL: &str = "";

/// Numbers are stored, so this must never change.
fn number(field: &str, term: &str) -> u32 {
    XxHash32::oneshot(0, format!("{field}\0{term}").as_bytes()) % NO_TERMS
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

    fn document(data: Value) -> Weights {
        TermWriter::new(&TextFields::new(&definition())).document(data.as_object().unwrap())
    }

    fn query(names: &[&str], text: &str) -> Result<Weights> {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        TextFields::new(&definition()).query(&definition(), &names, text)
    }

    #[test]
    fn query_terms_equal_document_terms() {
        let text = document(json!({ "title": "Connections" }));
        assert_eq!(text.len(), 2, "in the field, and in all fields");
        let is_found = |names: &[&str]| {
            query(names, "connected").unwrap().keys().any(|number| text.contains_key(number))
        };
        assert!(is_found(&["title"]) && is_found(&[]) && !is_found(&["body"]));
    }

    #[test]
    fn some_of_three_fields_are_refused() {
        let definition = definition().with_data(DataField::string("note").full_text());
        let names = ["title".to_owned(), "body".to_owned()];
        let refused = TextFields::new(&definition).query(&definition, &names, "fox");
        assert!(refused.unwrap_err().message().contains("2 of 3 fields"));
    }

    #[test]
    fn vectors_are_scored_as_on_the_server() {
        let stored = to_bytes(&document(json!({ "body": "fox fox", "title": "hen" })));
        let query = query(&["body"], "fox dog").unwrap();
        let expected = Bm25::new(0, MEAN_LENGTH).saturation(2, 2);
        assert!((score(&query, &stored) - expected).abs() < 1e-6);
        assert_eq!(score(&Weights::new(), &stored), 0.0);
    }

    #[test]
    fn records_without_terms_have_a_dimension_that_no_query_has() {
        let stored = to_bytes(&document(json!({ "body": "...", "title": null })));
        assert_eq!(stored, [NO_TERMS.to_le_bytes(), 1.0_f32.to_le_bytes()].concat());
        assert!(query(&[], "the ...").unwrap().keys().all(|number| *number < NO_TERMS));
    }

    #[test]
    fn term_numbers_never_change() {
        assert_eq!(number("body", "fox"), 1_827_958_869);
    }
}
