//! A tenant's documents.

use std::sync::Arc;

use textsearch_core::{Filter, TextSearch};
use textsearch_documents::{Document, fields};

use super::{
    DocumentWriter,
    ids::Prefix,
    stamp::{self, Stamp},
    writer::TenantWriter,
};
use crate::{
    Result, ServerError,
    problem::{Answer, Problem},
    tenant::{Identity, View},
};

/// A tenant with a filter writes only documents that match the filter, under its own ids. It deletes
/// only documents that match.
pub(crate) struct TenantDocuments {
    pub(super) writer: TenantWriter,
    pub(super) search: Arc<dyn TextSearch>,
    identity: Identity,
    own: Option<Own>,
}

#[derive(Clone)]
struct Own {
    stamp: Stamp,
    prefix: Prefix,
}

impl TenantDocuments {
    pub(crate) fn new(writer: &DocumentWriter, identity: &Identity) -> Result<Self> {
        let search: Arc<dyn TextSearch> = Arc::new(writer.documents().text_search());
        let search = View::restrict(&search, identity, None).map_err(|source| {
            let token = identity.name.clone();
            let source_name = "document_writer".to_owned();
            ServerError::UnsupportedFilter { token, source_name, source }
        })?;
        let definition = writer.documents().collection().definition();
        let own = match &identity.filter {
            Some(filter) => match Stamp::from_filter(filter, definition) {
                Ok(stamp) => Some(Own { prefix: Prefix::from_stamp(&stamp), stamp }),
                Err(reason) if identity.may_write => {
                    return Err(ServerError::setting(
                        identity.setting,
                        format!(
                            "does not keep apart what `{}` writes: its filter {reason}",
                            identity.name
                        ),
                    ));
                }
                Err(_) => None,
            },
            None => None,
        };
        let writer = TenantWriter::new(writer.clone());
        Ok(Self { writer, search, identity: identity.clone(), own })
    }

    /// Returns the document as stored, marked as the tenant's.
    pub(super) fn owned(&self, mut document: Document) -> Answer<Document> {
        let definition = self.writer.documents().collection().definition();
        let is_known =
            |name: &str| self.identity.sees(name) && stamp::is_metadata(name, definition);
        let mut names = document.metadata.keys();
        if let Some(unknown) = names.find(|name| !is_known(name)) {
            let known = definition.data.iter().map(|field| field.name.as_str());
            let known = known.filter(|name| is_known(name));
            let problem = Problem::invalid(unknown, "the store has no such metadata");
            return Err(problem.with_allowed(known));
        }
        let Some(Own { stamp, prefix }) = &self.own else { return Ok(document) };
        for (field, value) in &stamp.0 {
            match document.metadata.get(field) {
                Some(sent) if sent != value => {
                    let detail = "the metadata differs from the value that the token stands for";
                    return Err(Problem::invalid(field, detail));
                }
                _ => document.metadata.insert(field.clone(), value.clone()),
            };
        }
        document.id = prefix.add(&document.id);
        Ok(document)
    }

    /// Matches documents with these ids, whether the tenant or somebody else wrote them.
    pub(super) fn with_ids(&self, ids: Vec<String>) -> Filter {
        let stored = ids.into_iter().flat_map(|id| {
            let own = self.own.as_ref().map(|own| own.prefix.add(&id));
            own.into_iter().chain([id])
        });
        Filter::is_in(fields::DOCUMENT_ID, stored)
    }

    pub(super) fn written_id<'id>(&self, stored: &'id str) -> &'id str {
        self.own.as_ref().map_or(stored, |own| own.prefix.remove(stored))
    }

    /// Narrows `filter` to documents that the tenant sees.
    pub(super) fn seen(&self, filter: Filter) -> Filter {
        match &self.identity.filter {
            Some(fixed) => Filter::all([fixed.clone(), filter]),
            None => filter,
        }
    }
}
