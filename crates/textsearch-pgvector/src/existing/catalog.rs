//! Reads the columns of a table that another program created.

use textsearch_core::{
    Error, ErrorKind, Result,
    vector::{DataField, Distance, IndexKind, KeyKind, RecordDefinition, VectorField},
};
use tokio_postgres::{
    Row,
    types::{ToSql, Type},
};

use super::{Column, ColumnKind};
use crate::{
    CONNECTOR, ExistingTable,
    client::Database,
    error::{backend, refused},
};

const COLUMNS: &str = "SELECT a.attname::text, t.typname::text, t.typtype::text, \
     quote_ident(tn.nspname) || '.' || quote_ident(t.typname), \
     format_type(a.atttypid, a.atttypmod), a.atttypmod, \
     a.attnotnull AND NOT a.atthasdef AND a.attidentity = '', \
     a.attgenerated <> '' OR a.attidentity = 'a', \
     coalesce(c.collisdeterministic, true), \
     EXISTS (SELECT 1 FROM pg_index i WHERE i.indrelid = r.oid AND i.indisunique AND i.indisvalid \
     AND i.indimmediate AND i.indpred IS NULL AND i.indnkeyatts = 1 AND i.indkey[0] = a.attnum), \
     EXISTS (SELECT 1 FROM pg_index i WHERE i.indrelid = r.oid AND i.indisprimary \
     AND i.indnkeyatts = 1 AND i.indkey[0] = a.attnum), \
     ARRAY(SELECT e.enumlabel::text FROM pg_enum e WHERE e.enumtypid = t.oid) \
     FROM pg_class r JOIN pg_namespace n ON n.oid = r.relnamespace \
     JOIN pg_attribute a ON a.attrelid = r.oid AND a.attnum > 0 AND NOT a.attisdropped \
     JOIN pg_type t ON t.oid = a.atttypid JOIN pg_namespace tn ON tn.oid = t.typnamespace \
     LEFT JOIN pg_collation c ON c.oid = a.attcollation \
     WHERE n.nspname = $1 AND r.relname = $2 AND r.relkind IN ('r', 'p') ORDER BY a.attnum";

pub(crate) async fn has_table(database: &Database, table: &ExistingTable) -> Result<bool> {
    Ok(!columns(database, table).await?.is_empty())
}

/// Lists the indexes of vectors by column: whole vectors before half vectors, and Hamming, the default
/// for bits, before Jaccard. Half vectors are indexed through an expression, and only its dependencies
/// name the column.
const INDEXES: &str = "SELECT a.attname::text, m.amname::text, o.opcname::text \
     FROM pg_index i JOIN pg_class x ON x.oid = i.indexrelid JOIN pg_am m ON m.oid = x.relam \
     JOIN pg_opclass o ON o.oid = i.indclass[0] \
     JOIN pg_depend d ON d.classid = 'pg_class'::regclass AND d.objid = i.indexrelid \
     AND d.refclassid = 'pg_class'::regclass AND d.refobjid = i.indrelid \
     JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = d.refobjsubid AND a.attnum > 0 \
     JOIN pg_class r ON r.oid = i.indrelid JOIN pg_namespace n ON n.oid = r.relnamespace \
     WHERE n.nspname = $1 AND r.relname = $2 AND m.amname IN ('hnsw', 'ivfflat') \
     AND i.indisvalid AND i.indpred IS NULL \
     ORDER BY o.opcname = 'bit_jaccard_ops', m.amname, o.opcname DESC";

/// Describes the columns that can be fields; the key is the primary key. An index of a vector says
/// how vectors are compared.
pub(crate) async fn definition(
    database: &Database,
    name: &str,
    table: &ExistingTable,
) -> Result<RecordDefinition> {
    let columns = columns(database, table).await?;
    if columns.is_empty() {
        return Err(no_table(name, table));
    }
    let indexes = indexes(database, table).await?;
    let field_of = |column: &Column| {
        let field = table.columns.iter().find(|(_, named)| **named == column.name);
        field.map_or(column.name.clone(), |(field, _)| field.clone())
    };
    let kind_of = |column: &Column| {
        let kinds = [KeyKind::String, KeyKind::Integer, KeyKind::Uuid];
        kinds.into_iter().find(|kind| column.kind.holds_key(*kind))
    };
    let is_key = |column: &&Column| column.is_primary && kind_of(column).is_some();
    let key = columns.iter().find(is_key).ok_or_else(|| {
        let value =
            format!("`{}`.`{}`, without a primary key for records", table.schema, table.name);
        refused("tables", value, "a primary key of one column of texts, integers or UUIDs")
    })?;
    let mut definition = RecordDefinition::new(field_of(key));
    definition.key.kind = kind_of(key).unwrap_or_default();
    for column in columns.iter().filter(|column| column.name != key.name) {
        if let Some(kind) = column.kind.data_kind() {
            definition = definition.with_data(DataField::new(field_of(column), kind).filterable());
        } else if let Some(dimensions) = column.dimensions {
            let field = VectorField::new(field_of(column), dimensions);
            let index = indexes.iter().find(|index| index.0 == column.name);
            definition = definition.with_vector(match index {
                Some((_, method, operators)) => compared(field, method, operators),
                None if column.kind == ColumnKind::Bit => field.with_distance(Distance::Hamming),
                None => field,
            });
        }
    }
    Ok(definition)
}

fn compared(field: VectorField, method: &str, operators: &str) -> VectorField {
    let distance = match operators.split('_').nth(1) {
        Some("ip") => Distance::DotProduct,
        Some("l1") => Distance::Manhattan,
        Some("l2") => Distance::Euclidean,
        Some("hamming") => Distance::Hamming,
        Some("jaccard") => Distance::Jaccard,
        _ => Distance::CosineSimilarity,
    };
    let field = field.with_distance(distance);
    if method == "hnsw" { field.with_index(IndexKind::hnsw()) } else { field }
}

/// Returns the column, the method and the operators of each index of vectors.
pub(crate) async fn indexes(
    database: &Database,
    table: &ExistingTable,
) -> Result<Vec<(String, String, String)>> {
    let client = database.client().await?;
    let parameters: [(&(dyn ToSql + Sync), Type); 2] =
        [(&table.schema, Type::TEXT), (&table.name, Type::TEXT)];
    let rows = client.query_typed(INDEXES, &parameters).await.map_err(failed)?;
    Ok(rows.iter().map(|row| (row.get(0), row.get(1), row.get(2))).collect())
}

pub(crate) async fn columns(database: &Database, table: &ExistingTable) -> Result<Vec<Column>> {
    let client = database.client().await?;
    let parameters: [(&(dyn ToSql + Sync), Type); 2] =
        [(&table.schema, Type::TEXT), (&table.name, Type::TEXT)];
    let rows = client.query_typed(COLUMNS, &parameters).await.map_err(failed)?;
    Ok(rows.iter().map(column).collect())
}

fn column(row: &Row) -> Column {
    let kind = ColumnKind::new(row.get(1), row.get(2));
    let is_vector = matches!(kind, ColumnKind::Vector | ColumnKind::Halfvec | ColumnKind::Bit);
    let limit = usize::try_from(row.get::<_, i32>(5)).ok();
    Column {
        name: row.get(0),
        kind,
        type_sql: row.get(3),
        shown: row.get(4),
        dimensions: limit.filter(|limit| is_vector && *limit > 0),
        is_required: row.get(6),
        is_computed: row.get(7),
        deterministic: row.get(8),
        is_unique: row.get(9),
        is_primary: row.get(10),
        labels: row.get(11),
    }
}

pub(crate) fn no_table(name: &str, table: &ExistingTable) -> Error {
    let ExistingTable { schema, name: relation, .. } = table;
    let message = format!(
        "the collection `{name}` can't be opened: there is no table `{schema}`.`{relation}`; create it, or \
         change the settings in `PgVectorConfig::with_table`"
    );
    Error::new(ErrorKind::collection_not_found(name), CONNECTOR, message)
}

fn failed(error: tokio_postgres::Error) -> Error {
    backend("reading the columns of a table", error)
}
