//! The part of a filter that the server checks in documents: text that each match contains.
//!
//! The server's [full-text search](https://docs.trychroma.com/docs/querying-collections/full-text-search)
//! finds text in documents, which are JSON without white space, as [`crate::record`] writes them.
//! A document may hold the text in another field, so the client checks each.

use serde_json::Value;
use textsearch_core::{
    Filter,
    filter::{Comparison, FilterValue, PushDown, Pushed},
    vector::{DataKind, RecordDefinition},
};

use crate::{condition::Condition, metadata::columns};

/// Each makes the server read all documents; ten take as long as to send them to the client. Chroma Cloud
/// [accepts eight](https://docs.trychroma.com/cloud/quotas-limits).
const MAX_NEEDLES: usize = 8;

/// An index of three characters at a time finds nothing by fewer.
const SHORTEST: usize = 3;

/// SQLite refuses more than 50,000 bytes, and Chroma Cloud more than 256 characters. The beginning of
/// a needle finds no fewer documents.
const LONGEST: usize = 256;

/// Returns the condition on documents, if there is one.
pub(crate) fn condition(filter: &Filter, definition: &RecordDefinition) -> Option<Value> {
    let condition = filter.push_down(&Documents(definition)).into_condition()?;
    condition.is_small(MAX_NEEDLES).then(|| condition.write(false))
}

struct Documents<'a>(&'a RecordDefinition);

impl PushDown for Documents<'_> {
    type Condition = Condition;

    fn compare(&self, field: &str, operator: Comparison, value: &FilterValue) -> Pushed<Condition> {
        let FilterValue::String(text) = value else { return Pushed::Unknown };
        let mut lists = columns(self.0).filter(|column| column.kind == DataKind::Strings);
        let needle = match operator {
            Comparison::StartsWith => beginning(field, text),
            // Metadata select these.
            Comparison::Contains if lists.any(|column| column.name == field) => {
                return Pushed::Unknown;
            }
            Comparison::Contains => escaped(text),
            _ => return Pushed::Unknown,
        };
        if needle.chars().count() < SHORTEST {
            return Pushed::Unknown;
        }
        Pushed::Superset(Condition::Contains(needle.chars().take(LONGEST).collect()))
    }

    fn exists(&self, _: &str) -> Pushed<Condition> {
        Pushed::Unknown
    }

    fn all(&self, conditions: Vec<Condition>) -> Condition {
        Condition::All(conditions)
    }

    fn any(&self, conditions: Vec<Condition>) -> Condition {
        Condition::Any(conditions)
    }

    fn not(&self, condition: Condition) -> Condition {
        Condition::Not(Box::new(condition))
    }
}

/// Returns the text of a document whose `field` begins with `text`.
fn beginning(field: &str, text: &str) -> String {
    // A dotted path is one key, or leads through objects. The last key ends the same.
    let end = field.rsplit('.').next().unwrap_or(field);
    format!(r#"{}":"{}"#, escaped(end), escaped(text))
}

/// Returns the text as documents hold it, without quotes around it.
fn escaped(text: &str) -> String {
    let json = Value::from(text).to_string();
    json.get(1..json.len() - 1).unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use textsearch_core::vector::{DataField, StoredRecord};

    use super::*;
    use crate::record;

    fn definition() -> RecordDefinition {
        RecordDefinition::new("id")
            .with_data(DataField::string("title").filterable())
            .with_data(DataField::string("author.name").filterable())
            .with_data(DataField::strings("tags").filterable())
            .with_data(DataField::string("$x").filterable())
    }

    fn written(filter: &str) -> Option<Value> {
        condition(&filter.parse().unwrap(), &definition())
    }

    #[test]
    fn texts_are_needles_as_json_holds_them() {
        let cases = [
            (r#"title contains "abc""#, json!({ "$contains": "abc" })),
            (r#"title contains "a\"b""#, json!({ "$contains": r#"a\"b"# })),
            (r#"`$x` contains "äöü""#, json!({ "$contains": "äöü" })),
            (r#"title starts_with "a""#, json!({ "$contains": r#"title":"a"# })),
            (r#"id starts_with """#, json!({ "$contains": r#"id":""# })),
            (r#"author.name starts_with "A""#, json!({ "$contains": r#"name":"A"# })),
        ];
        for (filter, expected) in cases {
            assert_eq!(written(filter), Some(expected), "{filter}");
        }
    }

    #[test]
    fn needles_combine_where_each_match_contains_one() {
        let [first, second] = ["one", "two"].map(|needle| json!({ "$contains": needle }));
        let cases = [
            (
                r#"title contains "one" and title contains "two""#,
                json!({ "$and": [first, second] }),
            ),
            (r#"title contains "one" or title contains "two""#, json!({ "$or": [first, second] })),
            (r#"title contains "one" and not (title contains "two")"#, first.clone()),
            (r#"title contains "one" and title = "x""#, first),
        ];
        for (filter, expected) in cases {
            assert_eq!(written(filter), Some(expected), "{filter}");
        }
    }

    #[test]
    fn other_filters_have_no_needle() {
        let filters = [
            r#"title contains "ab""#,
            r#"title contains """#,
            r#"not (title contains "abc")"#,
            r#"title contains "abc" or title = "x""#,
            r#"title contains "abc" or not (title contains "abd")"#,
            r#"tags contains "abc""#,
            "title contains 123",
            "title exists",
        ];
        for filter in filters {
            assert_eq!(written(filter), None, "{filter}");
        }
        let many = [r#"title contains "abc""#; MAX_NEEDLES + 1].join(" or ");
        assert_eq!(written(&many), None);
    }

    #[test]
    fn a_long_text_is_cut_between_characters() {
        let long = "é".repeat(LONGEST + 1);
        let cut = json!({ "$contains": "é".repeat(LONGEST) });
        assert_eq!(written(&format!(r#"title contains "{long}""#)), Some(cut));
    }

    #[test]
    fn documents_of_matches_contain_the_needle() {
        let parts = ["a", "\"", "\\", "\n", "\0", "\u{7f}", "é", "🦀", ".", "\u{2028}", "u00"];
        let mut random = fastrand::Rng::with_seed(3);
        let mut text = |parts: &[&str], max: usize| -> String {
            (0..random.usize(..=max)).map(|_| parts[random.usize(..parts.len())]).collect()
        };
        for _ in 0..300 {
            let field = text(&parts, 3);
            let before = text(&parts, 4);
            let needle = text(&parts, 4);
            let value = json!(format!("{before}{needle}{}", text(&parts, 4)));
            let nested =
                field.split_once('.').map(|(parent, name)| json!({ parent: { name: value } }));
            for mut data in [Some(json!({ (field.clone()): value })), nested].into_iter().flatten()
            {
                data["id"] = json!("1");
                let record = StoredRecord::new(data.as_object().cloned().unwrap(), &definition());
                let document = record::write(&record.unwrap(), &definition()).unwrap();
                for filter in [
                    Filter::contains(field.as_str(), needle.as_str()),
                    Filter::starts_with(field.as_str(), before.as_str()),
                ] {
                    assert!(filter.matches(&data), "{filter} {data}");
                    let needle = condition(&filter, &definition());
                    let Some(needle) = needle else { continue };
                    let needle = needle["$contains"].as_str().unwrap();
                    assert!(document.contains(needle), "{needle} {document}");
                }
            }
        }
    }
}
