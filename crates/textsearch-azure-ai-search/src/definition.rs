//! Definitions that an index can hold.

use textsearch_core::{
    Result,
    vector::{
        DataField, DataKind, Distance, Distribution, HnswParameters, IndexKind, RecordDefinition,
        VectorField,
    },
};

use crate::{CONNECTOR, analyzer::analyzer, columns::columns, error::refused};

/// Names of index fields that begin with it are this crate's.
pub(crate) const RESERVED: &str = "textsearch_";

const DIMENSIONS: std::ops::RangeInclusive<usize> = 2..=4_096;

/// Checks that an index can hold such records.
pub(crate) fn check(name: &str, definition: &RecordDefinition) -> Result<()> {
    definition.validate(CONNECTOR)?;
    check_index_name(name)?;
    check_field_name(&definition.key.name)?;
    columns(definition).try_for_each(|(field, _)| check_field_name(&field.name))?;
    definition.full_text_fields().try_for_each(check_full_text)?;
    definition.vectors.iter().try_for_each(check_vector)?;
    if definition.distribution != Distribution::default() {
        let value = format_args!("{:?}", definition.distribution);
        return Err(refused("distribution", value, "unset: the service's tier decides"));
    }
    Ok(())
}

/// Checks a name by the service's [naming
/// rules](https://learn.microsoft.com/rest/api/searchservice/naming-rules).
fn check_index_name(name: &str) -> Result<()> {
    let is_mark = |byte: u8| byte == b'-' || byte == b'_';
    let is_letter = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    let bytes = name.as_bytes();
    let is_valid = (2..=128).contains(&bytes.len())
        && bytes.iter().all(|byte| is_letter(*byte) || is_mark(*byte))
        && bytes.first().copied().is_some_and(is_letter)
        && !bytes.windows(2).any(|pair| pair.iter().all(|byte| is_mark(*byte)));
    if is_valid {
        return Ok(());
    }
    let allowed = "2 to 128 lower-case letters, digits, `-` and `_`, beginning with a letter or a \
                   digit, without two marks in a row";
    Err(refused("name", format_args!("`{name}`"), allowed))
}

fn check_field_name(name: &str) -> Result<()> {
    if is_name(name) && !name.starts_with("azureSearch") && !name.starts_with(RESERVED) {
        return Ok(());
    }
    let allowed = "a key, a vector and an indexed field called by 1 to 128 letters, digits and `_`, \
                   beginning with a letter, and neither with `azureSearch` nor with `textsearch_`";
    Err(refused("definition", format_args!("a field called `{name}`"), allowed))
}

/// Letters, digits and `_`, beginning with a letter.
pub(crate) fn is_name(name: &str) -> bool {
    let bytes = name.as_bytes();
    (1..=128).contains(&bytes.len())
        && bytes.first().is_some_and(u8::is_ascii_alphabetic)
        && bytes.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
}

fn check_full_text(field: &DataField) -> Result<()> {
    let name = &field.name;
    if !matches!(field.kind, DataKind::String | DataKind::Strings) || name.contains('.') {
        let value = format_args!("a full-text field `{name}` of the kind {:?}", field.kind);
        return Err(refused(name, value, "a text or a list of texts, in a name without dots"));
    }
    match field.full_text.as_ref().and_then(|text| text.language.as_deref()) {
        Some(language) if analyzer(language).is_none() => {
            let allowed = "a language with an analyzer of the service, or none";
            Err(refused(&format!("{name}.language"), format_args!("`{language}`"), allowed))
        }
        _ => Ok(()),
    }
}

/// Rejects mean lengths of texts.
pub(crate) fn check_mean_lengths(definition: &RecordDefinition) -> Result<()> {
    let mean = |field: &DataField| field.full_text.as_ref()?.mean_length;
    let mut fields = definition.full_text_fields();
    match fields.find_map(|field| Some((&field.name, mean(field)?))) {
        Some((name, mean)) => {
            let allowed = "unset, since the service uses the actual mean; or set \
                           AzureSearchConfig::with_ignored_mean_lengths";
            Err(refused(&format!("{name}.mean_length"), mean, allowed))
        }
        None => Ok(()),
    }
}

fn check_vector(field: &VectorField) -> Result<()> {
    let name = &field.name;
    check_field_name(name)?;
    if !DIMENSIONS.contains(&field.dimensions) {
        let value = format_args!("{} dimensions", field.dimensions);
        return Err(refused(name, value, "2 to 4,096 dimensions"));
    }
    if metric(field.distance).is_none() {
        let value = format_args!("compared by {:?}", field.distance);
        return Err(refused(name, value, "cosine, dot product or Euclidean distance"));
    }
    match &field.index {
        IndexKind::Exact => Ok(()),
        IndexKind::Hnsw(parameters) if is_accepted(parameters) => Ok(()),
        other => {
            let allowed = "exact; IndexKind::hnsw(), whose parameters the service chooses; or HNSW with 4 \
                           to 10 connections, and ef_construction and ef_search of 100 to 1,000: \
                           HnswParameters { connections: 8, ..HnswParameters::default() }";
            Err(refused(name, format_args!("{other:?}"), allowed))
        }
    }
}

/// Returns the parameters to set; `None` if the service chooses them. One definition then fits every
/// store, although the service accepts fewer connections than the default.
pub(crate) fn explicit_parameters(parameters: &HnswParameters) -> Option<&HnswParameters> {
    Some(parameters).filter(|parameters| **parameters != HnswParameters::default())
}

fn is_accepted(parameters: &HnswParameters) -> bool {
    let Some(parameters) = explicit_parameters(parameters) else { return true };
    let candidates = 100..=1_000;
    (4..=10).contains(&parameters.connections)
        && candidates.contains(&parameters.ef_construction)
        && candidates.contains(&parameters.ef_search)
}

/// Returns the service's name of a distance.
pub(crate) fn metric(distance: Distance) -> Option<&'static str> {
    Some(match distance {
        Distance::CosineSimilarity | Distance::CosineDistance => "cosine",
        Distance::DotProduct | Distance::NegativeDotProduct => "dotProduct",
        Distance::Euclidean | Distance::EuclideanSquared => "euclidean",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(name: &str, definition: &RecordDefinition) -> String {
        check(name, definition).unwrap_err().message().to_owned()
    }

    fn base() -> RecordDefinition {
        RecordDefinition::new("id")
    }

    #[test]
    fn index_names_follow_the_rules() {
        let long = "a".repeat(128);
        for name in ["notes", "a1", "0-a_b", long.as_str()] {
            assert!(check(name, &base()).is_ok(), "{name}");
        }
        for name in ["", "a", "Notes", "-a", "a--b", "a_-b", "a b", "naïve", &"a".repeat(129)] {
            assert!(refusal(name, &base()).contains("`name`"), "{name}");
        }
    }

    #[test]
    fn index_fields_follow_the_rules() {
        let stored = base().with_data(DataField::string("any name: even `this`"));
        assert!(check("notes", &stored).is_ok(), "a field without an index field");
        for name in ["_a", "1a", "a-b", "azureSearchA", "textsearch_a", "é", &"a".repeat(129)] {
            let data = base().with_data(DataField::string(name).filterable());
            let vector = base().with_vector(VectorField::new(name, 2));
            for definition in [data, vector, RecordDefinition::new(name)] {
                assert!(refusal("notes", &definition).contains(name), "{name}");
            }
        }
    }

    #[test]
    fn settings_without_support_are_refused() {
        let vector = || VectorField::new("embedding", 2);
        let hnsw = |parameters: HnswParameters| base().with_vector(vector().with_index(parameters));
        let text = || DataField::string("text");
        let cases = [
            (base().with_vector(VectorField::new("embedding", 1)), "1 dimensions"),
            (base().with_vector(VectorField::new("embedding", 4_097)), "4097 dimensions"),
            (base().with_vector(vector().with_distance(Distance::Hamming)), "Hamming"),
            (base().with_vector(vector().with_distance(Distance::Manhattan)), "Manhattan"),
            (
                hnsw(HnswParameters { ef_search: 200, ..HnswParameters::default() }),
                "connections: 16",
            ),
            (
                hnsw(HnswParameters { connections: 8, ef_search: 99, ..HnswParameters::default() }),
                "99",
            ),
            (base().with_data(text().full_text_in("az")), "`az`"),
            (base().with_data(DataField::integer("count").full_text()), "Integer"),
            (base().with_data(DataField::string("a.b").full_text()), "a.b"),
            (
                base()
                    .with_distribution(Distribution { shards: Some(2), ..Distribution::default() }),
                "shards",
            ),
        ];
        for (definition, expected) in cases {
            let refusal = refusal("notes", &definition);
            assert!(refusal.contains(expected), "{refusal}");
        }
        let mean = check_mean_lengths(&base().with_data(text().with_mean_length(9.5)));
        assert!(mean.unwrap_err().message().contains("`text.mean_length` is 9.5"));
        for accepted in [
            HnswParameters::default(),
            HnswParameters { connections: 8, ..HnswParameters::default() },
        ] {
            assert!(check("notes", &hnsw(accepted)).is_ok());
        }
    }
}
