//! Full text by Postgres: a `tsvector` for each field.

use serde_json::Value;
use textsearch_core::{
    Result,
    filter::lookup,
    text_analysis::texts_of,
    vector::{DataField, StoredRecord},
};

use crate::{columns::RESERVED, error::refused};

/// The codes of languages, and their configurations in Postgres, in the schema `pg_catalog`.
const CONFIGURATIONS: &[(&str, &str)] = &[
    ("ar", "arabic"),
    ("da", "danish"),
    ("de", "german"),
    ("el", "greek"),
    ("en", "english"),
    ("es", "spanish"),
    ("fi", "finnish"),
    ("fr", "french"),
    ("hu", "hungarian"),
    ("it", "italian"),
    ("nb", "norwegian"),
    ("nl", "dutch"),
    ("nn", "norwegian"),
    ("no", "norwegian"),
    ("pt", "portuguese"),
    ("ro", "romanian"),
    ("ru", "russian"),
    ("sv", "swedish"),
    ("ta", "tamil"),
    ("tr", "turkish"),
];

/// Returns the configuration of the field's language.
///
/// # Errors
/// Returns `InvalidOptions` with all codes if Postgres has no configuration for it.
pub(crate) fn configuration(field: &DataField) -> Result<&'static str> {
    let Some(language) = field.full_text.as_ref().and_then(|text| text.language.as_deref()) else {
        return Ok("simple");
    };
    let code = language.split(['-', '_']).next().unwrap_or_default().to_ascii_lowercase();
    let known = CONFIGURATIONS.iter().find(|(known, _)| *known == code);
    known.map(|(_, name)| *name).ok_or_else(|| {
        let codes: Vec<_> = CONFIGURATIONS.iter().map(|(code, _)| *code).collect();
        let allowed = format!(
            "no language, or one with a text search configuration of Postgres: {}; or the setting \
             FullTextRanking::Terms",
            codes.join(", ")
        );
        refused(&field.name, format_args!("full text in the language `{language}`"), &allowed)
    })
}

/// Returns the name of the field's column, without quotes.
pub(crate) fn column(field: &DataField) -> String {
    format!("{RESERVED}ts_{}", field.name)
}

/// Returns the texts of each record. Postgres stores no zero byte.
pub(crate) fn texts(records: &[StoredRecord], field: &DataField) -> Vec<Option<String>> {
    let text = |value: &Value| texts_of(value).join("\n").replace('\0', " ");
    records.iter().map(|record| lookup(&record.data, &field.name).map(text)).collect()
}

/// Returns the `tsvector` of a text.
pub(crate) fn vector(field: &DataField, text: &str) -> Result<String> {
    Ok(format!("to_tsvector('pg_catalog.{}'::regconfig, {text})", configuration(field)?))
}

#[cfg(test)]
mod tests {
    use textsearch_core::{ErrorKind, text_analysis::LANGUAGES};

    use super::*;

    fn field(language: &str) -> DataField {
        DataField::string("text").full_text_in(language)
    }

    #[test]
    fn a_region_does_not_change_the_configuration() {
        for (language, expected) in [("en", "english"), ("en-GB", "english"), ("NN", "norwegian")] {
            assert_eq!(configuration(&field(language)).unwrap(), expected);
        }
        assert_eq!(configuration(&DataField::string("text").full_text()).unwrap(), "simple");
    }

    #[test]
    fn each_language_but_one_has_a_configuration() {
        let lacks = |code: &&str| configuration(&field(code)).is_err();
        let codes = LANGUAGES.iter().map(|(code, _)| *code);
        assert_eq!(codes.filter(lacks).collect::<Vec<_>>(), ["az"]);
    }

    #[test]
    fn a_language_without_configuration_is_refused() {
        let error = configuration(&field("az")).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::InvalidOptions { .. }));
        let message = error.message();
        assert!(
            message.contains("`az`") && message.contains("FullTextRanking::Terms"),
            "{message}"
        );
    }
}
