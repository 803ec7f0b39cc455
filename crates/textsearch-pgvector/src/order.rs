//! The order of a scan in SQL.

use textsearch_core::vector::OrderBy;

use crate::table::Table;

/// Returns the SQL, unless a field has no column or its column rounds.
pub(crate) fn sql(orders: &[OrderBy], table: &Table) -> Option<String> {
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
        let (definition, settings) = (Arc::new(definition), PgVectorTable::new());
        Table::new("public", "notes", definition, FullTextRanking::Terms, &settings)
    }

    #[test]
    fn the_server_orders_by_columns_that_do_not_round() {
        let sql = |field: &str| sql(&[OrderBy::descending(field)], &table());
        assert_eq!(sql("year").as_deref(), Some(r#""year" DESC NULLS LAST, "id""#));
        assert_eq!(sql("id").as_deref(), Some(r#""id" DESC NULLS LAST, "id""#));
        assert_eq!(sql("size"), None);
        assert_eq!(sql("body"), None);
    }
}
