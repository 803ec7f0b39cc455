//! Results have the names, texts and links of the documents, and fit their schema.

use serde_json::Value;
use textsearch_core::{SearchOptions, TextSearchResult};

use super::all_keys;
use crate::{
    Document, Response, Subject, endpoint, json::each_text, request::collect, server::Action,
};

/// All three forms of a result have a text.
pub(crate) async fn results_have_a_text(subject: Subject) {
    let documents = Document::several(3);
    let running = subject.holding(documents.clone()).await;
    let options = SearchOptions::top(3);
    let query = "what there is";
    let texts = running.search.search(query, &options).await.expect("the search succeeds");
    let texts = texts.into_vec().await.expect("texts can be read");
    assert_eq!(texts.len(), 3, "texts of 3 documents");
    let has_text = |text: &String| documents.iter().any(|document| text.contains(&document.text));
    assert!(texts.iter().all(has_text), "the text of a document is not in {texts:?}");
    let values = running.search.search_values(query, &options).await.expect("the search succeeds");
    let values = values.into_vec().await.expect("records can be written as JSON");
    assert_eq!(values.len(), 3, "JSON values of 3 documents");
    for (value, text) in values.iter().zip(&texts) {
        let mut parts = Vec::new();
        collect("", value, &mut parts);
        let is_in = parts.iter().any(|(_, part)| part.contains(text));
        assert!(is_in, "the text {text:?} is not in the JSON {value}");
    }
    for result in running.results(&options).await {
        assert!(result.source.is_some(), "{result:?}");
    }
}

fn assert_documents(subject: &Subject, results: &[TextSearchResult], documents: &[Document]) {
    let capabilities = &subject.capabilities;
    assert_eq!(results.len(), documents.len(), "each document is one result");
    for document in documents {
        let mut with_text = results.iter().filter(|result| result.value.contains(&document.text));
        let result = with_text
            .next()
            .unwrap_or_else(|| panic!("no result has the text {:?}: {results:#?}", document.text));
        assert_eq!(result.name.as_deref(), Some(&*document.name), "the name of {result:?}");
        if capabilities.published {
            assert_eq!(result.published, Some(document.published), "the day of {result:?}");
        }
        let others = results.iter().filter(|other| other.link == result.link).count();
        assert_eq!(others, 1, "results with the link {:?}", result.link);
        assert!(result.link.is_some(), "no link in {result:?}");
    }
}

/// Highlighting and character references are removed; without them, texts stay as they are.
pub(crate) async fn marks_and_entities_are_removed(subject: Subject) {
    let mut documents = Document::several(3);
    for document in &mut documents {
        document.name = format!("{} & 'more' \u{2013} \"1 < 2\"; so &amp; on", document.name);
        document.text = format!("{} Is 1 < 2 & \"3\" > 'x'? So &amp; <i>on</i>", document.text);
    }
    let marks = subject.capabilities.marks.clone();
    let mut html: Vec<String> = documents.iter().map(|document| document.text.clone()).collect();
    if !subject.capabilities.plain_names {
        html.extend(documents.iter().map(|document| document.name.clone()));
    }
    let script = move |_, answer: Response| match &marks {
        None => Action::Answer(answer),
        // Encodes each of the texts, also within the provider's own tags, and highlights a word.
        Some((before, after)) => Action::Answer(answer.map_json(|body| {
            each_text(body, &mut |text| {
                for known in &html {
                    *text = text.replace(known, &highlighted(known, before, after));
                }
            });
        })),
    };
    let running = subject.scripted(endpoint::patient(), documents.clone(), script).await;
    let results = running.results(&SearchOptions::top(3)).await;
    assert_documents(&subject, &results, &documents);
}

fn highlighted(text: &str, before: &str, after: &str) -> String {
    let html = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    let html = html.replace('"', "&quot;").replace('\'', "&#39;").replace('\u{2013}', "&ndash;");
    let words = ["Document", "document"];
    words.iter().fold(html, |html, word| html.replace(word, &format!("{before}{word}{after}")))
}

/// Each result has the name, text and link of one document, whatever the script.
pub(crate) async fn results_are_as_their_documents(subject: Subject) {
    let mut documents = Document::several(3);
    let others = ["naïve Größe ≠ ∞", "日本語の検索 العربية", "👩\u{200d}👧 🇪🇺 e\u{301}"];
    for (document, other) in documents.iter_mut().zip(others) {
        document.name = format!("{} {other}", document.name);
        document.text = format!("{} {other}", document.text);
    }
    let running = subject.holding(documents.clone()).await;
    let results = running.results(&SearchOptions::top(3)).await;
    assert_documents(&subject, &results, &documents);
}

/// A name or text that is null, empty or missing costs neither its result nor another part of it.
/// The text may then be empty.
pub(crate) async fn a_missing_part_costs_no_other(subject: Subject) {
    let documents = Document::several(3);
    let Some(changed) = documents.get(1).cloned() else { return };
    let has_name = !subject.capabilities.made_links;
    let parts = [(&changed.text, false), (&changed.name, true)];
    for (part, is_name) in parts.into_iter().filter(|(_, is_name)| !is_name || has_name) {
        for to in [Some(Value::Null), Some(Value::from("")), None] {
            let part = part.clone();
            let to = to.clone();
            let how = format!("with {part:?} as {to:?}");
            let script = move |_, answer: Response| {
                Action::Answer(answer.map_json(|body| replace(body, &part, to.as_ref())))
            };
            let running = subject.scripted(endpoint::patient(), documents.clone(), script).await;
            let results = running.results(&SearchOptions::top(3)).await;
            let keys = running.keys_of(results.clone());
            assert_eq!(keys, all_keys(&subject, &documents), "{how}");
            let Some(result) = results.get(1) else { return };
            if is_name {
                assert_eq!(result.name.as_deref().unwrap_or_default(), "", "{how}");
            } else {
                assert_eq!(result.name.as_ref(), Some(&changed.name), "{how}");
            }
            assert!(!is_name || result.value.contains(&changed.text), "{how}: {result:?}");
        }
    }
}

/// Replaces or removes every text that has the `part`.
fn replace(value: &mut Value, part: &str, to: Option<&Value>) {
    let has_part = |value: &Value| value.as_str().is_some_and(|text| text.contains(part));
    match value {
        Value::Array(items) => {
            items.retain(|item| to.is_some() || !has_part(item));
            items.iter_mut().for_each(|item| replace(item, part, to));
        }
        Value::Object(fields) => {
            fields.retain(|_, field| to.is_some() || !has_part(field));
            fields.values_mut().for_each(|field| replace(field, part, to));
        }
        text if has_part(text) => *text = to.cloned().unwrap_or_default(),
        _ => {}
    }
}

/// Each record has the fields that the schema declares.
pub(crate) async fn records_fit_their_schema(subject: Subject) {
    let running = subject.holding(Document::several(3)).await;
    let schema = running.search.schema().to_value();
    let values = running.search.search_values("what there is", &SearchOptions::top(3)).await;
    let values = values.expect("the search succeeds").into_vec().await;
    for value in values.expect("records can be written as JSON") {
        if let Some(fault) = fault(&schema, &value) {
            panic!("{fault}: `schema` returns {schema}, the record is {value}");
        }
    }
}

/// Compares the outermost fields: a renamed one is a misleading schema.
fn fault(schema: &Value, value: &Value) -> Option<String> {
    let known = schema.get("properties")?.as_object()?;
    let Some(fields) = value.as_object() else { return Some("no object".to_owned()) };
    let required = schema.get("required").and_then(Value::as_array).into_iter().flatten();
    let mut required = required.filter_map(Value::as_str);
    if let Some(name) = required.find(|name| !fields.contains_key(*name)) {
        return Some(format!("`{name}` is missing"));
    }
    let is_open = schema.get("additionalProperties").is_some_and(|it| it != &Value::Bool(false));
    let unknown = fields.keys().find(|name| !is_open && !known.contains_key(*name));
    unknown.map(|name| format!("`{name}` is not in the schema"))
}
