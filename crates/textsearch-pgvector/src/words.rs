//! Search by words: BM25 over the stored terms, or Postgres's own ranking.

use deadpool_postgres::Client;
use textsearch_core::{
    Result, SearchResults,
    results::TotalCount,
    vector::{ScoreOrder, Scored, StoredRecord, VectorSearchOptions},
};
use tokio_postgres::{Transaction, types::Type};

use crate::{
    CONNECTOR, FullTextRanking,
    filter::condition,
    query::Query,
    scan::window,
    search::Found,
    table::{Part, TERMS, Table, WEIGHTS},
    terms::{StoredTerms, stored},
    ts_rank,
};

/// From this number of rows on, the server's estimate of the number replaces counting.
const MAX_COUNTED: f64 = 10_000.0;

/// A search that the table can run.
pub(crate) struct WordSearch<'a> {
    table: &'a Table,
    options: &'a VectorSearchOptions,
    order: ScoreOrder,
    words: Words<'a>,
    part: Part,
}

enum Words<'a> {
    Terms(StoredTerms),
    /// A text for Postgres to split.
    Text(&'a str),
}

/// The ranking as common table expressions, for the end of a statement to select from.
struct Ranking {
    query: Query,
    sql: String,
    /// Whether it holds no record that the filter excludes.
    exact: bool,
}

impl Table {
    /// Checks a search by words before anything is sent.
    pub(crate) fn search_words<'a>(
        &'a self,
        text: &'a str,
        options: &'a VectorSearchOptions,
    ) -> Result<WordSearch<'a>> {
        let order = options.order(true, CONNECTOR)?;
        self.definition.check_filter(options.filter.as_ref(), CONNECTOR)?;
        let fields = &options.full_text_fields;
        let words = match self.ranking {
            FullTextRanking::Terms => {
                Words::Terms(stored(self.texts.query(&self.definition, fields, text, CONNECTOR)?))
            }
            FullTextRanking::TsRank => {
                self.definition.full_text_fields_among(fields, CONNECTOR)?;
                Words::Text(text)
            }
        };
        let part = Part::new(options.include_vectors);
        Ok(WordSearch { table: self, options, order, words, part })
    }
}

impl WordSearch<'_> {
    /// Reads no more than the keys of records.
    pub(crate) fn for_keys(mut self) -> Result<Self> {
        // Other conditions are checked here, with the data.
        if self.ranking()?.exact {
            self.part = Part::Key;
        }
        Ok(self)
    }

    pub(crate) async fn run(
        &self,
        client: &mut Client,
    ) -> Result<SearchResults<Scored<StoredRecord>>> {
        let transaction = self.table.snapshot(client).await?;
        let (records, count) = self.run_in(&transaction).await?;
        Ok(SearchResults::from_vec(records).with_total_count(count))
    }

    pub(crate) async fn run_in(
        &self,
        transaction: &Transaction<'_>,
    ) -> Result<(Found, Option<TotalCount>)> {
        let ranking = self.ranking()?;
        let (records, count) = if ranking.exact {
            self.window(transaction, ranking).await?
        } else {
            let Ranking { mut query, sql, .. } = ranking;
            query.sql = format!("{sql} {}", self.records(""));
            self.table.checked_here(transaction, query, self.part, self.options).await?
        };
        Ok((records, self.options.include_total_count.then_some(TotalCount::Exact(count))))
    }

    fn ranking(&self) -> Result<Ranking> {
        let mut query = Query::default();
        let mut exact = true;
        let filter = |query: &mut Query| {
            let condition = condition(self.options.filter.as_ref(), self.table, query);
            exact = condition.exact;
            condition.sql
        };
        let scored = match &self.words {
            Words::Terms(terms) => self.scored_by_terms(terms, &mut query, filter),
            Words::Text(text) => {
                let fields = &self.options.full_text_fields;
                ts_rank::scored(self.table, fields, text, &mut query, filter)?
            }
        };
        let threshold = self.order.bound().map(|bound| {
            format!(" WHERE textsearch_score >= ${}", query.bind(bound, Type::FLOAT8))
        });
        let threshold = threshold.unwrap_or_default();
        let sql =
            format!("{scored}, textsearch_ranked AS (SELECT * FROM textsearch_scored{threshold})");
        Ok(Ranking { query, sql, exact })
    }

    /// Scores each row with a term of the query. All rows decide how rare a term is, also those
    /// that the filter excludes.
    fn scored_by_terms(
        &self,
        terms: &StoredTerms,
        query: &mut Query,
        filter: impl FnOnce(&mut Query) -> String,
    ) -> String {
        query.bind(terms.numbers.clone(), Type::INT4_ARRAY);
        query.bind(terms.weights.clone(), Type::FLOAT4_ARRAY);
        query.bind(self.table.sql.clone(), Type::TEXT);
        query.bind(MAX_COUNTED, Type::FLOAT8);
        let table = &self.table.sql;
        let key = &self.table.key;
        let filter = filter(query);
        format!(
            "WITH textsearch_hits AS MATERIALIZED (\
             SELECT {key} AS textsearch_key, ({filter}) AS textsearch_fits, \
             textsearch_term, textsearch_count, textsearch_place, \
             {WEIGHTS}[width_bucket(textsearch_term, {TERMS})] AS textsearch_weight \
             FROM {table}, unnest($1::integer[], $2::real[]) WITH ORDINALITY \
             AS textsearch_query (textsearch_term, textsearch_count, textsearch_place) \
             WHERE {TERMS} && $1::integer[] \
             AND {TERMS}[width_bucket(textsearch_term, {TERMS})] = textsearch_term\
             ), textsearch_size AS MATERIALIZED (\
             SELECT CASE WHEN reltuples < $4 THEN (SELECT count({TERMS}) FROM {table}) \
             ELSE reltuples END AS textsearch_all FROM pg_class WHERE oid = $3::text::regclass\
             ), textsearch_rarities AS (\
             SELECT textsearch_term, ln(1 + (greatest(textsearch_all, textsearch_holders) \
             - textsearch_holders + 0.5::float8) / (textsearch_holders + 0.5::float8)) AS textsearch_rarity \
             FROM textsearch_size, (SELECT textsearch_term, count(*)::float8 AS textsearch_holders \
             FROM textsearch_hits GROUP BY textsearch_term) AS textsearch_counted\
             ), textsearch_scored AS (\
             SELECT textsearch_key, \
             sum(textsearch_count::float8 * textsearch_rarity * textsearch_weight::float8 \
             ORDER BY textsearch_place) AS textsearch_score \
             FROM textsearch_hits JOIN textsearch_rarities USING (textsearch_term) \
             WHERE textsearch_fits GROUP BY textsearch_key)"
        )
    }

    /// The server does all of it.
    async fn window(
        &self,
        transaction: &Transaction<'_>,
        ranking: Ranking,
    ) -> Result<(Found, u64)> {
        let Ranking { mut query, sql, .. } = ranking;
        let mut count = 0;
        if self.options.include_total_count {
            let counted = format!("{sql} SELECT count(*) FROM textsearch_ranked");
            let rows = self.answered(query.rows_of(&counted, transaction).await)?;
            count = rows.first().map_or(0, |row| row.get::<_, i64>(0)).unsigned_abs();
        }
        let window = window(&mut query, self.options.skip, self.options.top);
        query.sql = format!("{sql} {}", self.records(&window));
        let rows = self.answered(query.rows(transaction).await)?;
        let records = rows.iter().map(|row| self.table.scored(row, self.part));
        Ok((records.collect::<Result<_>>()?, count))
    }

    /// Selects the records of a window of the ranking.
    fn records(&self, window: &str) -> String {
        let table = &self.table.sql;
        let key = &self.table.key;
        let selected = self.table.selected(self.part);
        let order = format!("textsearch_score DESC, {}", self.table.by_key("textsearch_key"));
        format!(
            "SELECT {selected}, textsearch_score FROM (SELECT * FROM textsearch_ranked ORDER BY {order} {window}) \
             AS textsearch_best JOIN {table} ON {key} = textsearch_key ORDER BY {order}"
        )
    }

    fn answered<T>(&self, answer: Result<T, tokio_postgres::Error>) -> Result<T> {
        answer.map_err(|error| self.table.error(error))
    }
}
