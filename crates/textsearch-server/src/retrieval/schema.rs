//! The metadata of documents.

use textsearch_core::{
    Filter,
    filter::{Comparison, FilterValue},
    vector::DataField,
};

use super::wire::{AUTHOR, CREATED_AT, SOURCE, SOURCE_ID};
use crate::ServerConfig;

/// Returns the metadata of the retrieval-plugin interface, `source`, `source_id`, `created_at` and
/// `author`, and the fields whose values the filters of tokens and of tenants demand.
///
/// ```
/// use textsearch_core::Filter;
/// use textsearch_documents::DocumentSchema;
/// use textsearch_server::{AccessToken, ServerConfig, retrieval_metadata};
///
/// let token = AccessToken::new("acme", "a-long-random-token")
///     .with_fixed_filter(Filter::eq("tenant", "acme"));
/// let fields = retrieval_metadata(&ServerConfig::new().with_token(token));
/// assert_eq!(fields[4].name, "tenant");
/// let schema = fields.into_iter().fold(DocumentSchema::default(), DocumentSchema::with_metadata);
/// ```
pub fn retrieval_metadata(config: &ServerConfig) -> Vec<DataField> {
    let mut fields = vec![
        DataField::string(SOURCE).with_description("Where it is from, such as email or file"),
        DataField::string(SOURCE_ID).with_description("The id in its source"),
        DataField::date_time(CREATED_AT).with_description("When it was written"),
        DataField::string(AUTHOR).with_description("Who wrote it"),
    ];
    let filters = config.tokens.iter().filter_map(|token| token.fixed_filter.as_ref());
    let of_tenants = config.oauth.as_ref().and_then(|oauth| oauth.tenant_filter.as_ref());
    filters.chain(of_tenants).for_each(|filter| add_fields(filter, &mut fields));
    fields
}

fn add_fields(filter: &Filter, fields: &mut Vec<DataField>) {
    match filter {
        Filter::And(filters) => filters.iter().for_each(|filter| add_fields(filter, fields)),
        Filter::Compare { field, operator: Comparison::Eq, value } => {
            let new = match value {
                FilterValue::Integer(_) => DataField::integer(field),
                FilterValue::Bool(_) => DataField::boolean(field),
                _ => DataField::string(field),
            };
            if fields.iter().all(|known| known.name != new.name) {
                fields.push(new);
            }
        }
        _ => {}
    }
}
