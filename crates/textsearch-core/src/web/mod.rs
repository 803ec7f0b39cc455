//! Shared parts of web search connectors.
//!
//! - A [`WebEngine`] describes an engine; [`WebSearch`] is its connector, with configuration, paging,
//!   filters and errors.
//! - [`Conditions`] split a filter into comparisons of single fields; [`Bounds`] collect the ends of a
//!   range.
//! - [`Site`] and [`Sites`] are filters on sites; [`FixedSites`] leaves out results that contradict
//!   a fixed filter.
//! - [`plain_query`] and [`quoted_query`] remove operators; [`term`] makes a value one term.
//!   [`FilterWords`] are filters as operators in the query; [`words_before`] keeps them apart from it.
//! - [`Marks`] removes highlighting from titles and snippets.
//! - [`valid`], [`one_of`], [`day`], [`exact_day`], [`is_letters`], [`is_locale`], [`is_period`] and [`is_address`] check values;
//!   [`written_day`] writes a date as a day.
//! - [`site_field`] and [`published_field`] are common fields, [`SafeSearch`] and [`TimeRange`] common settings; [`closed_set!`](crate::http::closed_set) declares others.
//! - [`value_or_default`], [`value_or_none`], [`text_or_none`], [`readable_values`], [`set`] and [`facts`] read missing and
//!   mistyped values; [`records!`] does so for all fields of a record, and [`rename_details`] names others. A [`ResultList`] skips unreadable results.
//!   [`page_result`] turns a page into a result.
//! - An [`ErrorFormat`] reads errors.
//!
//! Errors have the connector's name that their function takes.

mod bounds;
mod common_fields;
mod common_settings;
mod conditions;
mod engine;
mod filter_words;
mod highlights;
mod links;
mod narrowed;
mod option_values;
mod query;
mod sites;
mod wire;

#[cfg(test)]
mod tests;

pub use bounds::Bounds;
pub use common_fields::{published_field, site_field};
pub use common_settings::{SafeSearch, TimeRange};
pub use conditions::{Condition, Conditions};
pub use engine::{
    Connection, ErrorFormat, KeyPlace, PageAddress, PageScheme, Paging, QueryOperators, ResultPage,
    WebEngine, WebQuery, WebRequest, WebSearch, settings,
};
pub use filter_words::{FilterWords, words_before};
pub use highlights::Marks;
pub use links::{FixedSites, contradicts, warn_left_out};
pub use option_values::{
    day, exact_day, is_address, is_letters, is_locale, is_period, one_of, valid, written_day,
};
pub use query::{plain_query, quoted_query, term, without_quotes};
pub use sites::{Site, Sites};
pub use wire::{
    ResultList, facts, is_empty, page_result, readable_values, records, rename_details, set,
    text_or_none, value_or_default, value_or_none,
};
