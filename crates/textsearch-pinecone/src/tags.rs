//! What an index remembers of its definition, in its tags.

use std::collections::BTreeMap;

use textsearch_core::{
    Result,
    text_analysis::Analyzer,
    vector::{DataField, KeyKind, RecordDefinition},
};

use crate::{error::refused, key::encoded};

pub(crate) type Tags = BTreeMap<String, String>;

const KEY: &str = "textsearch-key";
const VECTOR: &str = "textsearch-vector";
const DISTANCE: &str = "textsearch-distance";
const WORDS: &str = "textsearch-words";

/// Maximum length of a tag's value.
const LONGEST: usize = 120;

/// The value of a collection without vectors or words. No encoded name begins with it.
const NONE: &str = "! none";

/// Returns the tags of a new index.
pub(crate) fn tags(definition: &RecordDefinition) -> Tags {
    let mut tags = Tags::from([(KEY.to_owned(), key(definition))]);
    match definition.vectors.first() {
        Some(field) => {
            tags.insert(VECTOR.to_owned(), encoded(&field.name, LONGEST));
            tags.insert(DISTANCE.to_owned(), format!("{:?}", field.distance));
        }
        None => {
            tags.insert(VECTOR.to_owned(), NONE.to_owned());
        }
    }
    tags.insert(WORDS.to_owned(), words(definition));
    tags
}

/// Returns the settings that decide the sparse values of records.
fn words(definition: &RecordDefinition) -> String {
    let field = |field: &DataField| {
        let text = field.full_text.clone().unwrap_or_default();
        let language = text.language.as_deref().unwrap_or("any");
        let mean = text.assumed_mean_length();
        let weight = text.weight_or_default();
        format!("{}:{language}:{mean}:{weight}", field.name)
    };
    let fields: Vec<String> = definition.full_text_fields().map(field).collect();
    if fields.is_empty() {
        return NONE.to_owned();
    }
    // Terms of another analysis would not be found.
    encoded(&format!("{}+{}", Analyzer::VERSION, fields.join("+")), LONGEST)
}

/// Returns whether this crate created the index.
pub(crate) fn are_ours(tags: &Tags) -> bool {
    tags.contains_key(KEY)
}

/// Checks the definition against the tags. Indexes of other programs have none.
pub(crate) fn check(definition: &RecordDefinition, existing: &Tags) -> Result<()> {
    let new = tags(definition);
    let differs = |tag: &str| existing.get(tag).filter(|old| new.get(tag) != Some(old));
    if let Some(old) = differs(KEY) {
        let name = &definition.key.name;
        let what = format_args!("a key of the kind and name {}", key(definition));
        return Err(refused(name, what, &format!("{old}, as in the index")));
    }
    if let Some(old) = differs(WORDS) {
        let value = format_args!("set to {}", words(definition));
        let allowed = format!(
            "{old} (version of the analysis, name:language:mean length:weight), as in the index"
        );
        return Err(refused("full_text", value, &allowed));
    }
    let name = definition.vectors.first().map_or("vector", |field| field.name.as_str());
    if let Some(old) = differs(VECTOR) {
        let allowed = format!("the vector {old}, as in the index");
        return Err(refused(name, "the vector of the definition", &allowed));
    }
    if let (Some(old), Some(field)) = (differs(DISTANCE), definition.vectors.first()) {
        let value = format_args!("compared by {:?}", field.distance);
        return Err(refused(name, value, &format!("{old}, as in the index")));
    }
    Ok(())
}

fn key(definition: &RecordDefinition) -> String {
    let kind = match definition.key.kind {
        KeyKind::Integer => "integer",
        KeyKind::Uuid => "uuid",
        _ => "string",
    };
    let name = encoded(&definition.key.name, LONGEST - kind.len() - 1);
    format!("{kind} {name}")
}

#[cfg(test)]
mod tests {
    use textsearch_core::vector::{Distance, VectorField};

    use super::*;

    fn base() -> RecordDefinition {
        RecordDefinition::new("id").with_vector(VectorField::new("embedding", 2))
    }

    #[test]
    fn tags_are_what_pinecone_accepts() {
        let long = RecordDefinition::new("é".repeat(99))
            .with_vector(VectorField::new("\u{0} ".repeat(99), 2))
            .with_data(DataField::string("a é".repeat(99)).full_text());
        for (name, value) in tags(&long).iter().chain(&tags(&RecordDefinition::new("id"))) {
            let is_name = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
            assert!(name.bytes().all(is_name), "{name}");
            assert!((1..=LONGEST).contains(&value.len()), "{value}");
            assert!(value.bytes().all(|byte| (0x20..0x7f).contains(&byte)), "{value}");
        }
    }

    #[test]
    fn another_definition_does_not_fit() {
        let vector = |field: VectorField| RecordDefinition::new("id").with_vector(field);
        let cases = [
            (base().with_key_kind(KeyKind::Uuid), "id"),
            (RecordDefinition::new("id"), "embedding"),
            (vector(VectorField::new("picture", 2)), "embedding"),
            (
                vector(VectorField::new("embedding", 2).with_distance(Distance::CosineDistance)),
                "CosineDistance",
            ),
            (base().with_data(DataField::string("text").full_text_in("en")), "text:en:256:1"),
        ];
        for (new, expected) in cases {
            let error = check(&new, &tags(&base())).unwrap_err();
            assert!(error.message().contains(expected), "{error}");
        }
        assert!(check(&base(), &tags(&base())).is_ok());
        assert!(check(&base(), &Tags::from([("team".to_owned(), "a".to_owned())])).is_ok());
    }
}
