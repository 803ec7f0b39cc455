//! Rows of responses, which hold columns.

use std::sync::Arc;

use serde_json::{Map, Value};
use textsearch_core::{
    Result,
    vector::{RecordKey, Vectors},
};

use crate::{
    columns::{ABSENT, Columns, DATA, LONG, TERMS},
    data,
    error::undecodable,
    proto::{self, Column, Elements, FieldData, IdList, Ids, Scalars, Values},
};

/// A row, as far as its columns were requested.
pub(crate) struct Row {
    pub(crate) key: RecordKey,
    pub(crate) data: Option<Map<String, Value>>,
    /// Columns of vectors that the record lacks.
    pub(crate) absent: Vec<String>,
    /// By the field's name, without absent ones.
    pub(crate) vectors: Vectors,
    pub(crate) terms: Vec<u8>,
}

/// Reads the rows of a query.
pub(crate) fn from_query(fields: Vec<FieldData>, columns: &Columns) -> Result<Vec<Row>> {
    let key = fields.iter().find(|field| field.field_name == columns.key);
    let keys = match key.and_then(scalars) {
        Some(Values::Longs(keys)) => integers(&keys.data),
        Some(Values::Texts(keys)) => texts(&keys.data),
        _ => return Err(undecodable("Query", "it has no keys")),
    };
    rows("Query", keys, &fields, columns)
}

/// Reads the rows of a search, with the server's scores.
pub(crate) fn from_search(
    response: proto::SearchResultData,
    columns: &Columns,
) -> Result<Vec<(Row, f32)>> {
    let keys = match response.ids {
        Some(Ids { list: Some(IdList::Longs(keys)) }) => integers(&keys.data),
        Some(Ids { list: Some(IdList::Texts(keys)) }) => texts(&keys.data),
        _ => Vec::new(),
    };
    if keys.len() != response.scores.len() {
        let fault = format!("it has {} keys and {} scores", keys.len(), response.scores.len());
        return Err(undecodable("Search", fault));
    }
    let rows = rows("Search", keys, &response.fields_data, columns)?;
    Ok(rows.into_iter().zip(response.scores).collect())
}

fn integers(keys: &[i64]) -> Vec<RecordKey> {
    keys.iter().map(|key| RecordKey::Integer(key.cast_unsigned())).collect()
}

fn texts(keys: &[String]) -> Vec<RecordKey> {
    keys.iter().map(|key| RecordKey::String(key.clone())).collect()
}

fn rows(
    method: &'static str,
    keys: Vec<RecordKey>,
    fields: &[FieldData],
    columns: &Columns,
) -> Result<Vec<Row>> {
    let named = |name: &str| fields.iter().find(|field| field.field_name == name);
    let json = match named(DATA).and_then(scalars) {
        Some(Values::Json(json)) => Some(&json.data),
        _ => None,
    };
    let lists = |name| match named(name).and_then(scalars) {
        Some(Values::Arrays(lists)) => Some(&lists.data),
        _ => None,
    };
    let pieces = lists(LONG);
    let absent = lists(ABSENT);
    let terms = match named(TERMS).and_then(vectors) {
        Some(Elements::Sparse(terms)) => Some(&terms.contents),
        _ => None,
    };
    let dense =
        columns.vectors.iter().filter_map(|column| match named(&column.column).and_then(vectors) {
            Some(Elements::Floats(floats)) => Some((column, &floats.data)),
            _ => None,
        });
    let dense: Vec<_> = dense.collect();
    let row = |(place, key): (usize, RecordKey)| {
        let missing = || undecodable(method, format_args!("it has too few values for `{key}`"));
        let pieces = pieces.and_then(|pieces| pieces.get(place)).map_or(&[][..], strings);
        let data = json.map(|json| {
            let json = json.get(place).ok_or_else(missing)?;
            data::read(json, pieces).map_err(|error| {
                undecodable(method, format_args!("the data of `{key}` is no JSON: {error}"))
            })
        });
        let absent = absent.and_then(|absent| absent.get(place)).map_or(&[][..], strings);
        let mut vectors = Vectors::new();
        for (column, elements) in &dense {
            if absent.contains(&column.column) {
                continue;
            }
            let start = place * column.dimensions;
            let elements = elements.get(start..start + column.dimensions).ok_or_else(missing)?;
            vectors.insert(column.field.clone(), Arc::from(elements));
        }
        let terms = terms.and_then(|terms| terms.get(place)).cloned().unwrap_or_default();
        Ok(Row { data: data.transpose()?, absent: absent.to_vec(), vectors, terms, key })
    };
    keys.into_iter().enumerate().map(row).collect()
}

pub(crate) fn scalars(field: &FieldData) -> Option<&Values> {
    match &field.column {
        Some(Column::Scalars(Scalars { values })) => values.as_ref(),
        _ => None,
    }
}

fn vectors(field: &FieldData) -> Option<&Elements> {
    match &field.column {
        Some(Column::Vectors(vectors)) => vectors.elements.as_ref(),
        _ => None,
    }
}

fn strings(scalars: &Scalars) -> &[String] {
    match &scalars.values {
        Some(Values::Texts(texts)) => &texts.data,
        _ => &[],
    }
}
