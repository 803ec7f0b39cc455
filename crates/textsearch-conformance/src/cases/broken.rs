//! Partly broken responses.

use std::sync::OnceLock;

use serde_json::{Value, json};
use textsearch_core::SearchOptions;

use super::{all_keys, many};
use crate::{Document, Response, Subject, endpoint, report::skipped, server::Action};

/// Some servers send it first.
const MARK: &[u8] = b"\xEF\xBB\xBF";

/// The mark may precede any response.
pub async fn a_byte_order_mark_is_skipped(subject: Subject) {
    let documents = Document::several(3);
    let marked = |answer: Response| {
        let body = [MARK, &answer.body].concat();
        Response { body, ..answer }
    };
    assert_eq!(keys_of(&subject, &documents, marked).await, all_keys(&subject, &documents));
}

/// Half a surrogate pair costs only that character.
pub async fn a_lone_surrogate_costs_no_result(subject: Subject) {
    let documents = Document::several(3);
    let cut = |answer: Response| {
        let body = String::from_utf8_lossy(&answer.body);
        let body = body.replace("What document 1", r"What \ud83d document 1");
        Response { body: body.into_bytes(), ..answer }
    };
    assert_eq!(keys_of(&subject, &documents, cut).await, all_keys(&subject, &documents));
}

/// A result or its fields may have the wrong type.
pub async fn a_mistyped_result_costs_no_other(subject: Subject) {
    let documents = Document::several(3);
    let [first, broken, last] =
        <[String; 3]>::try_from(all_keys(&subject, &documents)).expect("three links");
    let changes: [fn(&mut Value); 4] = [
        |result| *result = json!(7),
        |result| *result = json!([["no", { "result": true }]]),
        |result| change_texts(result, &json!({ "text": ["of", { "another": "type" }] })),
        |result| change_texts(result, &json!(7)),
    ];
    for change in changes {
        let link = broken.clone();
        let changed = move |answer: Response| {
            // The message of a new connector's placeholder, plain text, must reach the author.
            let Ok(mut body) = serde_json::from_slice::<Value>(&answer.body) else { return answer };
            if let Some(result) = result_with(&mut body, &link) {
                change(result);
            }
            Response { body: body.to_string().into_bytes(), ..answer }
        };
        let mut links = keys_of(&subject, &documents, changed).await;
        // The search may return the rest of the result, but not what identifies it.
        links.retain(|link| [&first, &last].contains(&link));
        assert_eq!(links, [first.as_str(), last.as_str()]);
    }
}

/// Later pages are still read.
pub async fn a_mistyped_result_does_not_end_the_pages(subject: Subject) {
    if !subject.capabilities.pages {
        return skipped("pages");
    }
    let documents = many(&subject);
    let mut expected = all_keys(&subject, &documents);
    let broken = expected.remove(1);
    let changed = move |answer: Response| {
        let Ok(mut body) = serde_json::from_slice::<Value>(&answer.body) else { return answer };
        if let Some(result) = result_with(&mut body, &broken) {
            *result = json!(7);
        }
        Response { body: body.to_string().into_bytes(), ..answer }
    };
    assert_eq!(keys_of(&subject, &documents, changed).await, expected);
}

/// No result is lost: two results with an empty link aren't duplicates. The link is left out, or
/// replaced by one that the connector makes.
pub async fn an_empty_link_is_left_out(subject: Subject) {
    if subject.capabilities.made_links {
        return skipped("links in responses");
    }
    let mut documents = Document::several(4);
    for document in documents.iter_mut().skip(1).take(2) {
        document.link.clear();
    }
    let running = subject.holding(documents).await;
    let results = running.results(&SearchOptions::top(4)).await;
    let links: Vec<_> = results.iter().map(|result| result.link.as_deref()).collect();
    let [first, last] = [0, 3].map(|number| Document::numbered(number).link);
    let [one, other] = match (subject.capabilities.fallback_links, links.as_slice()) {
        (true, [_, Some(one), Some(other), _]) if one != other => [Some(*one), Some(*other)],
        (true, _) => panic!("no link is made for each result without one: {links:?}"),
        (false, _) => [None, None],
    };
    assert_eq!(links, [Some(&*first), one, other, Some(&*last)], "say with_fallback_links");
}

/// It sends only two requests.
pub async fn a_repeated_page_ends_the_search(subject: Subject) {
    if !subject.capabilities.pages {
        return skipped("pages");
    }
    let documents = many(&subject);
    let first_page = OnceLock::new();
    let script =
        move |_, answer: Response| Action::Answer(first_page.get_or_init(|| answer).clone());
    let running = subject.scripted(endpoint::patient(), documents.clone(), script).await;
    let found = running.keys(&SearchOptions::top(documents.len())).await;
    let expected: Vec<String> =
        all_keys(&subject, &documents).into_iter().take(found.len()).collect();
    assert!(!found.is_empty(), "the first page is lost");
    assert_eq!(found, expected);
    assert_eq!(running.requests().len(), 2, "requests");
}

async fn keys_of(
    subject: &Subject,
    documents: &[Document],
    change: impl Fn(Response) -> Response + Send + Sync + 'static,
) -> Vec<String> {
    let script = move |_, answer| Action::Answer(change(answer));
    let running = subject.scripted(endpoint::patient(), documents.to_vec(), script).await;
    running.keys(&SearchOptions::top(documents.len())).await
}

/// The innermost list or object with the link.
fn result_with<'a>(value: &'a mut Value, link: &str) -> Option<&'a mut Value> {
    if parts(value).iter().any(|part| part.as_str() == Some(link)) {
        return Some(value);
    }
    match value {
        Value::Array(items) => items.iter_mut().find_map(|item| result_with(item, link)),
        Value::Object(fields) => fields.values_mut().find_map(|field| result_with(field, link)),
        _ => None,
    }
}

fn parts(value: &Value) -> Vec<&Value> {
    match value {
        Value::Array(items) => items.iter().collect(),
        Value::Object(fields) => fields.values().collect(),
        _ => Vec::new(),
    }
}

fn change_texts(result: &mut Value, other: &Value) {
    let parts: Vec<&mut Value> = match result {
        Value::Array(items) => items.iter_mut().collect(),
        Value::Object(fields) => fields.values_mut().collect(),
        _ => Vec::new(),
    };
    parts.into_iter().filter(|part| part.is_string()).for_each(|part| *part = other.clone());
}
