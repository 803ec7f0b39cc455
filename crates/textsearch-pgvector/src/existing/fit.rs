//! Checks that a table has the columns of a definition.

use std::collections::BTreeSet;

use textsearch_core::{
    Result,
    vector::{DataField, IndexKind, RecordDefinition, VectorField},
};

use super::{Column, ColumnKind, Existing, Mapped};
use crate::{ExistingTable, PgVectorTable, VectorType, columns::RESERVED, error::refused};

impl Existing {
    /// Finds the column of each field.
    ///
    /// # Errors
    /// Returns `InvalidOptions`, which names the field and its column.
    pub(crate) fn new(
        definition: &RecordDefinition,
        settings: &ExistingTable,
        columns: &[Column],
    ) -> Result<Self> {
        let column_of = |field: &str| find(settings, columns, field);
        let key = column_of(&definition.key.name)?;
        if !key.kind.holds_key(definition.key.kind) || !key.deterministic {
            let kind = definition.key.kind;
            return Err(unfit(&definition.key.name, key, &format!("a key of the kind {kind:?}")));
        }
        if !key.is_unique {
            let value = format!("in the column `{}`, whose values may repeat", key.name);
            let allowed = "a primary key or a column with a unique index";
            return Err(refused(&definition.key.name, value, allowed));
        }
        let key = key.clone();
        let with_column =
            definition.data.iter().filter(|field| !is_path(definition, settings, field));
        let data = with_column.map(|field| {
            let column = column_of(&field.name)?;
            if column.kind.holds(field.kind) {
                Ok(Mapped { field: field.name.clone(), kind: field.kind, column: column.clone() })
            } else {
                Err(unfit(&field.name, column, &format!("{:?}", field.kind)))
            }
        });
        let data: Vec<Mapped> = data.collect::<Result<_>>()?;
        let vectors = definition.vectors.iter().map(|field| column_of(&field.name));
        let vectors: Vec<&Column> = vectors.collect::<Result<_>>()?;
        let used =
            [&key].into_iter().chain(data.iter().map(|mapped| &mapped.column)).chain(vectors);
        let mut names: BTreeSet<&str> = BTreeSet::new();
        for column in used {
            if !names.insert(&column.name) {
                let value = format!("mapped to the column `{}` twice", column.name);
                return Err(refused("tables", value, "a column for each field"));
            }
        }
        let is_missing = |column: &&Column| column.is_required && !names.contains(&*column.name);
        let required =
            columns.iter().filter(is_missing).map(|column| column.name.clone()).collect();
        let existing = Self { key, data, required, settings: settings.clone() };
        definition.full_text_fields().try_for_each(|field| existing.check_text(field, columns))?;
        Ok(existing)
    }

    fn check_text(&self, field: &DataField, columns: &[Column]) -> Result<()> {
        let Some(name) = self.settings.text_vectors.get(&field.name) else {
            let column = self.column(&field.name);
            return match column.filter(|column| column.kind == ColumnKind::Text) {
                Some(_) => Ok(()),
                None => {
                    Err(refused(&field.name, "full text", "a field with a column of the type text"))
                }
            };
        };
        match columns.iter().find(|column| column.name == *name) {
            Some(column) if column.kind == ColumnKind::TsVector => Ok(()),
            Some(column) => Err(unfit(&field.name, column, "words, as a tsvector")),
            None => Err(missing(&field.name, name, &self.settings)),
        }
    }

    /// Checks that new rows can be complete.
    ///
    /// # Errors
    /// Returns `InvalidOptions`, which names the column.
    pub(crate) fn check_writable(&self) -> Result<()> {
        let allowed = "a table that only needs values for fields of the definition";
        if let Some(column) = self.required.first() {
            let value = format!(
                "a table whose column `{column}` is NOT NULL, without a default and a field"
            );
            return Err(refused("tables", value, allowed));
        }
        if let Some(column) = self.columns().find(|column| column.is_computed) {
            let value = format!("a table that computes its column `{}`", column.name);
            return Err(refused("tables", value, allowed));
        }
        Ok(())
    }
}

/// Returns the settings with the type of each vector's column. `half` are the columns that only have
/// an index of half vectors.
///
/// # Errors
/// Returns `InvalidOptions` if a column has another type, or vectors of another length.
pub(crate) fn with_types(
    mut settings: PgVectorTable,
    existing: &ExistingTable,
    definition: &RecordDefinition,
    columns: &[Column],
    half: &BTreeSet<String>,
) -> Result<PgVectorTable> {
    for field in &definition.vectors {
        let column = find(existing, columns, &field.name)?;
        let kind = match (column.kind, settings.vector_types.get(&field.name)) {
            (ColumnKind::Vector, None)
                if field.index != IndexKind::Exact && half.contains(&column.name) =>
            {
                VectorType::HalfIndex
            }
            (ColumnKind::Vector, None) => VectorType::Single,
            (ColumnKind::Halfvec, None) => VectorType::Half,
            (ColumnKind::Bit, None) => VectorType::Bit,
            (ColumnKind::Vector, Some(kind @ (VectorType::Single | VectorType::HalfIndex))) => {
                *kind
            }
            (ColumnKind::Halfvec, Some(VectorType::Half)) => VectorType::Half,
            (ColumnKind::Bit, Some(VectorType::Bit)) => VectorType::Bit,
            (_, kind) => {
                let kind = kind.copied().unwrap_or_default();
                return Err(unfit(
                    &field.name,
                    column,
                    &format!("a vector, as VectorType::{kind:?}"),
                ));
            }
        };
        check_dimensions(field, column)?;
        settings.vector_types.insert(field.name.clone(), kind);
    }
    Ok(settings)
}

fn check_dimensions(field: &VectorField, column: &Column) -> Result<()> {
    match column.dimensions {
        Some(dimensions) if dimensions != field.dimensions => {
            Err(unfit(&field.name, column, &format!("{} dimensions", field.dimensions)))
        }
        _ => Ok(()),
    }
}

/// A name with a dot is a path into a field, unless a column is set for it.
fn is_path(definition: &RecordDefinition, settings: &ExistingTable, field: &DataField) -> bool {
    let parent = field.name.split_once('.').map(|(parent, _)| parent);
    parent.is_some_and(|parent| definition.data_field(parent).is_some())
        && !settings.columns.contains_key(&field.name)
}

fn find<'a>(settings: &ExistingTable, columns: &'a [Column], field: &str) -> Result<&'a Column> {
    let name = settings.column(field);
    let column = columns.iter().find(|column| column.name == name);
    let column = column.ok_or_else(|| missing(field, name, settings))?;
    if name.starts_with(RESERVED) {
        return Err(refused(
            field,
            format_args!("in the column `{name}`"),
            "no column textsearch_…",
        ));
    }
    Ok(column)
}

fn missing(field: &str, column: &str, settings: &ExistingTable) -> textsearch_core::Error {
    let ExistingTable { schema, name, .. } = settings;
    let value = format!("in the column `{column}`, which the table `{schema}`.`{name}` lacks");
    refused(field, value, "one of its columns (`ExistingTable::with_column`)")
}

fn unfit(field: &str, column: &Column, expected: &str) -> textsearch_core::Error {
    let value = format!("in the column `{}` of the type {}", column.name, column.shown);
    refused(field, value, &format!("a column for {expected}"))
}
