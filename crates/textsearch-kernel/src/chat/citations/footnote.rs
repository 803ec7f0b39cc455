//! Footnotes, and what their definitions refer to.

use std::collections::HashMap;

use super::{Sources, link::KnownLinks, number};
use crate::Source;

/// The definitions of an answer's footnotes.
#[derive(Default)]
pub(super) struct Footnotes {
    definitions: HashMap<String, Definition>,
    /// The label of the footnote that is being defined.
    current: Option<String>,
}

#[derive(Default)]
struct Definition {
    /// What it cites, and where.
    cited: Vec<(usize, Option<usize>)>,
    text: String,
}

impl Footnotes {
    pub(super) fn start(&mut self, label: String) {
        self.definitions.entry(label.clone()).or_default();
        self.current = Some(label);
    }

    pub(super) fn end(&mut self) {
        self.current = None;
    }

    /// Takes in more of the text, which counts where it is that of a definition.
    pub(super) fn read(&mut self, text: &str) {
        if let Some(definition) = self.definition() {
            definition.text.push_str(text);
        }
    }

    /// Takes in a citation at the position `start` of the answer.
    pub(super) fn cite(&mut self, start: usize, source: Option<usize>) {
        if let Some(definition) = self.definition() {
            definition.cited.push((start, source));
        }
    }

    fn definition(&mut self) -> Option<&mut Definition> {
        self.definitions.get_mut(self.current.as_ref()?)
    }

    /// The source that the footnote `label` refers to.
    pub(super) fn source_of(
        &self,
        label: &str,
        sources: &Sources,
        links: &KnownLinks,
    ) -> Option<usize> {
        let by_number = number::source_of(label, sources.len());
        let Some(Definition { cited, text }) = self.definitions.get(label) else {
            return by_number;
        };
        if cited.is_empty() {
            return named_in(text, by_number, sources, links);
        }
        // What was found must not vouch for what stands beside it.
        let all_found = cited.iter().all(|(_, source)| source.is_some());
        let first = cited.iter().min_by_key(|(start, _)| start).filter(|_| all_found);
        first.and_then(|(_, source)| *source)
    }
}

/// The source that a definition without citations names: by its name alone, or by its link, which need not be written
/// as one. Of several of one name it is the one of the footnote's own number, where it is among them.
fn named_in(
    text: &str,
    by_number: Option<usize>,
    sources: &Sources,
    links: &KnownLinks,
) -> Option<usize> {
    let text = text.trim();
    let own = by_number.and_then(|number| sources.get(number));
    let is_named = |source: &&Source| {
        let name = source.name.as_deref().map(bare).filter(|name| !name.is_empty());
        name.is_some_and(|name| name == bare(text))
    };
    if let Some(source) = own.into_iter().chain(sources.iter()).find(is_named) {
        return Some(source.number);
    }
    let words = std::iter::once(text).chain(text.split_whitespace());
    words.map(bare).find_map(|word| links.source_of(word))
}

/// Without the punctuation around it.
fn bare(text: &str) -> &str {
    let is_around = |one: char| {
        one.is_whitespace() || matches!(one, '.' | ',' | ';' | ':' | '"' | '“' | '”' | '(' | ')')
    };
    text.trim_matches(is_around)
}
