//! Full text for stores with sparse vectors: the terms of a text as numbers with weights.
//!
//! [BM25](https://en.wikipedia.org/wiki/Okapi_BM25) sums, over the terms of a query, the rarity of
//! the term times its weight in the text. The store computes the rarity from all of its records;
//! the weight is written with the record. Each term of each field has a number, the hash of field
//! and term, so that one field can be searched alone. With several fields, each term has one more
//! number for all fields together, with a BM25F weight.

use std::collections::BTreeMap;

use serde_json::{Map, Value};
use twox_hash::XxHash32;

use super::{Analyzer, Bm25, TermReader, texts_of};
use crate::{
    Error, Result,
    filter::lookup,
    vector::{DataField, FullText, RecordDefinition},
};

const MEAN_LENGTH: f64 = 256.0;

impl FullText {
    /// Returns the mean length that [`SparseFields`] weigh texts by: 256 if unset, because weights
    /// are written before the mean of all texts is known.
    pub fn assumed_mean_length(&self) -> f64 {
        self.mean_length.unwrap_or(MEAN_LENGTH)
    }
}

/// The terms of a text with their weights, sorted by number.
#[derive(Debug, Default, Clone, PartialEq)]
#[non_exhaustive]
pub struct SparseTerms {
    /// The number of each term, once.
    pub numbers: Vec<u32>,
    /// The weight of each term, in the same order.
    pub weights: Vec<f32>,
}

/// The full-text fields of a collection, for stores that keep terms as a sparse vector.
///
/// A record scores, for each term of the query in it: the term's weight in the query × the term's
/// [rarity](Bm25::rarity) among the records with any term × its weight in the record.
///
/// ```
/// use textsearch_core::{
///     serde_json::json,
///     text_analysis::SparseFields,
///     vector::{DataField, RecordDefinition},
/// };
///
/// # fn main() -> textsearch_core::Result<()> {
/// let definition = RecordDefinition::new("id").with_data(DataField::string("text").full_text_in("en"));
/// let fields = SparseFields::new(&definition);
/// let text = json!({ "text": "Readers never wait." });
/// let document = fields.writer().document(text.as_object().unwrap_or(&Default::default()));
/// let query = fields.query(&definition, &[], "waiting", "shelf")?;
/// assert!(document.numbers.contains(&query.numbers[0]));
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct SparseFields(Vec<SparseField>);

#[derive(Debug)]
struct SparseField {
    name: String,
    analyzer: Analyzer,
    bm25: Bm25,
    weight: f64,
}

impl SparseFields {
    /// Makes the analyzers of the definition's full-text fields.
    pub fn new(definition: &RecordDefinition) -> Self {
        let field = |field: &DataField| {
            let text = field.full_text.clone().unwrap_or_default();
            SparseField {
                name: field.name.clone(),
                analyzer: Analyzer::new(text.language.as_deref()),
                // The store counts the texts and those that contain a term.
                bm25: Bm25::new(0, text.assumed_mean_length()),
                weight: text.weight_or_default(),
            }
        };
        Self(definition.full_text_fields().map(field).collect())
    }

    /// Returns the terms of a query over the fields `names`, or over all fields if it is empty. A
    /// term weighs as often as it occurs in the query. Errors name `connector`.
    ///
    /// # Errors
    /// Returns [`InvalidOptions`](crate::ErrorKind::InvalidOptions) if there is no such field, no
    /// full-text field at all, or for several but not all fields: weights are stored for one field
    /// or for all.
    pub fn query(
        &self,
        definition: &RecordDefinition,
        names: &[String],
        text: &str,
        connector: &str,
    ) -> Result<SparseTerms> {
        let fields = definition.full_text_fields_among(names, connector)?;
        let is_wanted = |field: &&SparseField| fields.iter().any(|other| other.name == field.name);
        let alone = match fields.as_slice() {
            [field] => field.name.as_str(),
            fields if fields.len() == self.0.len() => ALL,
            _ => {
                let value = format_args!("{} of {} fields", fields.len(), self.0.len());
                let allowed = "one field or all of them: the store has weights for no others";
                return Err(Error::invalid_options(connector, "full_text_fields", value, allowed));
            }
        };
        let mut weights: BTreeMap<u32, f32> = BTreeMap::new();
        for field in self.0.iter().filter(is_wanted) {
            for query in field.analyzer.query_terms(text) {
                let count = weights.entry(number(alone, &query.term)).or_default();
                *count = count.max(query.count as f32);
            }
        }
        Ok(SparseTerms::from(weights))
    }

    /// Makes a writer for a batch of records.
    pub fn writer(&self) -> SparseWriter<'_> {
        let writer = |field| FieldWriter {
            field,
            reader: TermReader::new(&field.analyzer),
            numbers: Vec::new(),
        };
        SparseWriter(self.0.iter().map(writer).collect())
    }
}

/// Reads the full-text fields of many records.
pub struct SparseWriter<'a>(Vec<FieldWriter<'a>>);

struct FieldWriter<'a> {
    field: &'a SparseField,
    reader: TermReader<'a>,
    numbers: Vec<Numbers>,
}

struct Numbers {
    in_field: u32,
    in_all: u32,
}

impl SparseWriter<'_> {
    /// Returns the terms of a record.
    pub fn document(&mut self, data: &Map<String, Value>) -> SparseTerms {
        let has_one_field = self.0.len() == 1;
        let mut weights: BTreeMap<u32, f32> = BTreeMap::new();
        let mut frequencies: BTreeMap<u32, f64> = BTreeMap::new();
        for FieldWriter { field, reader, numbers } in &mut self.0 {
            let Some(value) = lookup(data, &field.name) else { continue };
            let terms = reader.read(texts_of(value).iter().map(AsRef::as_ref));
            let new = reader.terms().iter().skip(numbers.len());
            numbers.extend(new.map(|term| Numbers::new(&field.name, term)));
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
        SparseTerms::from(weights)
    }
}

impl std::fmt::Debug for SparseWriter<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let fields = self.0.iter().map(|writer| &writer.field.name);
        formatter.debug_list().entries(fields).finish()
    }
}

impl SparseTerms {
    /// Returns whether there are no terms.
    pub fn is_empty(&self) -> bool {
        self.numbers.is_empty()
    }
}

impl From<BTreeMap<u32, f32>> for SparseTerms {
    fn from(weights: BTreeMap<u32, f32>) -> Self {
        let (numbers, weights) = weights.into_iter().unzip();
        Self { numbers, weights }
    }
}

/// Stands for all fields. Field names are never empty.
const ALL: &str = "";

impl Numbers {
    fn new(field: &str, term: &str) -> Self {
        Self { in_field: number(field, term), in_all: number(ALL, term) }
    }
}

/// Numbers are stored, so this must never change.
fn number(field: &str, term: &str) -> u32 {
    XxHash32::oneshot(0, format!("{field}\0{term}").as_bytes())
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

    fn document(data: Value) -> SparseTerms {
        let data = data.as_object().cloned().unwrap();
        SparseFields::new(&definition()).writer().document(&data)
    }

    fn query(names: &[&str], text: &str) -> SparseTerms {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        SparseFields::new(&definition()).query(&definition(), &names, text, "shelf").unwrap()
    }

    #[test]
    fn query_terms_equal_document_terms() {
        let text = document(json!({ "title": "Connections" }));
        assert!(query(&[], "connected").numbers.contains(&text.numbers[0]));
        assert!(!query(&["body"], "connected").numbers.contains(&text.numbers[0]));
    }

    #[test]
    fn query_drops_stop_words_unless_it_has_nothing_else() {
        assert_eq!(query(&["title"], "the cats and the dogs").numbers.len(), 2);
        assert_eq!(query(&["title"], "the and the").weights.iter().sum::<f32>(), 3.0);
        assert!(query(&[], "...").is_empty());
    }

    #[test]
    fn weight_grows_with_frequency_and_shrinks_with_length() {
        let term = query(&["body"], "fox").numbers[0];
        let weight = |text: &str| {
            let terms = document(json!({ "body": text }));
            let place = terms.numbers.iter().position(|index| *index == term).unwrap();
            terms.weights[place]
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
        let fields = SparseFields::new(&definition);
        let term = number(ALL, "fox");
        let weight = |data: Value| {
            let terms = fields.writer().document(data.as_object().unwrap());
            let place = terms.numbers.iter().position(|index| *index == term).unwrap();
            terms.weights[place]
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
    fn text_without_words_has_no_terms() {
        assert!(document(json!({ "body": "...", "title": null })).is_empty());
    }
}
