//! Facts about a document: author, tags and date, and the size and time of its file.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use textsearch_core::{
    filter::DateTime,
    vector::{DataField, RecordDefinition},
};
use textsearch_html::one_line;

use crate::Document;

/// Each chunk repeats the facts.
const MAX_CHARACTERS: usize = 200;

const MAX_TAGS: usize = 32;

/// Facts about a document: author, tags and date, and the size and time of its file.
///
/// Readers set what the format holds. An index stores each fact in a field with its name, to filter
/// on: see [`DocumentSchema::facts`](crate::DocumentSchema::facts).
///
/// ```
/// use textsearch_documents::{Document, ReadLimits};
///
/// let text = b"---\nauthor: Ada\ntags: [maths, engines]\n---\nWords.".to_vec();
/// let facts = Document::from_file("a", "a.md", text, &ReadLimits::default())?.facts;
/// assert_eq!(facts.author.as_deref(), Some("Ada"));
/// assert_eq!(facts.tags, ["maths", "engines"]);
/// assert_eq!(facts.kind.as_deref(), Some("markdown"));
/// # Ok::<(), textsearch_documents::ReadError>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct Facts {
    /// Who wrote it. Several names are joined by commas.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub author: Option<String>,
    /// Its keywords.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// When it was written, as it says itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub date: Option<DateTime>,
    /// Its language, an ISO 639 code without a region, such as `de`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// The kind of its file, such as `markdown`, `pdf` or `docx`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// The size of its file in bytes, unpacked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub size: Option<u64>,
    /// When its file was changed. If nothing else differs, the document isn't stored again and keeps
    /// the earlier time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub modified: Option<DateTime>,
}

pub(crate) const MODIFIED: &str = "modified";

impl Facts {
    /// Takes the value of a property, by its name in Dublin Core and the formats that extend it.
    /// Ignores other properties and odd values.
    pub(crate) fn take(&mut self, property: &str, value: &str) {
        let value = value.trim();
        match property {
            "author" | "authors" | "creator" | "initial-creator" => self.add_author(value),
            "keyword" | "keywords" | "subject" | "tag" | "tags" => {
                value.split([',', ';']).for_each(|tag| self.add_tag(tag));
            }
            "created" | "creation-date" | "date" | "published_time" => {
                self.date = self.date.or_else(|| date(value));
            }
            "lang" | "language" => {
                self.language = self.language.take().or_else(|| language(value));
            }
            _ => {}
        }
    }

    fn add_author(&mut self, name: &str) {
        let name = short(name);
        match &mut self.author {
            _ if name.is_empty() => {}
            Some(author) if author.split(", ").all(|known| known != name) => {
                *author = short(&format!("{author}, {name}"));
            }
            Some(_) => {}
            None => self.author = Some(name),
        }
    }

    fn add_tag(&mut self, tag: &str) {
        let tag = short(tag);
        if !tag.is_empty() && self.tags.len() < MAX_TAGS && !self.tags.contains(&tag) {
            self.tags.push(tag);
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    fn values(&self) -> Map<String, Value> {
        match serde_json::to_value(self) {
            Ok(Value::Object(values)) => values,
            _ => Map::new(),
        }
    }
}

/// Returns the fields of the facts.
pub(crate) fn fields() -> [DataField; 7] {
    let fields = [
        DataField::string("author").with_description("Who wrote the document"),
        DataField::strings("tags").with_description("The keywords of the document"),
        DataField::date_time("date").with_description("When the document was written"),
        DataField::string("language").with_description("The language of the document, such as de"),
        DataField::string("kind").with_description("The kind of file, such as pdf"),
        DataField::integer("size").with_description("The size of the file in bytes"),
        DataField::date_time(MODIFIED).with_description("When the file was changed"),
    ];
    fields.map(DataField::filterable)
}

/// Returns the facts to store. A field of the same name that was declared otherwise isn't for facts,
/// and the document's own metadata comes first.
pub(crate) fn stored(document: &Document, definition: &RecordDefinition) -> Map<String, Value> {
    let mut values = document.facts.values();
    let fields = fields();
    values.retain(|name, _| {
        let field = definition.data_field(name);
        field.is_some_and(|field| fields.contains(field)) && !document.metadata.contains_key(name)
    });
    values
}

/// Takes RFC 3339, a date with anything after it, a month or a year.
fn date(text: &str) -> Option<DateTime> {
    let day = match text.len() {
        4 => format!("{text}-01-01"),
        7 => format!("{text}-01"),
        _ => text.get(..10).unwrap_or_default().to_owned(),
    };
    DateTime::parse(text).or_else(|_| DateTime::parse(&day)).ok()
}

fn language(tag: &str) -> Option<String> {
    let code = tag.split(['-', '_']).next().unwrap_or_default();
    let is_code = (2..=3).contains(&code.len()) && code.bytes().all(|b| b.is_ascii_alphabetic());
    is_code.then(|| code.to_ascii_lowercase())
}

fn short(text: &str) -> String {
    one_line(text).chars().take(MAX_CHARACTERS).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(properties: &[(&str, &str)]) -> Facts {
        let mut facts = Facts::default();
        properties.iter().for_each(|(property, value)| facts.take(property, value));
        facts
    }

    #[test]
    fn authors_are_joined_and_tags_divided() {
        let properties =
            [("creator", "Ada"), ("creator", " Bob "), ("author", "Ada"), ("keywords", "a, b;a,,")];
        let facts = taken(&properties);
        assert_eq!(facts.author.as_deref(), Some("Ada, Bob"));
        assert_eq!(facts.tags, ["a", "b"]);
    }

    #[test]
    fn dates_and_languages_are_normalised() {
        let date = |text| taken(&[("date", text)]).date.map(|date| date.to_string());
        for (text, expected) in [
            ("2024-08-14T10:00:00+02:00", Some("2024-08-14T08:00:00Z")),
            ("2024-08-14 10:00:00 +0200", Some("2024-08-14T00:00:00Z")),
            ("2024-08", Some("2024-08-01T00:00:00Z")),
            ("1999", Some("1999-01-01T00:00:00Z")),
            ("soon", None),
        ] {
            assert_eq!(date(text).as_deref(), expected, "{text}");
        }
        let language = |tag| taken(&[("lang", tag)]).language;
        assert_eq!(language("de-AT").as_deref(), Some("de"));
        assert_eq!(language("english"), None);
    }

    #[test]
    fn long_values_are_cut() {
        let facts = taken(&[("author", &"a".repeat(9999)), ("tags", &"b,".repeat(9999))]);
        assert_eq!(facts.author.map(|author| author.len()), Some(MAX_CHARACTERS));
        let tags: String = (0..99).map(|number| format!("{number},")).collect();
        assert_eq!(taken(&[("tags", &tags)]).tags.len(), MAX_TAGS);
    }
}
