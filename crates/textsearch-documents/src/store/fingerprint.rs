//! Fingerprints of document versions.

use serde_json::{Map, Value, json};
use twox_hash::XxHash3_128;

use crate::{ChunkerConfig, Document, facts::MODIFIED};

/// Incremented when the same document produces other records.
const REVISION: u64 = 4;

/// Returns a hexadecimal hash of everything that a document's records are made from, with the stored
/// `facts`, but without the time of the file: a copy has another one.
pub(super) fn fingerprint(
    document: &Document,
    facts: &Map<String, Value>,
    config: &ChunkerConfig,
    max_tokens: Option<usize>,
) -> String {
    let mut hash = XxHash3_128::new();
    let mut add = |part: &[u8]| {
        // Lengths prevent collisions between different pairs of adjacent values.
        hash.write(&(part.len() as u64).to_le_bytes());
        hash.write(part);
    };
    add(&REVISION.to_le_bytes());
    add(&(config.max_characters as u64).to_le_bytes());
    add(&(config.overlap_characters as u64).to_le_bytes());
    add(&(max_tokens.unwrap_or(0) as u64).to_le_bytes());
    add(format!("{:?}", document.format).as_bytes());
    for part in [&document.name, &document.link] {
        add(&[u8::from(part.is_some())]);
        add(part.as_deref().unwrap_or_default().as_bytes());
    }
    add(sorted(&Value::Object(document.metadata.clone())).to_string().as_bytes());
    add(document.text.as_bytes());
    for section in &document.sections {
        add(json!(section).to_string().as_bytes());
    }
    let mut facts = facts.clone();
    facts.remove(MODIFIED);
    add(sorted(&Value::Object(facts)).to_string().as_bytes());
    format!("{:032x}", hash.finish_128())
}

/// Sorts fields by name: a map may not.
fn sorted(value: &Value) -> Value {
    match value {
        Value::Object(object) => {
            let mut fields: Vec<_> = object.iter().collect();
            fields.sort_by_key(|(name, _)| *name);
            fields.into_iter().map(|(name, value)| (name.clone(), sorted(value))).collect()
        }
        Value::Array(values) => values.iter().map(sorted).collect(),
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fingerprint_covers_all_parts_and_chunk_sizes() {
        let document = Document::markdown("a", "text").with_name("name").with_metadata("x", 1);
        let config = ChunkerConfig::default();
        let fingerprint = |document: &Document, config: &_, max| {
            super::fingerprint(document, &Map::new(), config, max)
        };
        let first = fingerprint(&document, &config, None);
        assert_eq!(first, fingerprint(&document.clone(), &config, None));
        assert_eq!(first.len(), 32);
        let others = [
            fingerprint(&Document { text: "texts".to_owned(), ..document.clone() }, &config, None),
            fingerprint(&Document { name: None, ..document.clone() }, &config, None),
            fingerprint(&document.clone().with_link("name"), &config, None),
            fingerprint(&document.clone().with_metadata("x", 2), &config, None),
            fingerprint(
                &Document { format: crate::DocumentFormat::Html, ..document.clone() },
                &config,
                None,
            ),
            fingerprint(
                &document,
                &ChunkerConfig { overlap_characters: 7, ..config.clone() },
                None,
            ),
            fingerprint(&document, &config, Some(256)),
        ];
        for other in others {
            assert_ne!(first, other);
        }
    }

    #[test]
    fn fingerprint_covers_facts_but_not_the_time_of_the_file() {
        let document = Document::markdown("a", "text");
        let with_facts = |facts: Value| {
            let facts = facts.as_object().unwrap();
            fingerprint(&document, facts, &ChunkerConfig::default(), None)
        };
        assert_eq!(with_facts(json!({ "modified": "2024-01-01" })), with_facts(json!({})));
        assert_ne!(with_facts(json!({ "author": "Ada" })), with_facts(json!({})));
    }
}
