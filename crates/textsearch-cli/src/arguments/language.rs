//! The languages whose words the stores know.

/// Each by its ISO 639-1 code: those that [`DataField::full_text_in`](textsearch_core::vector::DataField::full_text_in)
/// makes a difference for.
const KNOWN: &[(&str, &str)] = &[
    ("ar", "Arabic"),
    ("az", "Azerbaijani"),
    ("da", "Danish"),
    ("de", "German"),
    ("el", "Greek"),
    ("en", "English"),
    ("es", "Spanish"),
    ("fi", "Finnish"),
    ("fr", "French"),
    ("hu", "Hungarian"),
    ("it", "Italian"),
    ("nb", "Norwegian"),
    ("nl", "Dutch"),
    ("nn", "Norwegian"),
    ("no", "Norwegian"),
    ("pt", "Portuguese"),
    ("ro", "Romanian"),
    ("ru", "Russian"),
    ("sv", "Swedish"),
    ("ta", "Tamil"),
    ("tr", "Turkish"),
];

/// What stands for words as they are written.
pub(crate) const NONE: &str = "none";

/// Reads a code, with or without a region, as in `en-GB`.
pub(super) fn read(text: &str) -> Result<String, String> {
    let code = text.split(['-', '_']).next().unwrap_or_default();
    if text == NONE || KNOWN.iter().any(|(known, _)| known.eq_ignore_ascii_case(code)) {
        return Ok(text.to_owned());
    }
    let known: Vec<String> = KNOWN.iter().map(|(code, name)| format!("{code} ({name})")).collect();
    Err(format!(
        "there are no rules for the words of this language: try {NONE}, for words as they are written, or one of {}",
        known.join(", ")
    ))
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use textsearch_core::vector::{
        DataField, RecordDefinition, StoredRecord, VectorSearchOptions, VectorStore as _,
    };
    use textsearch_vector_inmemory::InMemoryVectorStore;

    use super::*;

    /// For some language each, a word as it stands in a text and as somebody asks for it.
    const WORDS: &[(&str, &str)] = &[
        ("الكتاب", "كتاب"),
        ("KIŞ", "kış"),
        ("husene", "hus"),
        ("Tage", "Tag"),
        ("γάτες", "γάτα"),
        ("cats", "cat"),
        ("gatos", "gato"),
        ("talossa", "talo"),
        ("maisons", "maison"),
        ("házban", "ház"),
        ("gatti", "gatto"),
        ("katten", "kat"),
        ("casele", "casa"),
        ("кошки", "кошка"),
        ("flickorna", "flicka"),
        ("வீடுகள்", "வீடு"),
        ("evler", "ev"),
    ];

    /// How many of the words are found in the other form.
    async fn found_in_another_form(language: &str) -> usize {
        let store = InMemoryVectorStore::new();
        let definition =
            RecordDefinition::new("id").with_data(DataField::string("text").full_text_in(language));
        let collection = store.stored_collection("words", definition.clone()).unwrap();
        collection.ensure_exists().await.unwrap();
        let records = WORDS.iter().enumerate().map(|(number, (text, _))| {
            let data = json!({ "id": number.to_string(), "text": text });
            StoredRecord::new(data.as_object().unwrap().clone(), &definition).unwrap()
        });
        collection.upsert(records.collect()).await.unwrap();
        let mut count = 0;
        for (_, query) in WORDS {
            let found = collection.full_text_search(query, &VectorSearchOptions::top(1)).await;
            count += found.unwrap().into_vec().await.unwrap().len();
        }
        count
    }

    #[tokio::test]
    async fn the_known_languages_are_those_that_make_a_difference_to_a_store() {
        for one in 'a'..='z' {
            for other in 'a'..='z' {
                let code = format!("{one}{other}");
                let is_different = found_in_another_form(&code).await > 0;
                assert_eq!(is_different, read(&code).is_ok(), "{code}");
            }
        }
    }

    #[test]
    fn a_language_may_have_a_region_and_may_be_none() {
        for text in ["en", "EN", "en-GB", "pt_BR", "none"] {
            assert_eq!(read(text).as_deref(), Ok(text));
        }
    }

    #[test]
    fn an_unknown_language_is_refused_with_the_known_ones() {
        for text in ["xx", "", "english", "ja"] {
            let error = read(text).unwrap_err();
            assert!(
                error.contains("try none, for words as they are written, or one of ar (Arabic), ")
            );
            assert!(error.ends_with("tr (Turkish)"), "{error}");
        }
    }
}
