//! A search as a tenant sees it.

use std::sync::Arc;

use schemars::Schema;
use serde_json::Value;
use textsearch_core::{
    CheckedOptions, Filter, FilterableField, SearchResults, TextSearch, TextSearchConnector,
    results::AnyRecord,
};

use super::Identity;

/// Adds a fixed filter to every search. Fields that the tenant doesn't see don't exist for it.
pub(crate) struct View {
    search: Arc<dyn TextSearch>,
    filter: Filter,
    fields: Vec<FilterableField>,
}

impl View {
    /// Returns `search` as the tenant sees it. `common` is the filter of all tenants, under which the examples of
    /// fields were read.
    ///
    /// # Errors
    ///
    /// Returns an error if the search can't apply the filter.
    pub(crate) fn restrict(
        search: &Arc<dyn TextSearch>,
        identity: &Identity,
        common: Option<&Filter>,
    ) -> textsearch_core::Result<Arc<dyn TextSearch>> {
        let search = Arc::clone(search);
        let Some(filter) = &identity.filter else { return Ok(search) };
        search.check_fixed_filter(filter)?;
        let fields = search.fields().iter().filter(|field| identity.sees(&field.name));
        // Examples may be values of other tenants.
        let has_examples = common == Some(filter);
        let fields =
            fields.cloned().map(|field| if has_examples { field } else { field.with_examples([]) });
        let fields = fields.collect();
        Ok(Arc::new(Self { search, filter: filter.clone(), fields }))
    }

    fn hides(&self, name: &str) -> bool {
        let is_named = |fields: &[FilterableField]| fields.iter().any(|field| field.name == name);
        is_named(self.search.fields()) && !is_named(&self.fields)
    }
}

impl TextSearchConnector for View {
    type Record = AnyRecord;

    fn name(&self) -> &str {
        self.search.name()
    }

    fn data_source(&self) -> &str {
        self.search.data_source()
    }

    async fn search_records(
        &self,
        query: &str,
        options: &CheckedOptions<'_, Self>,
    ) -> textsearch_core::Result<SearchResults<AnyRecord>> {
        if let Some(filter) = options.filter() {
            filter.check(self.name(), &self.fields)?;
        }
        let options = (**options).clone().with_fixed_filter(self.filter.clone());
        self.search.search_any(query, &options).await
    }

    fn fields(&self) -> &[FilterableField] {
        &self.fields
    }

    fn schema(&self) -> Schema {
        let mut schema = self.search.schema();
        if let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) {
            properties.retain(|name, _| !self.hides(name));
        }
        if let Some(required) = schema.get_mut("required").and_then(Value::as_array_mut) {
            required.retain(|name| name.as_str().is_none_or(|name| !self.hides(name)));
        }
        schema
    }

    fn supports_fixed_filter(&self) -> bool {
        self.search.supports_fixed_filter()
    }
}
