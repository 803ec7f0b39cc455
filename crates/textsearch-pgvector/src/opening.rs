//! Opens tables that other programs created.

use std::{collections::BTreeMap, sync::Arc};

use textsearch_core::{Result, vector::RecordDefinition};
use tokio_postgres::types::{ToSql, Type};

use crate::{
    ExistingTable, FullTextRanking, PgVectorTable,
    client::Database,
    error::{backend, refused},
    existing::{Existing, columns, indexes, no_table, with_types},
    table::Table,
    vectors,
};

const INDEX: &str = "SELECT 1 FROM pg_index i JOIN pg_class x ON x.oid = i.indexrelid \
     JOIN pg_am m ON m.oid = x.relam JOIN pg_opclass o ON o.oid = i.indclass[0] \
     LEFT JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[0] \
     WHERE i.indrelid = $1::text::regclass AND i.indisvalid AND i.indpred IS NULL \
     AND m.amname = $2 AND o.opcname = $3 AND coalesce(a.attname, $4) = $4";

/// Reads the columns, and finds one for each field of the definition.
///
/// # Errors
/// Returns `CollectionNotFound` without the table, and `InvalidOptions`, which names the field, if
/// a column is missing or has another type.
pub(crate) async fn open(
    database: &Database,
    name: &str,
    definition: &Arc<RecordDefinition>,
    settings: &PgVectorTable,
    existing: &ExistingTable,
) -> Result<Table> {
    let columns = columns(database, existing).await?;
    if columns.is_empty() {
        return Err(no_table(name, existing));
    }
    // Whole vectors come first.
    let mut half = BTreeMap::new();
    for (column, _, operators) in indexes(database, existing).await? {
        half.entry(column).or_insert_with(|| operators.starts_with("halfvec_"));
    }
    half.retain(|_, is_half| *is_half);
    let half = half.into_keys().collect();
    let settings = with_types(settings.clone(), existing, definition, &columns, &half)?;
    vectors::check(definition, &settings, database.version())?;
    let mapped = Existing::new(definition, existing, &columns)?;
    let schema = &existing.schema;
    let ranking = FullTextRanking::TsRank;
    Ok(Table::new(schema, name, Arc::clone(definition), ranking, &settings).with_existing(mapped))
}

impl Table {
    /// Checks that each index of the definition exists.
    ///
    /// # Errors
    /// Returns `InvalidOptions` with the statement that creates the missing one.
    pub(crate) async fn check_indexes(
        &self,
        database: &Database,
        existing: &ExistingTable,
    ) -> Result<()> {
        let client = database.client().await?;
        for (field, column) in self.definition.vectors.iter().zip(&self.vectors) {
            let Some((method, operators)) = column.index_method() else { continue };
            let name = existing.column(&field.name);
            let parameters: [(&(dyn ToSql + Sync), Type); 4] = [
                (&self.sql, Type::TEXT),
                (&method, Type::TEXT),
                (&operators, Type::TEXT),
                (&name, Type::TEXT),
            ];
            let index = client.query_typed_opt(&format!("{INDEX} LIMIT 1"), &parameters).await;
            if index.map_err(|error| backend("reading the indexes of a table", error))?.is_none() {
                let create = column.create_index(&self.sql).unwrap_or_default();
                let value =
                    format!("to be searched by an index of {method}, which the table lacks");
                return Err(refused(&field.name, value, &format!("an index: `{create}`")));
            }
        }
        Ok(())
    }
}
