//! Ranking of full text by Postgres's `ts_rank`.

use textsearch_core::{
    Result,
    vector::{DataField, FullText},
};
use tokio_postgres::types::Type;

use crate::{
    CONNECTOR,
    columns::quoted,
    query::Query,
    table::Table,
    ts_vector::{column, vector},
};

/// Divides by 1 + the logarithm of a text's length.
const BY_LENGTH: i32 = 1;

/// Returns two common table expressions: `textsearch_query`, and `textsearch_scored` with the rows
/// that have a word of `text` and match the `filter`.
///
/// # Errors
/// Returns `InvalidOptions` if there is no such full-text field.
pub(crate) fn scored(
    table: &Table,
    names: &[String],
    text: &str,
    query: &mut Query,
    filter: impl FnOnce(&mut Query) -> String,
) -> Result<String> {
    let fields = table.definition.full_text_fields_among(names, CONNECTOR)?;
    let text = format!("${}::text", query.bind(text.replace('\0', " "), Type::TEXT));
    let mut queries = Vec::new();
    let mut matches = Vec::new();
    let mut ranks = Vec::new();
    for (place, field) in fields.into_iter().enumerate() {
        let column = stored_vector(table, field)?;
        let words = format!("textsearch_words_{place}");
        let weight = field.full_text.as_ref().map_or(1.0, FullText::weight_or_default);
        let weight = query.bind(weight, Type::FLOAT8);
        queries.push(format!("({}) AS {words}", any_word(&vector(field, &text)?)));
        matches.push(format!("{column} @@ (SELECT {words} FROM textsearch_query)"));
        ranks.push(format!("${weight} * coalesce(ts_rank({column}, {words}, {BY_LENGTH}), 0)"));
    }
    let queries = queries.join(", ");
    let matches = matches.join(" OR ");
    let ranks = ranks.join(" + ");
    let sql = &table.sql;
    let key = &table.key;
    let filter = filter(query);
    Ok(format!(
        "WITH textsearch_query AS MATERIALIZED (SELECT {queries}), \
         textsearch_scored AS (\
         SELECT {key} AS textsearch_key, {ranks} AS textsearch_score \
         FROM {sql}, textsearch_query WHERE ({matches}) AND ({filter}))"
    ))
}

/// Returns the words of a row's field.
fn stored_vector(table: &Table, field: &DataField) -> Result<String> {
    let Some(existing) = &table.existing else { return Ok(quoted(&column(field))) };
    match (existing.text_vector(&field.name), existing.column(&field.name)) {
        (None, Some(text)) => vector(field, &text.sql()),
        (stored, _) => Ok(stored.unwrap_or_default()),
    }
}

/// Returns a query for any word of a `tsvector`; null without words.
fn any_word(vector: &str) -> String {
    // In a query, a quoted word doubles its quotes and backslashes.
    format!(
        r"SELECT string_agg('''' || replace(replace(lexeme, '\', '\\'), '''', '''''') || '''', ' | ')::tsquery FROM unnest({vector})"
    )
}
