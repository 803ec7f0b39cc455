//! Resolves footnotes to the sources in their definitions.

use std::collections::HashMap;

use super::{Sources, link::KnownLinks, number};
use crate::citations::Source;

#[derive(Default)]
pub(super) struct Footnotes {
    definitions: Vec<Definition>,
    open: Vec<usize>,
    /// The last definition that is not indented.
    last_outer: Option<usize>,
}

struct Definition {
    label: String,
    outer: Option<usize>,
    cited: Vec<(usize, Option<usize>)>,
    text: String,
}

impl Footnotes {
    /// The content of an indented definition also counts for the last one that is not indented: a
    /// renderer may continue that one there.
    pub(super) fn start(&mut self, label: &str, is_indented: bool) {
        let index = self.definitions.len();
        self.open.push(index);
        let outer = self.last_outer.filter(|_| is_indented);
        if outer.is_none() {
            self.last_outer = Some(index);
        }
        let label = folded(label);
        self.definitions.push(Definition { label, outer, cited: Vec::new(), text: String::new() });
    }

    pub(super) fn end(&mut self) {
        self.open.pop();
    }

    pub(super) fn read(&mut self, text: &str) {
        self.on_open(|definition| definition.text.push_str(text));
    }

    pub(super) fn cite(&mut self, start: usize, source: Option<usize>) {
        self.on_open(|definition| definition.cited.push((start, source)));
    }

    fn on_open(&mut self, mut change: impl FnMut(&mut Definition)) {
        let mut next = self.open.last().copied();
        while let Some(definition) = next.and_then(|index| self.definitions.get_mut(index)) {
            change(definition);
            next = definition.outer;
        }
    }

    pub(super) fn resolve(self, sources: &Sources, links: &KnownLinks) -> ResolvedFootnotes {
        let mut resolved = ResolvedFootnotes { count: sources.len(), ..Default::default() };
        let names = Names::new(sources);
        for definition in self.definitions {
            // If a label has several definitions, renderers show the first.
            if resolved.by_label.contains_key(&definition.label) {
                continue;
            }
            let source = definition.source(sources, &names, links);
            if let Some(number) = number::read_number(&definition.label) {
                resolved.by_number.entry(number).or_insert(source);
            }
            resolved.by_label.insert(definition.label, source);
        }
        resolved
    }
}

#[derive(Default)]
pub(super) struct ResolvedFootnotes {
    by_label: HashMap<String, Option<usize>>,
    /// By value: `1` and `01` are the same.
    by_number: HashMap<usize, Option<usize>>,
    count: usize,
}

impl ResolvedFootnotes {
    pub(super) fn source_of(&self, label: &str) -> Option<usize> {
        if let Some(source) = self.by_label.get(&folded(label)) {
            return *source;
        }
        let number = number::read_number(label)?;
        self.by_number.get(&number).copied().unwrap_or_else(|| number::known(number, self.count))
    }
}

fn folded(label: &str) -> String {
    label.to_lowercase()
}

impl Definition {
    fn source(&self, sources: &Sources, names: &Names, links: &KnownLinks) -> Option<usize> {
        if self.cited.is_empty() {
            return self.named(sources, names, links);
        }
        // A known source must not vouch for an unknown one cited with it.
        let all_found = self.cited.iter().all(|(_, source)| source.is_some());
        let first = self.cited.iter().min_by_key(|(start, _)| start).filter(|_| all_found);
        first.and_then(|(_, source)| *source)
    }

    /// By its name alone, or by its link, even if that is not written as a link. If several sources
    /// share the name, prefers the footnote's number.
    fn named(&self, sources: &Sources, names: &Names, links: &KnownLinks) -> Option<usize> {
        let text = spaced(&self.text);
        let own = number::read_number(&self.label).and_then(|number| sources.get(number));
        let own = own.filter(|source| name(source) == bare(&text) && !bare(&text).is_empty());
        if let Some(number) = own.map(|source| source.number).or_else(|| names.get(bare(&text))) {
            return Some(number);
        }
        let link = |text: &str| links.source_of(bare(text));
        link(&text).or_else(|| text.split(' ').filter(|word| is_path(bare(word))).find_map(link))
    }
}

struct Names(HashMap<String, usize>);

impl Names {
    fn new(sources: &Sources) -> Self {
        let mut names = HashMap::new();
        for source in sources.iter() {
            names.entry(name(source)).or_insert(source.number);
        }
        names.remove("");
        Self(names)
    }

    fn get(&self, name: &str) -> Option<usize> {
        self.0.get(name).copied()
    }
}

fn name(source: &Source) -> String {
    source.name.as_deref().map(|name| bare(&spaced(name)).to_owned()).unwrap_or_default()
}

/// `LICENSE` may be an ordinary word or the name of a file.
fn is_path(word: &str) -> bool {
    let page = word.split('#').next().unwrap_or_default();
    page.trim_end_matches('/').contains('/')
}

fn spaced(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Keeps the dots of `./LICENSE`.
fn bare(text: &str) -> &str {
    let is_around = |one: char| {
        one.is_whitespace() || matches!(one, ',' | ';' | ':' | '"' | '“' | '”' | '(' | ')')
    };
    text.trim_start_matches(is_around).trim_end_matches(|one| is_around(one) || one == '.')
}
