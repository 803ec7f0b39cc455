//! Filters and definitions.

use super::{DataField, KeyKind, RecordDefinition};
use crate::{
    Error, Filter, FilterableField, Result,
    filter::{FilterOperator, FilterValue},
};

impl RecordDefinition {
    /// Checks that a filter, if there is one, names only [filterable](Self::filterable_fields)
    /// fields, and orders no texts of a field [without text order](DataField::without_text_order).
    ///
    /// # Errors
    ///
    /// Returns [`UnsupportedFilter`](crate::ErrorKind::UnsupportedFilter), which names `connector`,
    /// and lists the filterable fields or names the setting.
    pub fn check_filter(&self, filter: Option<&Filter>, connector: &str) -> Result<()> {
        let Some(filter) = filter else { return Ok(()) };
        filter.check(connector, &self.filterable_fields())?;
        self.check_text_order(filter, connector)
    }

    fn check_text_order(&self, filter: &Filter, connector: &str) -> Result<()> {
        match filter {
            Filter::Compare { field, operator, value: FilterValue::String(_) } => {
                self.check_orders_texts(field, (*operator).into(), connector)
            }
            Filter::And(filters) | Filter::Or(filters) => {
                filters.iter().try_for_each(|filter| self.check_text_order(filter, connector))
            }
            Filter::Not(filter) => self.check_text_order(filter, connector),
            _ => Ok(()),
        }
    }

    fn check_orders_texts(
        &self,
        field: &str,
        operator: FilterOperator,
        connector: &str,
    ) -> Result<()> {
        let (is_ordered, setting) = match self.data_field(field) {
            Some(data) => (data.text_order, "DataField::without_text_order"),
            None => (
                self.key.name != field || self.key.text_order,
                "RecordDefinition::without_key_order",
            ),
        };
        let orders = |operator: FilterOperator| {
            FilterOperator::ORDERING.contains(&operator) || operator == FilterOperator::StartsWith
        };
        if is_ordered || !orders(operator) {
            return Ok(());
        }
        let others = FilterOperator::ALL_COMPARISONS.iter().copied();
        let others: Vec<FilterOperator> = others.filter(|other| !orders(*other)).collect();
        let reason = format!(
            "its texts are kept without their order (`{setting}`); drop that setting and store the records again"
        );
        Err(Error::unsupported_filter_because(connector, field, operator, &others, reason))
    }

    /// Returns the fields that a filter may name: the key and filterable data fields.
    pub fn filterable_fields(&self) -> Vec<FilterableField> {
        let key = match self.key.kind {
            KeyKind::String | KeyKind::Uuid => {
                FilterableField::string(&self.key.name, "The key of the record")
            }
            KeyKind::Integer => FilterableField::integer(&self.key.name, "The key of the record"),
        };
        let data = self.data.iter().filter(|field| field.filterable);
        [key.with_operators(FilterOperator::ALL_COMPARISONS).offered_to_model(false)]
            .into_iter()
            .chain(data.map(DataField::to_filterable_field))
            .collect()
    }
}

impl DataField {
    fn to_filterable_field(&self) -> FilterableField {
        FilterableField::new(&self.name, &self.description, self.json_schema())
            .with_operators(FilterOperator::ALL_COMPARISONS)
            .offered_to_model(self.offered_to_model)
    }
}
