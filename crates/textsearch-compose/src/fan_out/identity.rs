//! Which results of several sources are the same.

use std::borrow::Cow;

use foldhash::{HashMap, HashMapExt as _, HashSet, HashSetExt as _};
use textsearch_core::TextSearchResult;

use super::ask::Candidate;
use crate::link;

/// Equal for results that are the same.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(super) enum Identity<'a> {
    Page(&'a str),
    Record {
        id: Option<&'a str>,
        name: Option<&'a str>,
        text: &'a str,
    },
    /// Of a source and a position: equal to no other.
    Unique(usize, usize),
}

/// The page of each candidate of each source, if it has a link.
pub(super) struct Pages<'a>(Vec<Vec<Option<Cow<'a, str>>>>);

impl<'a> Pages<'a> {
    pub(super) fn new(sources: &'a [Vec<Candidate>]) -> Self {
        let page = |candidate: &'a Candidate| candidate.result.link.as_deref().map(link::page);
        let pages = |candidates: &'a Vec<Candidate>| {
            candidates.iter().map(page).map(|page| page.filter(|page| !page.is_empty())).collect()
        };
        Self(sources.iter().map(pages).collect())
    }

    /// Returns the identity of each candidate of each source. Sources with the same number in
    /// `stores` search the same records.
    ///
    /// The page identifies a result. If a store returns several records of one page, such as the
    /// chunks of a document, then id, name and text identify each, as without a link.
    pub(super) fn identities(
        &'a self,
        sources: &'a [Vec<Candidate>],
        stores: &[usize],
    ) -> Vec<Vec<Identity<'a>>> {
        let split = self.split(sources, stores);
        let mut identities: Vec<Vec<Identity<'a>>> = Vec::with_capacity(sources.len());
        for (source, (candidates, pages)) in sources.iter().zip(&self.0).enumerate() {
            let places = candidates.iter().zip(pages).enumerate();
            let identity =
                |(position, (candidate, page)): (usize, (&'a Candidate, &'a Option<_>))| {
                    let result = &candidate.result;
                    match page.as_deref() {
                        Some(page) if result.id.is_none() || !split.contains(page) => {
                            Identity::Page(page)
                        }
                        _ => record(result).unwrap_or(Identity::Unique(source, position)),
                    }
                };
            identities.push(places.map(identity).collect());
        }
        identities
    }

    /// Returns the pages with several records in one store.
    fn split(&'a self, sources: &'a [Vec<Candidate>], stores: &[usize]) -> HashSet<&'a str> {
        let mut ids = HashMap::new();
        let mut split = HashSet::new();
        for ((candidates, pages), store) in sources.iter().zip(&self.0).zip(stores) {
            for (candidate, page) in candidates.iter().zip(pages) {
                if let (Some(page), Some(id)) = (page.as_deref(), candidate.result.id.as_deref())
                    && *ids.entry((store, page)).or_insert(id) != id
                {
                    split.insert(page);
                }
            }
        }
        split
    }
}

/// `None` for a result with nothing to compare.
fn record(result: &TextSearchResult) -> Option<Identity<'_>> {
    let id = result.id.as_deref();
    let name = result.name.as_deref();
    let text = result.value.as_str();
    (id.is_some() || name.is_some() || !text.is_empty()).then_some(Identity::Record {
        id,
        name,
        text,
    })
}
