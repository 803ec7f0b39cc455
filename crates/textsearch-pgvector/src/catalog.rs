//! Collections among the tables of the schema.

use std::collections::BTreeMap;

use deadpool_postgres::Transaction;
use textsearch_core::{
    Error, ErrorKind, Result,
    vector::{IndexKind, RecordDefinition},
};
use tokio_postgres::{GenericClient, types::Type};

use crate::{
    CONNECTOR, FullTextRanking, IvfFlatParameters, PgVectorTable,
    client::{Database, LOCK, ensure_extension},
    columns::{columns, quoted},
    comment::Described,
    definition::check_fits,
    error::{backend, refused},
    table::Table,
    vectors::{Built, Index, VectorColumn},
};

/// A comment alone can be copied: only collections also have the column of data.
const HAS_DATA: &str = "EXISTS (SELECT 1 FROM pg_attribute a WHERE a.attrelid = c.oid \
                        AND a.attname = 'textsearch_data' AND NOT a.attisdropped)";

/// The relation with a collection's name.
enum Found {
    Nothing,
    /// A table of another program, or a view or an index.
    Other,
    Collection(Box<Described>),
    /// A collection whose comment was damaged, or written by a later version.
    Unreadable(serde_json::Error),
}

pub(crate) async fn names(database: &Database) -> Result<Vec<String>> {
    let client = database.client().await?;
    let select = format!(
        "SELECT c.relname::text, obj_description(c.oid, 'pg_class') \
         FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace \
         WHERE n.nspname = $1 AND c.relkind IN ('r', 'p') AND {HAS_DATA}"
    );
    let rows = client.query_typed(&select, &[(&database.schema(), Type::TEXT)]).await;
    let rows = rows.map_err(|error| backend("listing the collections", error))?;
    let mut names = Vec::new();
    for row in rows {
        let comment: Option<String> = row.get(1);
        if comment.as_deref().is_some_and(Described::is_in) {
            names.push(row.get(0));
        }
    }
    names.sort_unstable();
    Ok(names)
}

pub(crate) async fn definition(database: &Database, name: &str) -> Result<RecordDefinition> {
    let Described { mut definition, vectors, .. } = described(database, name).await?;
    for field in &mut definition.vectors {
        // Another handle may have built it.
        if let Some(Built { index: Index::Hnsw(parameters), .. }) = vectors.get(&field.name) {
            field.index = IndexKind::Hnsw(parameters.clone());
        }
    }
    Ok(definition)
}

/// Returns how the collection is stored, as far as its definition doesn't say so.
pub(crate) async fn settings(
    database: &Database,
    name: &str,
) -> Result<(FullTextRanking, PgVectorTable)> {
    let Described { full_text_ranking, vectors, definition, .. } =
        described(database, name).await?;
    let mut table = PgVectorTable::new();
    table.columns = Some(columns(&definition).map(|field| field.name.clone()).collect());
    for (field, Built { kind, index }) in vectors {
        if let Index::IvfFlat(parameters) = index {
            table = table.with_ivf_flat(&field, parameters);
        }
        table = table.with_vector_type(field, kind);
    }
    Ok((full_text_ranking, table))
}

async fn described(database: &Database, name: &str) -> Result<Described> {
    let client = database.client().await?;
    match find(&**client, database.schema(), name).await? {
        Found::Nothing => Err(Error::collection_not_found(CONNECTOR, name)),
        Found::Other => {
            let allowed = "a collection, or a table that `PgVectorConfig::with_table` describes";
            Err(refused("name", format_args!("`{name}`, which is of another program"), allowed))
        }
        Found::Collection(described) => Ok(*described),
        Found::Unreadable(error) => Err(unreadable(name, error)),
    }
}

pub(crate) async fn exists(database: &Database, table: &Table) -> Result<bool> {
    let client = database.client().await?;
    let relation = find(&**client, &table.schema, &table.name).await?;
    Ok(matches!(relation, Found::Collection(_) | Found::Unreadable(_)))
}

/// Creates the table and its indexes as far as they are missing.
pub(crate) async fn ensure(database: &Database, table: &Table) -> Result<()> {
    let mut client = database.client().await?;
    let transaction = client.transaction().await.map_err(failed)?;
    lock(&transaction, table).await?;
    let (created, existing) = match find(&*transaction, &table.schema, &table.name).await? {
        Found::Nothing => {
            ensure_extension(&transaction).await?;
            ensure_schema(&transaction, &table.schema).await?;
            transaction.batch_execute(&table.create()).await.map_err(failed)?;
            (true, BTreeMap::new())
        }
        Found::Collection(existing) => {
            check_fits(&table.definition, &existing.definition)?;
            existing.check_words(table)?;
            (false, existing.vectors)
        }
        Found::Other => return Err(not_ours(table)),
        Found::Unreadable(error) => return Err(unreadable(&table.name, error)),
    };
    let mut vectors = table.built(&existing)?;
    let mut is_changed = created;
    for (field, column) in table.missing_indexes(&existing) {
        if let Some(create) = index(&transaction, table, column).await? {
            transaction.batch_execute(&create).await.map_err(failed)?;
            is_changed = true;
        } else {
            vectors.insert(field.name.clone(), column.unindexed());
        }
    }
    if is_changed {
        describe(&transaction, table, vectors).await?;
    }
    transaction.commit().await.map_err(failed)
}

/// Returns the statement that builds the index, unless it would divide too few vectors into lists.
async fn index(
    transaction: &Transaction<'_>,
    table: &Table,
    column: &VectorColumn,
) -> Result<Option<String>> {
    if let Index::IvfFlat(IvfFlatParameters { lists, .. }) = column.index {
        let sql = &table.sql;
        let vector = &column.sql;
        let select = format!(
            "SELECT count(*) >= {lists} FROM \
             (SELECT 1 FROM {sql} WHERE {vector} IS NOT NULL LIMIT {lists}) AS vectors"
        );
        let row = transaction.query_typed_one(&select, &[]).await.map_err(failed)?;
        if !row.get::<_, bool>(0) {
            let advice = "call ensure_exists again after loading";
            tracing::info!(
                table = sql,
                vector,
                lists,
                "fewer vectors than lists: no index; {advice}"
            );
            return Ok(None);
        }
    }
    Ok(column.create_index(&table.sql))
}

pub(crate) async fn delete(database: &Database, table: &Table) -> Result<()> {
    let mut client = database.client().await?;
    let transaction = client.transaction().await.map_err(failed)?;
    lock(&transaction, table).await?;
    match find(&*transaction, &table.schema, &table.name).await? {
        Found::Nothing => return Ok(()),
        Found::Other => return Err(not_ours(table)),
        Found::Collection(_) | Found::Unreadable(_) => {}
    }
    let drop = format!("DROP TABLE {}", table.sql);
    transaction.batch_execute(&drop).await.map_err(failed)?;
    transaction.commit().await.map_err(failed)
}

async fn find(client: &impl GenericClient, schema: &str, name: &str) -> Result<Found> {
    // Views and indexes share their names with tables.
    let select = format!(
        "SELECT CASE WHEN c.relkind IN ('r', 'p') AND {HAS_DATA} THEN obj_description(c.oid, 'pg_class') END \
         FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace \
         WHERE n.nspname = $1 AND c.relname = $2"
    );
    let parameters: [(&(dyn tokio_postgres::types::ToSql + Sync), Type); 2] =
        [(&schema, Type::TEXT), (&name, Type::TEXT)];
    let row = client.query_typed_opt(&select, &parameters).await.map_err(failed)?;
    let Some(row) = row else { return Ok(Found::Nothing) };
    let comment: Option<String> = row.get(0);
    Ok(match comment.as_deref().and_then(Described::read) {
        None => Found::Other,
        Some(Ok(described)) => Found::Collection(Box::new(described)),
        Some(Err(error)) => Found::Unreadable(error),
    })
}

/// Lets one program at a time create or delete the collection.
async fn lock(transaction: &Transaction<'_>, table: &Table) -> Result<()> {
    let lock = "SELECT pg_advisory_xact_lock(hashtext('textsearch collections'), hashtext($1))";
    let locked = transaction.query_typed(lock, &[(&table.sql, Type::TEXT)]).await;
    locked.map(drop).map_err(failed)
}

/// Asks first: creating needs a privilege even if the schema exists.
async fn ensure_schema(transaction: &Transaction<'_>, schema: &str) -> Result<()> {
    let select = "SELECT 1 FROM pg_namespace WHERE nspname = $1";
    let row = transaction.query_typed_opt(select, &[(&schema, Type::TEXT)]).await;
    if row.map_err(failed)?.is_some() {
        return Ok(());
    }
    let create = format!("{LOCK}; CREATE SCHEMA IF NOT EXISTS {}", quoted(schema));
    transaction.batch_execute(&create).await.map_err(failed)
}

/// Writes the comment. It takes no parameters, so the server quotes it.
async fn describe(
    transaction: &Transaction<'_>,
    table: &Table,
    vectors: BTreeMap<String, Built>,
) -> Result<()> {
    let comment = Described::new(table, vectors).write()?;
    let select = "SELECT format('COMMENT ON TABLE %s IS %L', $1, $2)";
    let parameters: [(&(dyn tokio_postgres::types::ToSql + Sync), Type); 2] =
        [(&table.sql, Type::TEXT), (&comment, Type::TEXT)];
    let row = transaction.query_typed_one(select, &parameters).await.map_err(failed)?;
    transaction.batch_execute(row.get(0)).await.map_err(failed)
}

fn unreadable(name: &str, error: serde_json::Error) -> Error {
    let message = format!(
        "the collection `{name}` cannot be opened: the comment of its table is no definition ({error}); upgrade \
         this program if a later version wrote the comment; otherwise restore the comment or, as a last resort, \
         delete the collection"
    );
    Error::new(ErrorKind::Undecodable, CONNECTOR, message).with_source(error)
}

fn not_ours(table: &Table) -> Error {
    let allowed = "a name that no other table, view or index of the schema has";
    refused("name", format_args!("`{}`, which is of another program", table.name), allowed)
}

fn failed(error: tokio_postgres::Error) -> Error {
    backend("changing or reading the catalog", error)
}
