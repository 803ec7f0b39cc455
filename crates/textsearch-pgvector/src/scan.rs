//! Scans: records in any order, with their number.

use deadpool_postgres::Client;
use textsearch_core::{
    Error, Result, SearchResults,
    results::TotalCount,
    vector::{OrderBy, Place, ScanOptions, ScanOrder, StoredRecord},
};
use tokio_postgres::{GenericClient, IsolationLevel, Transaction, types::Type};

use crate::{
    CONNECTOR,
    filter::condition,
    query::Query,
    table::{Part, Table},
};

/// A failure while rows are read: of the server, or of a record.
pub(crate) enum Failure {
    Query(tokio_postgres::Error),
    Record(Error),
}

impl Failure {
    pub(crate) fn into_error(self, table: &Table) -> Error {
        match self {
            Self::Query(error) => table.error(error),
            Self::Record(error) => error,
        }
    }
}

impl From<tokio_postgres::Error> for Failure {
    fn from(error: tokio_postgres::Error) -> Self {
        Self::Query(error)
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Record(error)
    }
}

impl Table {
    /// Checks a scan before anything is sent.
    pub(crate) fn check_scan(&self, options: &ScanOptions) -> Result<()> {
        ScanOrder::new(&options.order_by, &self.definition, CONNECTOR)?;
        self.definition.check_filter(options.filter.as_ref(), CONNECTOR)
    }

    pub(crate) async fn scan(
        &self,
        client: &mut Client,
        options: &ScanOptions,
    ) -> Result<SearchResults<StoredRecord>> {
        let mut query = Query::default();
        let condition = condition(options.filter.as_ref(), self, &mut query);
        let from = format!("FROM {} WHERE {}", self.sql, condition.sql);
        let transaction = self.snapshot(client).await?;
        let ordered = order_sql(&options.order_by, self);
        let scanned = match ordered {
            Some(order) if condition.exact => {
                self.scan_window(&transaction, query, &from, &order, options).await
            }
            Some(order) => self.scan_checked(&transaction, query, &from, &order, options).await,
            None => self.scan_sorted(&transaction, query, &from, options).await,
        };
        let (records, count) = scanned?;
        Ok(SearchResults::from_vec(records).with_total_count(TotalCount::Exact(count)))
    }

    /// Begins a transaction whose queries all see the same records.
    pub(crate) async fn snapshot<'a>(&self, client: &'a mut Client) -> Result<Transaction<'a>> {
        let client: &mut tokio_postgres::Client = client;
        let transaction = client.build_transaction().read_only(true);
        let started = transaction.isolation_level(IsolationLevel::RepeatableRead).start();
        started.await.map_err(|error| self.error(error))
    }

    pub(crate) async fn count(
        &self,
        client: &impl GenericClient,
        query: &Query,
        from: &str,
    ) -> Result<u64> {
        let rows = query.rows_of(&format!("SELECT count(*) {from}"), client).await;
        let rows = rows.map_err(|error| self.error(error))?;
        let count: i64 = rows.first().map_or(0, |row| row.get(0));
        Ok(count.unsigned_abs())
    }

    /// The server does all of it.
    async fn scan_window(
        &self,
        transaction: &Transaction<'_>,
        mut query: Query,
        from: &str,
        order: &str,
        options: &ScanOptions,
    ) -> Result<(Vec<StoredRecord>, u64)> {
        let count = self.count(transaction, &query, from).await?;
        let selected = self.selected(Part::new(options.include_vectors));
        let window = window(&mut query, options.skip, options.top.unwrap_or(usize::MAX));
        query.sql = format!("SELECT {selected} {from} ORDER BY {order} {window}");
        let rows = query.rows(transaction).await;
        let rows = rows.map_err(|error| self.error(error))?;
        let records = rows.iter().map(|row| self.record(row, Part::new(options.include_vectors)));
        Ok((records.collect::<Result<_>>()?, count))
    }

    /// The server orders; the filter is checked here.
    async fn scan_checked(
        &self,
        transaction: &Transaction<'_>,
        mut query: Query,
        from: &str,
        order: &str,
        options: &ScanOptions,
    ) -> Result<(Vec<StoredRecord>, u64)> {
        let selected = self.selected(Part::new(options.include_vectors));
        query.sql = format!("SELECT {selected} {from} ORDER BY {order}");
        let mut records = Vec::new();
        let mut count = 0;
        let end = options.skip.saturating_add(options.top.unwrap_or(usize::MAX));
        let pages = query.pages(transaction, |row| {
            let record = self.record(&row, Part::new(options.include_vectors))?;
            if record.matches(options.filter.as_ref()) {
                if (options.skip..end).contains(&count) {
                    records.push(record);
                }
                count += 1;
            }
            Ok::<_, Failure>(true)
        });
        pages.await.map_err(|failure| failure.into_error(self))?;
        Ok((records, count as u64))
    }

    /// Filter and order are checked here.
    async fn scan_sorted(
        &self,
        transaction: &Transaction<'_>,
        mut query: Query,
        from: &str,
        options: &ScanOptions,
    ) -> Result<(Vec<StoredRecord>, u64)> {
        query.sql = format!(
            "SELECT {} {from} ORDER BY {}",
            self.selected(Part::Data),
            self.by_key(&self.key)
        );
        let order = ScanOrder::new(&options.order_by, &self.definition, CONNECTOR)?;
        let mut places: Vec<Place> = Vec::new();
        let pages = query.pages(transaction, |row| {
            let record = self.record(&row, Part::Data)?;
            if record.matches(options.filter.as_ref()) {
                places.push(order.place(&record));
            }
            Ok::<_, Failure>(true)
        });
        pages.await.map_err(|failure| failure.into_error(self))?;
        let count = places.len() as u64;
        let keys = order.window(places, options);
        let records = self.get(transaction, &keys, Part::new(options.include_vectors)).await?;
        Ok((records, count))
    }
}

pub(crate) fn bigint(number: usize) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// Returns the end of a query, with its numbers as parameters.
pub(crate) fn window(query: &mut Query, skip: usize, top: usize) -> String {
    let top = query.bind(bigint(top), Type::INT8);
    let skip = query.bind(bigint(skip), Type::INT8);
    format!("LIMIT ${top} OFFSET ${skip}")
}

/// Returns the order of a scan as SQL, unless a field has no column or its column rounds.
fn order_sql(orders: &[OrderBy], table: &Table) -> Option<String> {
    let by = |order: &OrderBy| {
        let column = match table.definition.data_field(&order.field) {
            Some(field) => table.ordered(field)?,
            None if order.field == table.definition.key.name => table.by_key(&table.key),
            None => return None,
        };
        let direction = if order.descending { "DESC" } else { "ASC" };
        Some(format!("{column} {direction} NULLS LAST, "))
    };
    let fields: Option<String> = orders.iter().map(by).collect();
    fields.map(|fields| format!("{fields}{}", table.by_key(&table.key)))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use textsearch_core::vector::{DataField, RecordDefinition};

    use super::*;
    use crate::{FullTextRanking, PgVectorTable};

    fn table() -> Table {
        let definition = RecordDefinition::new("id")
            .with_data(DataField::integer("year").filterable())
            .with_data(DataField::number("size").filterable())
            .with_data(DataField::string("body"));
        let definition = Arc::new(definition);
        let settings = PgVectorTable::new();
        Table::new("public", "notes", definition, FullTextRanking::Terms, &settings)
    }

    #[test]
    fn the_server_orders_by_columns_that_do_not_round() {
        let sql = |field: &str| order_sql(&[OrderBy::descending(field)], &table());
        assert_eq!(sql("year").as_deref(), Some(r#""year" DESC NULLS LAST, "id""#));
        assert_eq!(sql("id").as_deref(), Some(r#""id" DESC NULLS LAST, "id""#));
        assert_eq!(sql("size"), None);
        assert_eq!(sql("body"), None);
    }
}
