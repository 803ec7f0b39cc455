//! Partly broken responses.

use std::sync::OnceLock;

use serde_json::{Value, json};
use textsearch_core::SearchOptions;

use super::{all_keys, many};
use crate::{
    Document, Response, Subject,
    case::skipped,
    endpoint,
    json::{holder, parts},
    server::Action,
};

/// Some servers send it first.
const MARK: &[u8] = b"\xEF\xBB\xBF";

/// A byte order mark may precede any response. Half a surrogate pair costs only that character.
pub(crate) async fn a_malformed_character_costs_no_result(subject: Subject) {
    let documents = Document::several(3);
    let changed = |answer: Response| {
        let body = String::from_utf8_lossy(&answer.body);
        let body = body.replace("What document 1", r"What \ud83d document 1");
        Response { body: [MARK, body.as_bytes()].concat(), ..answer }
    };
    assert_eq!(keys_of(&subject, &documents, changed).await, all_keys(&subject, &documents));
}

/// A result or its fields may have the wrong type.
pub(crate) async fn a_mistyped_result_costs_no_other(subject: Subject) {
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
        let mut links = keys_of(&subject, &documents, changing(&broken, change)).await;
        // The search may return the rest of the result, but not what identifies it.
        links.retain(|link| [&first, &last].contains(&link));
        assert_eq!(links, [first.as_str(), last.as_str()]);
    }
}

/// Later pages are still read.
pub(crate) async fn a_mistyped_result_does_not_end_the_pages(subject: Subject) {
    if !subject.capabilities.pages {
        return skipped("pages");
    }
    let documents = many(&subject);
    let mut expected = all_keys(&subject, &documents);
    let broken = expected.remove(1);
    let changed = changing(&broken, |result| *result = json!(7));
    assert_eq!(keys_of(&subject, &documents, changed).await, expected);
}

/// No result is lost: two results with an empty link aren't duplicates. The link is left out.
pub(crate) async fn an_empty_link_is_left_out(subject: Subject) {
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
    assert_eq!(links, [Some(&*first), None, None, Some(&*last)]);
}

/// It sends only two requests.
pub(crate) async fn a_repeated_page_ends_the_search(subject: Subject) {
    if !subject.capabilities.pages {
        return skipped("pages");
    }
    let documents = many(&subject);
    let first_page = OnceLock::new();
    let script =
        move |_, answer: Response| Action::Answer(first_page.get_or_init(|| answer).clone());
    let running = subject.scripted(endpoint::patient(), documents.clone(), script).await;
    let keys = running.keys(&SearchOptions::top(documents.len())).await;
    let expected: Vec<String> =
        all_keys(&subject, &documents).into_iter().take(keys.len()).collect();
    assert!(!keys.is_empty(), "the first page is lost");
    assert_eq!(keys, expected);
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

/// Changes the result with the link.
fn changing(link: &str, change: fn(&mut Value)) -> impl Fn(Response) -> Response + use<> {
    let link = link.to_owned();
    move |answer| {
        answer.map_json(|body| {
            holder(body, &|text| text == link).into_iter().for_each(change);
        })
    }
}

fn change_texts(result: &mut Value, other: &Value) {
    let texts = parts(result).into_iter().filter(|part| part.is_string());
    texts.for_each(|text| *text = other.clone());
}
