//! The query of a search, as an engine sees it.

use std::{borrow::Cow, cell::Cell, collections::BTreeMap, fmt};

use serde_json::Value;
use url::Url;

use super::{KeyPlace, WebEngine};
use crate::{
    Error, Filter, FilterableField, Result, SearchOptions,
    filter::FilterOperator,
    http::{HttpRequest, Secret},
    web::{Condition, Conditions, is_empty, plain_query, quoted_query},
};

/// The operators that an engine reads in queries, such as `site:`. Under a fixed filter they must
/// not take effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "the core handles each kind")]
pub enum QueryOperators {
    /// None: the engine searches for every query as it is.
    None,
    /// Quotes make a word literal. The list names operators that look like words, besides `AND`,
    /// `OR` and `NOT`: see [`quoted_query`].
    Quotable(&'static [&'static str]),
    /// Only removing them is safe: see [`plain_query`].
    Removable,
}

impl QueryOperators {
    pub(super) fn without_effect(self, query: &str) -> Cow<'_, str> {
        match self {
            Self::None => Cow::Borrowed(query),
            Self::Quotable(more) => quoted_query(query, more).into(),
            Self::Removable => plain_query(query).into(),
        }
    }
}

/// A query with its options, for [`WebEngine::request`].
pub struct WebQuery<'a> {
    text: Cow<'a, str>,
    options: &'a SearchOptions,
    filter: Option<Cow<'a, Filter>>,
    is_filter_read: Cell<bool>,
    connector: &'static str,
    fields: &'a [FilterableField],
    site_fields: &'static [&'static str],
    url: &'a Url,
    key: &'a Secret,
    key_place: KeyPlace,
}

impl<'a> WebQuery<'a> {
    /// `None` if the filter is false for everything.
    pub(super) fn new<E: WebEngine>(
        engine: &'a E,
        url: &'a Url,
        fields: &'a [FilterableField],
        query: &'a str,
        options: &'a SearchOptions,
    ) -> Result<Option<Self>> {
        let mut filter = options.filter();
        if let (Some(constant), true) = (&filter, fields.is_empty()) {
            constant.check(E::NAME, fields)?;
            if !constant.matches(&Value::Null) {
                return Ok(None);
            }
            filter = None;
        }
        let is_overridable = E::OPERATORS_OVERRIDE_FILTERS && filter.is_some();
        let text = if options.fixed_filter().is_some() || is_overridable {
            E::OPERATORS.without_effect(query)
        } else {
            Cow::Borrowed(query)
        };
        engine.check_query(&text)?;
        Ok(Some(Self {
            text,
            options,
            is_filter_read: Cell::new(filter.is_none()),
            filter,
            connector: E::NAME,
            fields,
            site_fields: E::SITE_FIELDS,
            url,
            key: &engine.connection().api_key,
            key_place: engine.key_place(),
        }))
    }

    /// Returns the text to search for. Under a fixed filter its operators are quoted or removed.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the options as the caller gave them. Read the filter with
    /// [`conditions`](Self::conditions) or [`filter`](Self::filter).
    pub fn options(&self) -> &SearchOptions {
        self.options
    }

    /// Returns `skip + top`: the number of results that the search needs.
    pub fn wanted(&self) -> usize {
        self.options.skip.saturating_add(self.options.top)
    }

    /// Returns whether the filter is fixed, at least in part.
    pub fn is_fixed(&self) -> bool {
        self.options.fixed_filter().is_some()
    }

    /// Returns the conditions of the filter. All must hold. `None` means that the filter is false
    /// for every record.
    ///
    /// A field has at most one `=` condition, with the values that the fixed filter and the caller's
    /// both allow.
    ///
    /// # Errors
    /// As [`Conditions::of`], and [`InvalidOptions`](crate::ErrorKind::InvalidOptions) if one of
    /// several values for a [site](WebEngine::SITE_FIELDS) is none.
    pub fn conditions(&self) -> Result<Option<Vec<Condition>>> {
        let conditions = self.read_conditions()?.narrowed(self.site_fields)?;
        Ok((!conditions.are_never_met).then_some(conditions.all))
    }

    /// Returns the conditions as the filter has them, for engines that combine several `=` on one
    /// field in their own way. For example, the narrower of two time ranges applies, or two values
    /// are an error.
    ///
    /// # Errors
    /// As [`Conditions::of`].
    pub fn separate_conditions(&self) -> Result<Option<Vec<Condition>>> {
        let conditions = self.read_conditions()?;
        Ok((!conditions.are_never_met).then_some(conditions.all))
    }

    fn read_conditions(&self) -> Result<Conditions> {
        let Some(filter) = self.filter() else { return Ok(Conditions::default()) };
        Conditions::of(self.connector, filter, self.fields)
    }

    /// Returns the whole filter, for engines that can express more than
    /// [`conditions`](Self::conditions).
    pub fn filter(&self) -> Option<&Filter> {
        self.is_filter_read.set(true);
        self.filter.as_deref()
    }

    /// Returns a `GET` request to the endpoint, with the key.
    pub fn get(&self) -> HttpRequest {
        self.with_key(HttpRequest::get(self.url.clone()))
    }

    /// Returns a `POST` request to the endpoint, with the key. It is idempotent.
    pub fn post(&self) -> HttpRequest {
        self.with_key(HttpRequest::post(self.url.clone()).with_idempotent(true))
    }

    /// Returns a [`post`](Self::post) of these parameters as a JSON object, without those that
    /// [say nothing](is_empty).
    pub fn post_json(
        &self,
        parameters: impl IntoIterator<Item = (&'static str, Value)>,
    ) -> HttpRequest {
        let parameters = parameters.into_iter().filter(|(_, value)| !is_empty(value));
        self.post().with_json(&parameters.collect::<BTreeMap<_, _>>())
    }

    fn with_key(&self, request: HttpRequest) -> HttpRequest {
        self.key_place.apply(request, self.key)
    }

    /// An engine that ignores the filter would return records outside of it.
    pub(super) fn check_filter_was_read(&self) -> Result<()> {
        if self.is_filter_read.get() {
            return Ok(());
        }
        let field = self.filter.as_ref().and_then(|filter| filter.fields().next());
        let reason = "the connector did not read the filter; call `WebQuery::conditions`";
        Err(Error::unsupported_filter_because(
            self.connector,
            field.unwrap_or_default(),
            FilterOperator::And,
            &[],
            reason,
        ))
    }
}

impl fmt::Debug for WebQuery<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("WebQuery").field("options", &self.options).finish_non_exhaustive()
    }
}
