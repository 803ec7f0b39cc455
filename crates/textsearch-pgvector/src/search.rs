//! Search by vector.

use std::sync::Arc;

use deadpool_postgres::Client;
use futures_util::future::try_join;
use textsearch_core::{
    Result, SearchResults,
    results::TotalCount,
    vector::{Distance, ScoreOrder, Scored, StoredRecord, VectorField, VectorSearchOptions},
};
use tokio_postgres::{GenericClient, Row, Transaction, types::Type};

use crate::{
    CONNECTOR,
    error::refused,
    filter::{Condition, condition},
    query::Query,
    scan::{Failure, window},
    table::{Part, Table},
    vectors::{Index, VectorColumn, check_ef_search},
};

/// An HNSW index returns no more than that. Beyond, all vectors are compared.
const MAX_CANDIDATES: usize = 1_000;

/// Queries for more results are not kept prepared: a connection keeps one statement for each number
/// of results.
const MAX_PREPARED: usize = 100;

/// Fewest candidates of an IVFFlat index that are ranked again by their whole vectors.
const MIN_RANKED_AGAIN: usize = 100;

pub(crate) type Found = Vec<Scored<StoredRecord>>;

/// A search that the table can run.
pub(crate) struct Search<'a> {
    table: &'a Table,
    options: &'a VectorSearchOptions,
    order: ScoreOrder,
    field: &'a VectorField,
    column: &'a VectorColumn,
    vector: Arc<[f32]>,
    part: Part,
}

/// How to read an index.
struct Read {
    /// Sets how much of the index the server reads.
    setting: String,
    /// How many rows are ranked again, if the index is coarse.
    candidates: usize,
}

impl Table {
    /// Checks a search before anything is sent.
    pub(crate) fn search<'a>(
        &'a self,
        vector: &Arc<[f32]>,
        options: &'a VectorSearchOptions,
    ) -> Result<Search<'a>> {
        let field = self.definition.vector_field(options.vector_field.as_deref(), CONNECTOR)?;
        field.check_query(vector, CONNECTOR)?;
        let order = options.order(field.distance.is_higher_better(), CONNECTOR)?;
        self.definition.check_filter(options.filter.as_ref(), CONNECTOR)?;
        let column = self.vector_column(field).ok_or_else(|| {
            refused("vector_field", format_args!("`{}`", field.name), "a vector of the definition")
        })?;
        if let Some(fault) = column.query_fault(vector) {
            return Err(refused("vector", fault, "a vector that fits"));
        }
        if let Index::Hnsw(_) = column.index {
            options.ef_search.map_or(Ok(()), check_ef_search)?;
        }
        let vector = Arc::clone(vector);
        let part = Part::new(options.include_vectors);
        Ok(Search { table: self, options, order, field, column, vector, part })
    }
}

impl Table {
    /// Reads a ranking until enough records match the filter, or to its end for the count.
    pub(crate) async fn checked_here(
        &self,
        transaction: &Transaction<'_>,
        query: Query,
        part: Part,
        options: &VectorSearchOptions,
    ) -> Result<(Found, u64)> {
        let mut records = Vec::new();
        let mut count = 0;
        let pages = query.pages(transaction, |row| {
            let scored = self.scored(&row, part)?;
            if scored.score.is_nan() {
                return Ok(false);
            }
            if scored.record.matches(options.filter.as_ref()) {
                if (options.skip..options.end()).contains(&count) {
                    records.push(scored);
                }
                count += 1;
            }
            Ok::<_, Failure>(options.include_total_count || count < options.end())
        });
        pages.await.map_err(|failure| failure.into_error(self))?;
        Ok((records, count as u64))
    }
}

impl Search<'_> {
    /// Reads no more than the keys of records.
    pub(crate) fn for_keys(mut self) -> Self {
        let (_, condition) = self.query();
        // Other conditions are checked here, with the data.
        if condition.exact {
            self.part = Part::Key;
        }
        self
    }

    pub(crate) async fn run(
        &self,
        client: &mut Client,
    ) -> Result<SearchResults<Scored<StoredRecord>>> {
        let (mut query, condition) = self.query();
        // A single query needs no transaction.
        if condition.exact && !self.options.include_total_count {
            let records = match self.index() {
                Some(index) => self.near_prepared(client, &index).await?,
                None => {
                    let rows = self.ranked(&mut query, &condition.sql).rows(&***client).await;
                    Some(self.scored(&self.rows(rows)?)?)
                }
            };
            if let Some(records) = records {
                return Ok(SearchResults::from_vec(records));
            }
        }
        let transaction = self.table.snapshot(client).await?;
        let (records, count) = self.run_in(&transaction).await?;
        Ok(SearchResults::from_vec(records).with_total_count(count))
    }

    pub(crate) async fn run_in(
        &self,
        transaction: &Transaction<'_>,
    ) -> Result<(Found, Option<TotalCount>)> {
        let (mut query, condition) = self.query();
        if !condition.exact {
            let from = self.from(&mut query, &condition.sql);
            query.sql = self.exact(&from, "");
            let checked = self.table.checked_here(transaction, query, self.part, self.options);
            let (records, count) = checked.await?;
            let count = TotalCount::Exact(count);
            return Ok((records, self.options.include_total_count.then_some(count)));
        }
        let mut count = None;
        if self.options.include_total_count {
            let from = format!("{}{}", self.from(&mut query, &condition.sql), self.directed());
            let exact = self.table.count(transaction, &query, &from).await?;
            count = Some(TotalCount::Exact(exact));
        }
        let near = match self.index() {
            Some(index) => self.near(transaction, &index).await?,
            None => None,
        };
        let records = match near {
            Some(records) => records,
            None => {
                let (mut query, condition) = self.query();
                let rows = self.ranked(&mut query, &condition.sql).rows(transaction).await;
                self.scored(&self.rows(rows)?)?
            }
        };
        Ok((records, count))
    }

    /// Returns a query with the vector as its first parameter.
    fn query(&self) -> (Query, Condition) {
        let mut query = Query::default();
        query.extend([self.column.parameter(&self.vector)]);
        let filter = self.options.filter.as_ref();
        let condition = condition(filter, self.table, &mut query);
        (query, condition)
    }

    /// How to read the index, if it may be used and can return enough.
    fn index(&self) -> Option<Read> {
        if self.options.exact || !self.column.fits_index(&self.vector) {
            return None;
        }
        let end = self.options.end();
        match &self.column.index {
            Index::None => None,
            _ if end > MAX_CANDIDATES => None,
            Index::Hnsw(parameters) => {
                let set = self.options.ef_search.unwrap_or(parameters.ef_search) as usize;
                // One more than wanted, for ties at the end.
                let candidates = set.max(end + 1).min(MAX_CANDIDATES);
                Some(Read { setting: format!("SET hnsw.ef_search = {candidates}"), candidates })
            }
            Index::IvfFlat(parameters) => Some(Read {
                setting: format!("SET ivfflat.probes = {}", parameters.probes),
                candidates: (2 * end).max(MIN_RANKED_AGAIN),
            }),
        }
    }

    /// Compares all vectors.
    fn ranked<'q>(&self, query: &'q mut Query, condition: &str) -> &'q Query {
        let from = self.from(query, condition);
        let window = window(query, self.options.skip, self.options.top);
        query.sql = self.exact(&from, &window);
        query
    }

    /// The addition keeps the server from using the index.
    fn exact(&self, from: &str, window: &str) -> String {
        let distance = self.column.distance();
        let key = self.table.by_key(&self.table.key);
        let order = format!("textsearch_distance, {key}");
        self.nearest(&format!("({distance}) + 0"), &format!("{from} ORDER BY {order} {window}"))
    }

    /// Selects by distance first, and computes the results of the selected rows alone.
    fn nearest(&self, distance: &str, from: &str) -> String {
        let table = self.table;
        let key = &table.key;
        let selected = table.selected(self.part);
        let read = [key.clone()].into_iter().chain(table.raw(self.part));
        let read = read.collect::<Vec<_>>().join(", ");
        let (score, computed) = match self.field.distance {
            Distance::CosineSimilarity => ("1 - textsearch_distance", String::new()),
            // A negation could return minus zero.
            Distance::DotProduct => ("0 - textsearch_distance", String::new()),
            Distance::EuclideanSquared => {
                ("textsearch_score", format!(", {} AS textsearch_score", self.column.score()))
            }
            _ => ("textsearch_distance", String::new()),
        };
        format!(
            "SELECT {selected}, {score} FROM (\
             SELECT {read}, {distance} AS textsearch_distance{computed} {from}\
             ) AS nearest ORDER BY textsearch_distance, {}",
            table.by_key(key)
        )
    }

    /// Reads the nearest candidates of the index; `None` if too few of them match.
    async fn near(&self, client: &impl GenericClient, index: &Read) -> Result<Option<Found>> {
        let query = self.near_query(index);
        // One round trip for both. The setting stays, and each such search sets it first.
        let rows = try_join(client.batch_execute(&index.setting), query.rows(client)).await;
        self.near_found(rows.map(|(_, rows)| rows))
    }

    /// Like [`near`](Self::near), but saves the server from parsing and planning the query again. Only
    /// for queries that are likely to come again.
    async fn near_prepared(&self, client: &Client, index: &Read) -> Result<Option<Found>> {
        let is_tuned = self.column.is_index_coarse() && self.options.ef_search.is_some();
        if self.options.filter.is_some() || self.options.end() > MAX_PREPARED || is_tuned {
            return self.near(&***client, index).await;
        }
        let query = self.near_query(index);
        let rows = try_join(client.batch_execute(&index.setting), query.prepared_rows(client));
        self.near_found(rows.await.map(|(_, rows)| rows))
    }

    /// Its numbers of rows are no parameters: the server would plan a prepared query again for each
    /// search, since a plan for any number of rows looks more expensive.
    fn near_query(&self, index: &Read) -> Query {
        let (mut query, condition) = self.query();
        let table = &self.table.sql;
        let column = self.column;
        let candidates =
            format!("FROM {table} WHERE {} IS NOT NULL AND {}", column.sql, condition.sql);
        let (distance, from) = if column.is_index_coarse() {
            let order =
                format!("ORDER BY {} LIMIT {}", column.indexed_distance(), index.candidates);
            let from = format!("FROM (SELECT * {candidates} {order}) AS textsearch_candidates");
            (column.distance(), format!("{from} ORDER BY textsearch_distance"))
        } else {
            (column.indexed_distance(), format!("{candidates} ORDER BY textsearch_distance"))
        };
        // With ties, whose keys decide which of them are results.
        let end = self.options.end();
        let from = format!("{from} FETCH FIRST {end} ROWS WITH TIES");
        query.sql = format!("{} LIMIT {end}", self.nearest(&distance, &from));
        query
    }

    fn near_found(&self, rows: Result<Vec<Row>, tokio_postgres::Error>) -> Result<Option<Found>> {
        let mut records = self.scored(&self.rows(rows)?)?;
        if records.len() < self.options.end() {
            return Ok(None);
        }
        records.drain(..self.options.skip);
        records.retain(|scored| self.order.reaches(scored.score));
        Ok(Some(records))
    }

    /// Records with the vector that match and reach the threshold.
    fn from(&self, query: &mut Query, condition: &str) -> String {
        let table = &self.table.sql;
        let column = &self.column.sql;
        let threshold = self.order.bound().map(|bound| {
            let sign = if self.field.distance.is_higher_better() { ">=" } else { "<=" };
            let number = query.bind(bound, Type::FLOAT8);
            format!(" AND {} {sign} ${number}", self.column.score())
        });
        let threshold = threshold.unwrap_or_default();
        format!("FROM {table} WHERE {column} IS NOT NULL AND {condition}{threshold}")
    }

    /// Leaves vectors without a direction out of the count. Rankings don't need the condition, which
    /// would compute each distance again: they end with these vectors.
    fn directed(&self) -> String {
        if self.field.distance.needs_direction() && self.table.existing.is_some() {
            format!(" AND ({}) <> 'NaN'", self.column.distance())
        } else {
            String::new()
        }
    }

    fn rows<T>(&self, rows: Result<T, tokio_postgres::Error>) -> Result<T> {
        rows.map_err(|error| self.table.error(error))
    }

    /// Reads a ranking without its end: to vectors without a direction, the distance is NaN, which
    /// Postgres orders last.
    fn scored(&self, rows: &[Row]) -> Result<Found> {
        let records = rows.iter().map(|row| self.table.scored(row, self.part));
        let is_last =
            |scored: &Result<Scored<_>>| scored.as_ref().is_ok_and(|scored| scored.score.is_nan());
        records.take_while(|scored| !is_last(scored)).collect()
    }
}
