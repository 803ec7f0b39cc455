//! The order of a scan in SQL.

use textsearch_core::vector::{DataKind, OrderBy, RecordDefinition};

use crate::{columns::has_column, table::quoted};

/// Returns the SQL, unless a field has no column or its column rounds.
pub(crate) fn sql(orders: &[OrderBy], definition: &RecordDefinition) -> Option<String> {
    let by = |order: &OrderBy| {
        let is_exact = match definition.data_field(&order.field) {
            Some(field) => {
                has_column(field) && ![DataKind::Number, DataKind::DateTime].contains(&field.kind)
            }
            None => true,
        };
        let direction = if order.is_descending { "DESC" } else { "ASC" };
        is_exact.then(|| format!("{} {direction} NULLS LAST, ", quoted(&order.field)))
    };
    let fields: Option<String> = orders.iter().map(by).collect();
    fields.map(|fields| format!("{fields}{}", quoted(&definition.key.name)))
}

#[cfg(test)]
mod tests {
    use textsearch_core::vector::DataField;

    use super::*;

    fn definition() -> RecordDefinition {
        RecordDefinition::new("id")
            .with_data(DataField::integer("year").filterable())
            .with_data(DataField::number("size").filterable())
            .with_data(DataField::string("body"))
    }

    #[test]
    fn the_server_orders_by_columns_that_do_not_round() {
        let sql = |field: &str| sql(&[OrderBy::descending(field)], &definition());
        assert_eq!(sql("year").as_deref(), Some(r#""year" DESC NULLS LAST, "id""#));
        assert_eq!(sql("id").as_deref(), Some(r#""id" DESC NULLS LAST, "id""#));
        assert_eq!(sql("size"), None);
        assert_eq!(sql("body"), None);
    }
}
