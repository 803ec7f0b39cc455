//! The distinct values of a field.

use deadpool_postgres::Client;
use textsearch_core::{
    Filter, Result,
    filter::{FilterValue, lookup},
    vector::{DataField, DataKind, DistinctValue, ValueCounter},
};
use tokio_postgres::{Row, Transaction, types::Type};

use crate::{
    filter::condition,
    query::Query,
    scan::{Failure, bigint},
    table::{Part, Table},
};

impl Table {
    /// `field` is one whose values can be counted.
    pub(crate) async fn distinct_values(
        &self,
        client: &mut Client,
        field: &DataField,
        filter: Option<&Filter>,
        limit: usize,
    ) -> Result<Vec<DistinctValue>> {
        let mut query = Query::default();
        let condition = condition(filter, self, &mut query);
        let from = format!("FROM {} WHERE ({})", self.sql, condition.sql);
        let transaction = self.snapshot(client).await?;
        match counted_sql(field, self) {
            Some(value) if condition.exact => {
                let limit = query.bind(bigint(limit), Type::INT8);
                query.sql = format!(
                    "SELECT {value}, count(*) {from} AND {value} IS NOT NULL \
                     GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT ${limit}"
                );
                let rows = query.rows(&transaction).await.map_err(|error| self.error(error))?;
                let values = rows.iter().map(|row| distinct_value(row, field.kind));
                values.collect::<Result<_, _>>().map_err(|error| self.error(error))
            }
            _ => {
                let counter = self.counted(&transaction, query, &from, field, filter).await?;
                Ok(counter.most_frequent(limit))
            }
        }
    }

    /// Counts here what the server can't filter, or can't count, such as members of lists.
    async fn counted(
        &self,
        transaction: &Transaction<'_>,
        mut query: Query,
        from: &str,
        field: &DataField,
        filter: Option<&Filter>,
    ) -> Result<ValueCounter> {
        query.sql = format!("SELECT {} {from}", self.selected(Part::Data));
        let mut counter = ValueCounter::new(field.kind);
        let pages = query.pages(transaction, |row| {
            let record = self.record(&row, Part::Data)?;
            if record.matches(filter)
                && let Some(value) = lookup(&record.data, &field.name)
            {
                counter.add(value);
            }
            Ok::<_, Failure>(true)
        });
        pages.await.map_err(|failure| failure.into_error(self))?;
        Ok(counter)
    }
}

/// Returns the value of the field as SQL, if the server can group and order by it.
fn counted_sql(field: &DataField, table: &Table) -> Option<String> {
    let column = table.ordered(field)?;
    match field.kind {
        DataKind::String => Some(format!("({column})::text COLLATE \"C\"")),
        DataKind::Integer => Some(format!("({column})::bigint")),
        DataKind::Boolean => Some(column),
        _ => None,
    }
}

fn distinct_value(row: &Row, kind: DataKind) -> Result<DistinctValue, tokio_postgres::Error> {
    let value = match kind {
        DataKind::Boolean => FilterValue::Bool(row.try_get(0)?),
        DataKind::Integer => FilterValue::Integer(row.try_get(0)?),
        _ => FilterValue::String(row.try_get(0)?),
    };
    let records: i64 = row.try_get(1)?;
    Ok(DistinctValue::new(value, records.unsigned_abs()))
}
