//! Checks the citations that a provider returns in a field of its own.

use std::collections::HashMap;

use textsearch_core::chat::ModelCitation;

use super::{Citation, CitationKind, Sources, link::KnownLinks};

/// Ends a text that was cut before the model read it.
const ELLIPSIS: char = '…';

pub(super) fn read(citations: &[ModelCitation], text: &str, sources: &Sources) -> Vec<Citation> {
    if citations.is_empty() {
        return Vec::new();
    }
    let mut names = Names::new(sources);
    let check = |citation: &ModelCitation| {
        let target = citation.source.clone();
        let source = names.source_of(&target, citation.quote.as_deref().unwrap_or_default());
        let range = citation.range.clone();
        let range = if text.get(range.clone()).is_some() { range } else { text.len()..text.len() };
        Citation { kind: CitationKind::Model, target, range, source }
    };
    citations.iter().map(check).collect()
}

struct Names<'a> {
    sources: &'a Sources,
    links: KnownLinks,
    /// Stores may use the same identifiers.
    ids: HashMap<&'a str, Vec<usize>>,
    /// The normal forms of the texts of each source that has been cited.
    texts: HashMap<usize, Vec<String>>,
}

impl<'a> Names<'a> {
    fn new(sources: &'a Sources) -> Self {
        let mut ids: HashMap<&str, Vec<usize>> = HashMap::new();
        for source in sources.iter() {
            if let Some(id) = source.id.as_deref() {
                ids.entry(id).or_default().push(source.number);
            }
        }
        Self { sources, links: KnownLinks::new(sources), ids, texts: HashMap::new() }
    }

    /// Returns the first source with this name that has the quote.
    fn source_of(&mut self, name: &str, quote: &str) -> Option<usize> {
        let quote = normal_form(quote);
        let quote = quote.trim_end_matches(ELLIPSIS);
        let links = self.links.sources_of(name).iter();
        let ids = self.ids.get(name).into_iter().flatten();
        let mut numbers = links.chain(ids).copied().chain(self.sources.number_of_label(name));
        numbers.find(|number| {
            let texts = self.texts.entry(*number);
            let texts =
                texts.or_insert_with(|| self.sources.texts_of(*number).map(normal_form).collect());
            quote.is_empty() || texts.iter().any(|text| text.contains(quote))
        })
    }
}

/// Providers may change white space.
fn normal_form(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
