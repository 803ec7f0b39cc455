//! Resolves footnotes to the sources in their definitions.

use std::collections::HashMap;

use super::{Sources, link::KnownLinks, number};

#[derive(Default)]
pub(super) struct Footnotes {
    definitions: Vec<Definition>,
    open: Vec<usize>,
}

struct Definition {
    label: String,
    cited: Vec<Option<usize>>,
    text: String,
}

impl Footnotes {
    pub(super) fn start(&mut self, label: &str) {
        self.open.push(self.definitions.len());
        let label = label.to_lowercase();
        self.definitions.push(Definition { label, cited: Vec::new(), text: String::new() });
    }

    pub(super) fn end(&mut self) {
        self.open.pop();
    }

    pub(super) fn read(&mut self, text: &str) {
        if let Some(definition) = self.current() {
            definition.text.push_str(text);
        }
    }

    pub(super) fn cite(&mut self, source: Option<usize>) {
        if let Some(definition) = self.current() {
            definition.cited.push(source);
        }
    }

    fn current(&mut self) -> Option<&mut Definition> {
        self.definitions.get_mut(*self.open.last()?)
    }

    /// Returns the source of each label, in lower case.
    pub(super) fn resolve(
        self,
        sources: &Sources,
        links: &KnownLinks,
    ) -> HashMap<String, Option<usize>> {
        let mut names = HashMap::new();
        for source in sources.iter() {
            names.entry(words(source.name.as_deref().unwrap_or_default())).or_insert(source.number);
        }
        names.remove("");
        let mut resolved = HashMap::new();
        for Definition { label, cited, text } in self.definitions {
            let source = match cited.first() {
                // A known source must not vouch for an unknown one cited with it.
                Some(first) => first.filter(|_| cited.iter().all(Option::is_some)),
                None => named(&label, &words(&text), sources, links, &names),
            };
            // Of several definitions of a label, renderers show the first.
            resolved.entry(label).or_insert(source);
        }
        resolved
    }
}

/// By its whole text: the name or the link of a source. If several sources share the name, prefers
/// the footnote's number.
fn named(
    label: &str,
    text: &str,
    sources: &Sources,
    links: &KnownLinks,
    names: &HashMap<String, usize>,
) -> Option<usize> {
    let own = number::read_number(label)
        .and_then(|number| sources.get(number))
        .filter(|own| own.name.as_deref().is_some_and(|name| words(name) == text))
        .filter(|_| !text.is_empty())
        .map(|own| own.number);
    own.or_else(|| names.get(text).copied()).or_else(|| links.source_of(text))
}

/// The words of a text, without the punctuation around it. Keeps the dots of `./LICENSE`.
fn words(text: &str) -> String {
    const AROUND: [char; 9] = [',', ';', ':', '"', '“', '”', '(', ')', ' '];
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let is_after = |character: char| character == '.' || AROUND.contains(&character);
    words.trim_start_matches(AROUND).trim_end_matches(is_after).to_owned()
}
