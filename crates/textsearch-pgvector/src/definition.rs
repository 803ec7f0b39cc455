//! Definitions that a table can hold, and definitions that fit an existing table.

use std::collections::BTreeSet;

use textsearch_core::{
    Result,
    vector::{DataField, Distribution, RecordDefinition, VectorField, check_same_fields},
};

use crate::{
    CONNECTOR, ExistingTable, FullTextRanking,
    columns::{RESERVED, columns, has_column},
    error::refused,
    ts_vector,
};

/// Postgres cuts longer names off, so that two could be the same.
const LONGEST_NAME: usize = 63;

/// Columns that each table has.
const SYSTEM_COLUMNS: [&str; 6] = ["cmax", "cmin", "ctid", "tableoid", "xmax", "xmin"];

/// Checks that a table can hold such records.
pub(crate) fn check(
    name: &str,
    definition: &RecordDefinition,
    ranking: FullTextRanking,
) -> Result<()> {
    definition.validate(CONNECTOR)?;
    check_name("name", name)?;
    check_column(&definition.key.name)?;
    columns(definition).try_for_each(|field| check_column(&field.name))?;
    if ranking == FullTextRanking::TsRank {
        definition.full_text_fields().try_for_each(|field| {
            check_name("definition", &ts_vector::column(field))?;
            ts_vector::configuration(field).map(drop)
        })?;
    }
    check_distribution(definition)?;
    definition.vectors.iter().try_for_each(|field| check_column(&field.name))
}

/// Checks what an existing table can't change.
pub(crate) fn check_existing(
    definition: &RecordDefinition,
    ranking: FullTextRanking,
    table: &ExistingTable,
) -> Result<()> {
    definition.validate(CONNECTOR)?;
    check_distribution(definition)?;
    let columns = table.columns.values().chain(table.text_vectors.values());
    let mut names = [&table.schema, &table.name].into_iter().chain(columns);
    names.try_for_each(|name| check_name("tables", name))?;
    let fields: BTreeSet<&str> = [definition.key.name.as_str()]
        .into_iter()
        .chain(definition.data.iter().map(|field| field.name.as_str()))
        .chain(definition.vectors.iter().map(|field| field.name.as_str()))
        .collect();
    let mut named = table.columns.keys().chain(table.text_vectors.keys());
    if let Some(other) = named.find(|field| !fields.contains(field.as_str())) {
        let allowed = "columns for fields of the definition";
        return Err(refused("tables", format_args!("set for the field `{other}`"), allowed));
    }
    if ranking == FullTextRanking::Terms && definition.full_text_fields().next().is_some() {
        let allowed = "TsRank: terms need columns of their own, and the table is another program's";
        return Err(refused("full_text_ranking", "Terms", allowed));
    }
    definition.full_text_fields().try_for_each(|field| ts_vector::configuration(field).map(drop))
}

fn check_distribution(definition: &RecordDefinition) -> Result<()> {
    if definition.distribution == Distribution::default() {
        return Ok(());
    }
    let value = format_args!("{:?}", definition.distribution);
    Err(refused("distribution", value, "unset: the server decides"))
}

pub(crate) fn check_name(option: &str, name: &str) -> Result<()> {
    let value = match name {
        "" => "empty".to_owned(),
        name if name.contains('\0') => "a name with a zero byte".to_owned(),
        name if name.len() > LONGEST_NAME => format!("`{name}`"),
        _ => return Ok(()),
    };
    Err(refused(option, value, "a name of 1 to 63 bytes, none of them zero"))
}

fn check_column(name: &str) -> Result<()> {
    check_name("definition", name)?;
    if SYSTEM_COLUMNS.contains(&name) || name.starts_with(RESERVED) {
        let value = format!("a definition with the field `{name}`");
        let allowed = format!("no field called {} or {RESERVED}…", SYSTEM_COLUMNS.join(", "));
        return Err(refused("definition", value, &allowed));
    }
    Ok(())
}

/// Checks that the table of `existing` holds records of `definition`, in the same columns.
pub(crate) fn check_fits(definition: &RecordDefinition, existing: &RecordDefinition) -> Result<()> {
    check_same_fields(CONNECTOR, &shapes(definition), &shapes(existing))
}

fn shapes(definition: &RecordDefinition) -> Vec<(String, String)> {
    let key = (definition.key.name.clone(), format!("the key, {:?}", definition.key.kind));
    let vectors = definition.vectors.iter().map(|field| (field.name.clone(), shape(field)));
    let data = definition.data.iter().filter_map(|field| {
        let texts = [column_shape(field), text_shape(field)];
        let shape = texts.into_iter().flatten().collect::<Vec<_>>().join("; ");
        Some((field.name.clone(), shape)).filter(|(_, shape)| !shape.is_empty())
    });
    std::iter::once(key).chain(data).chain(vectors).collect()
}

fn column_shape(field: &DataField) -> Option<String> {
    has_column(field).then(|| format!("filterable, {:?}", field.kind))
}

/// The stored terms and their weights depend on these settings.
fn text_shape(field: &DataField) -> Option<String> {
    let text = field.full_text.as_ref()?;
    let language = text.language.as_deref().unwrap_or("no");
    let mean = text.assumed_mean_length();
    let weight = text.weight_or_default();
    Some(format!("full text in {language} language, mean length {mean}, weight {weight}"))
}

fn shape(field: &VectorField) -> String {
    format!("{} dimensions, {:?}", field.dimensions, field.distance)
}

#[cfg(test)]
mod tests {
    use textsearch_core::vector::KeyKind;

    use super::*;

    fn base() -> RecordDefinition {
        RecordDefinition::new("id").with_vector(VectorField::new("embedding", 2))
    }

    fn with(field: VectorField) -> RecordDefinition {
        RecordDefinition::new("id").with_vector(field)
    }

    fn refusal(definition: &RecordDefinition) -> String {
        check("notes", definition, FullTextRanking::Terms).unwrap_err().message().to_owned()
    }

    #[test]
    fn names_that_postgres_cuts_are_refused() {
        let check = |name: &str, definition: &RecordDefinition| {
            check(name, definition, FullTextRanking::Terms)
        };
        let long = "é".repeat(32);
        assert!(check(&long[..62], &base()).is_ok());
        assert!(check(&long, &base()).is_err());
        let field = DataField::string(&long).filterable();
        assert!(refusal(&base().with_data(field)).contains("63 bytes"));
        assert!(check("notes", &base().with_data(DataField::string(&long))).is_ok());
    }

    #[test]
    fn names_of_other_columns_are_refused() {
        for name in ["xmin", "textsearch_data"] {
            let definition = base().with_data(DataField::integer(name).filterable());
            assert!(refusal(&definition).contains(name), "{name}");
        }
    }

    #[test]
    fn a_distribution_is_refused() {
        let distributed =
            base().with_distribution(Distribution { shards: Some(2), ..Distribution::default() });
        assert!(refusal(&distributed).contains("shards"));
    }

    #[test]
    fn other_columns_do_not_fit() {
        let year = |definition: RecordDefinition| {
            definition.with_data(DataField::integer("year").filterable())
        };
        let text =
            |mark: fn(DataField) -> DataField| base().with_data(mark(DataField::string("text")));
        let cases = [
            (base().with_key_kind(KeyKind::Uuid), base(), "id"),
            (with(VectorField::new("embedding", 3)), base(), "embedding"),
            (RecordDefinition::new("id"), base(), "embedding"),
            (year(base()), base(), "year"),
            (base(), year(base()), "year"),
            (text(DataField::full_text), base(), "full text in no language"),
            (base(), text(DataField::full_text), "not a key, a vector, filterable or searched"),
            (text(|field| field.full_text_in("en")), text(DataField::full_text), "in en language"),
            (text(|field| field.with_weight(2.0)), text(DataField::full_text), "weight 2"),
        ];
        for (new, old, expected) in cases {
            let error = check_fits(&new, &old).unwrap_err();
            assert!(error.message().contains(expected), "{error}");
        }
        assert!(check_fits(&base().with_data(DataField::string("text")), &base()).is_ok());
    }
}
