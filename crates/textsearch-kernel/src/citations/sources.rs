//! Numbered search results, to cite in an answer.

use std::{collections::HashMap, sync::Arc};

use serde_json::{Map, Value};
use textsearch_core::TextSearchResult;

/// Shows a result's number, such as `[1]`, to the model.
const FIELD: &str = "Citation";

/// In order of preference.
const LINKS: [&str; 3] = ["Link", "Url", "Uri"];

const NAMES: [&str; 2] = ["Name", "Title"];

const TEXT: &str = "Value";

const ID: &str = "Id";

/// In bytes. A source with a longer text gets no more texts.
const MAX_TEXT: usize = 8_000;

/// The depth of a list of results in a value.
const DEEPEST: usize = 2;

/// A search result that an answer may cite.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Source {
    /// The number, counted from 1: the model reads it as `[1]`.
    pub number: usize,
    /// The result's `Id`, by which its document can be read.
    pub id: Option<String>,
    /// The title.
    pub name: Option<String>,
    /// The link to the source.
    pub link: Option<String>,
    /// The retrieved text: the `Value` of the result, or those of all results with this link, with a blank
    /// line between them, until it has 8,000 bytes. Untrusted.
    pub text: Option<String>,
}

/// Search results, in the order of their numbers. Results with the same link share a number.
///
/// A chat run numbers the results of its calls. To number results in a prompt, collect them:
///
/// ```
/// use textsearch_kernel::{citations::Sources, textsearch_core::TextSearchResult};
///
/// let results = ["https://example.com/a", "https://example.com/b", "https://example.com/a"]
///     .map(|link| TextSearchResult::new("A text.").with_link(link));
/// let sources: Sources = results.iter().collect();
/// assert_eq!(sources.iter().map(|source| source.number).collect::<Vec<_>>(), [1, 2]);
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sources {
    sources: Vec<Source>,
    // By link, or by the whole result if it has no link.
    numbers: HashMap<Arc<Key>, usize>,
    // By number, so that removing a source needs no search.
    keys: Vec<Arc<Key>>,
    // By number: the texts beyond the limit of `Source::text`, to find quotes in.
    more_texts: HashMap<usize, Vec<String>>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Key {
    Link(String),
    Result(Map<String, Value>),
}

impl Sources {
    /// Creates an empty list of sources.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the sources, in the order of their numbers.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &Source> {
        self.sources.iter()
    }

    /// Returns the source with this number, counted from 1.
    pub fn get(&self, number: usize) -> Option<&Source> {
        self.sources.get(number.checked_sub(1)?)
    }

    /// Returns the number of sources.
    pub fn len(&self) -> usize {
        self.sources.len()
    }

    /// Returns whether there are no sources.
    pub fn is_empty(&self) -> bool {
        self.sources.is_empty()
    }

    /// Adds a result and returns its number.
    pub fn add(&mut self, result: &TextSearchResult) -> usize {
        match serde_json::to_value(result) {
            Ok(Value::Object(fields)) => self.number(&fields),
            _ => self.push(Key::Result(Map::new()), &Map::new()),
        }
    }

    /// Numbers a list of objects with a link or a `Value`, or one object with a link, at the top
    /// level or one field below it. Removes `Citation` fields elsewhere if they hold a number such
    /// as `[1]`.
    pub(crate) fn number_results(&mut self, value: &mut Value) {
        remove_numbers(value);
        self.number_within(value, DEEPEST);
    }

    fn number_within(&mut self, value: &mut Value, depth: usize) {
        match value {
            Value::Array(items) => {
                for fields in items.iter_mut().filter_map(Value::as_object_mut) {
                    if link_of(fields).is_some() || is_text_search_result(fields) {
                        self.mark(fields);
                    }
                }
            }
            Value::Object(fields) if link_of(fields).is_some() => self.mark(fields),
            Value::Object(fields) if depth > 1 => {
                fields.values_mut().for_each(|value| self.number_within(value, depth - 1));
            }
            _ => {}
        }
    }

    fn mark(&mut self, fields: &mut Map<String, Value>) {
        // A result's own field of this name could make it pass for another result.
        fields.retain(|name, _| !name.eq_ignore_ascii_case(FIELD));
        let number = self.number(fields);
        fields.insert(FIELD.to_owned(), Value::String(format!("[{number}]")));
    }

    fn number(&mut self, fields: &Map<String, Value>) -> usize {
        let link = link_of(fields);
        let key = match link {
            Some(link) => Key::Link(link.to_owned()),
            None => Key::Result(fields.clone()),
        };
        if let Some(number) = self.numbers.get(&key) {
            let number = *number;
            self.add_text(number, fields);
            return number;
        }
        self.push(key, fields)
    }

    /// An answer may cite any of the results that share a number.
    fn add_text(&mut self, number: usize, fields: &Map<String, Value>) {
        let Some(source) = self.sources.get_mut(number - 1) else { return };
        let Some(text) = text_of(fields, &[TEXT]) else { return };
        let known = source.text.get_or_insert_default();
        if known.len() >= MAX_TEXT {
            self.more_texts.entry(number).or_default().push(text.to_owned());
        } else if !known.contains(text) {
            if !known.is_empty() {
                known.push_str("\n\n");
            }
            known.push_str(text);
        }
    }

    /// All texts of the source, also those beyond the limit of [`Source::text`].
    #[cfg(feature = "citations")]
    pub(super) fn texts_of(&self, number: usize) -> impl Iterator<Item = &str> {
        let text = self.get(number).and_then(|source| source.text.as_deref());
        let more = self.more_texts.get(&number).into_iter().flatten();
        text.into_iter().chain(more.map(String::as_str))
    }

    /// Returns the number in a label such as `[1]`, if a source has it.
    #[cfg(feature = "citations")]
    pub(super) fn number_of_label(&self, label: &str) -> Option<usize> {
        number_in(label).filter(|number| self.get(*number).is_some())
    }

    fn push(&mut self, key: Key, fields: &Map<String, Value>) -> usize {
        let number = self.sources.len() + 1;
        let text = |names: &[&str]| text_of(fields, names).map(str::to_owned);
        let name = text(&NAMES);
        let link = text(&LINKS);
        let id = text(&[ID]);
        self.sources.push(Source { number, id, name, link, text: text(&[TEXT]) });
        let key = Arc::new(key);
        self.numbers.insert(Arc::clone(&key), number);
        self.keys.push(key);
        number
    }

    /// Removes the sources after the first `before` that `value` lacks, because the model did not
    /// receive them. Results are omitted from the end, so the remaining ones have the lower
    /// numbers.
    pub(crate) fn keep_told(&mut self, before: usize, value: &Value) {
        let kept = highest(value, DEEPEST + 1).max(before);
        self.sources.truncate(kept);
        self.more_texts.retain(|number, _| *number <= kept);
        for key in self.keys.drain(kept.min(self.keys.len())..) {
            self.numbers.remove(&key);
        }
    }
}

impl<'a> FromIterator<&'a TextSearchResult> for Sources {
    fn from_iter<I: IntoIterator<Item = &'a TextSearchResult>>(results: I) -> Self {
        let mut sources = Self::new();
        for result in results {
            sources.add(result);
        }
        sources
    }
}

fn highest(value: &Value, depth: usize) -> usize {
    let within = |values: &mut dyn Iterator<Item = &Value>| {
        values.map(|value| highest(value, depth.saturating_sub(1))).max().unwrap_or(0)
    };
    match value {
        Value::Array(items) if depth > 0 => within(&mut items.iter()),
        Value::Object(fields) => {
            let own = fields.get(FIELD).and_then(Value::as_str).and_then(number_in);
            own.unwrap_or_else(|| if depth > 0 { within(&mut fields.values()) } else { 0 })
        }
        _ => 0,
    }
}

pub(crate) fn is_label(field: &str) -> bool {
    let mut names = NAMES.iter().chain(&LINKS).chain([&FIELD]);
    names.any(|name| field.eq_ignore_ascii_case(name))
}

/// A result could claim that it, or a part of it, is another source.
fn remove_numbers(value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(remove_numbers),
        Value::Object(fields) => {
            let is_number = |value: &Value| value.as_str().and_then(number_in).is_some();
            fields.retain(|name, value| !(name.eq_ignore_ascii_case(FIELD) && is_number(value)));
            fields.values_mut().for_each(remove_numbers);
        }
        _ => {}
    }
}

fn number_in(text: &str) -> Option<usize> {
    text.strip_prefix('[')?.strip_suffix(']')?.parse().ok()
}

fn is_text_search_result(fields: &Map<String, Value>) -> bool {
    fields.get("Value").is_some_and(Value::is_string)
}

fn link_of(fields: &Map<String, Value>) -> Option<&str> {
    text_of(fields, &LINKS)
}

fn text_of<'a>(fields: &'a Map<String, Value>, names: &[&str]) -> Option<&'a str> {
    let find = |name: &&str| {
        let field = fields.iter().find(|(field, _)| field.eq_ignore_ascii_case(name))?;
        field.1.as_str().filter(|text| !text.is_empty())
    };
    names.iter().find_map(find)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn numbers_results_in_order_across_calls() {
        let mut sources = Sources::new();
        let mut first =
            json!([{ "Value": "a", "Link": "https://a", "Id": "a#1" }, { "Value": "b" }]);
        let mut second =
            json!([{ "url": "https://c", "title": "C" }, { "Value": "x", "Link": "https://a" }]);
        sources.number_results(&mut first);
        sources.number_results(&mut second);
        assert_eq!(first[0]["Citation"], "[1]");
        assert_eq!(first[1]["Citation"], "[2]");
        assert_eq!(second[0]["Citation"], "[3]");
        assert_eq!(second[1]["Citation"], "[1]");
        assert_eq!(sources.get(3).unwrap().name.as_deref(), Some("C"));
        assert_eq!(sources.get(1).unwrap().text.as_deref(), Some("a\n\nx"));
        assert_eq!(sources.get(1).unwrap().id.as_deref(), Some("a#1"));
        assert_eq!(sources.len(), 3);
    }

    #[test]
    fn source_has_the_texts_of_all_its_results() {
        let long = "long ".repeat(2_000);
        let texts = ["first", "second", "first", &long, "beyond the limit"];
        let results = texts.map(|text| TextSearchResult::new(text).with_link("https://a"));
        let sources: Sources = results.iter().collect();
        let expected = format!("first\n\nsecond\n\n{long}");
        assert_eq!(sources.get(1).unwrap().text.as_deref(), Some(expected.as_str()));
    }

    #[test]
    fn results_cannot_set_their_own_number() {
        let mut sources = Sources::new();
        let mut value =
            json!([{ "Value": "a" }, { "Value": "b", "Citation": "[1]", "citation": "[1]" }]);
        sources.number_results(&mut value);
        assert_eq!(value[1], json!({ "Value": "b", "Citation": "[2]" }));
    }

    #[test]
    fn unnumbered_values_cannot_set_a_number() {
        let mut sources = Sources::new();
        let mut value = json!([
            { "Value": "a", "Link": "https://a", "More": { "Citation": "[7]" } },
            { "Text": "b", "citation": "[1]" },
            { "Text": "c", "Citation": "Smith 2020" },
        ]);
        sources.number_results(&mut value);
        let expected = json!([
            { "Value": "a", "Link": "https://a", "More": {}, "Citation": "[1]" },
            { "Text": "b" },
            { "Text": "c", "Citation": "Smith 2020" },
        ]);
        assert_eq!(value, expected);
    }

    #[test]
    fn numbers_only_search_results() {
        let values = [
            json!(["a", "b"]),
            json!({ "a": 1 }),
            json!([{ "day": "today" }]),
            json!("text"),
            json!([[{ "Link": 1 }]]),
        ];
        for value in values {
            let mut sources = Sources::new();
            let mut numbered = value.clone();
            sources.number_results(&mut numbered);
            assert_eq!(numbered, value);
            assert!(sources.is_empty());
        }
    }

    #[test]
    fn results_in_a_field_are_numbered() {
        let mut sources = Sources::new();
        let mut value = json!({ "answer": "yes", "results": [{ "url": "https://a" }] });
        sources.number_results(&mut value);
        assert_eq!(value["results"][0]["Citation"], "[1]");
    }

    #[test]
    fn results_the_model_does_not_receive_are_no_sources() {
        let mut sources = Sources::new();
        let mut value =
            json!([{ "Link": "https://a" }, { "Link": "https://b" }, { "Link": "https://c" }]);
        sources.number_results(&mut value);
        sources.keep_told(0, &json!({ "result": [value[0]], "truncated": true }));
        assert_eq!(sources.len(), 1);
        let mut again = json!([{ "Link": "https://c" }]);
        sources.number_results(&mut again);
        assert_eq!(again[0]["Citation"], "[2]");
    }
}
