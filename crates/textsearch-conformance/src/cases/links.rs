//! Links that the connector makes.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use serde_json::{Value, json};
use textsearch_core::{SearchOptions, http::Url};

use crate::{
    Document, Response, Subject, endpoint,
    json::{holder, parts},
    report::skipped,
    server::Action,
    subject::RunningSearch,
};

/// Unencoded, it leads to another host, path, parameter or fragment.
const HOSTILE: &str = "../..//evil.example/?hostile=1&other=2#part";

/// A hostile id or name is encoded in its link, or the link is left out.
pub(crate) async fn a_made_link_leads_nowhere_else(subject: Subject) {
    if !subject.capabilities.made_links && !subject.capabilities.fallback_links {
        return skipped("links that the connector makes");
    }
    let mut documents = Document::several(3);
    documents.iter_mut().for_each(|document| document.link.clear());
    let is_hostile = Arc::new(AtomicBool::new(false));
    let switch = Arc::clone(&is_hostile);
    let script = move |_, answer| {
        if switch.load(Ordering::SeqCst) {
            Action::Answer(hostile(answer))
        } else {
            Action::Answer(answer)
        }
    };
    let running = subject.scripted(endpoint::patient(), documents, script).await;
    let known = links(&running).await;
    let urls: Vec<Url> = known.iter().map(|link| parsed(link)).collect();
    let [first, _, _] = urls.as_slice() else { panic!("no link for each of 3 results: {known:?}") };
    is_hostile.store(true, Ordering::SeqCst);
    for link in links(&running).await.iter().filter(|link| !known.contains(link)) {
        let url = parsed(link);
        let is_kept = place(first) == place(&url) && url.path().starts_with(&folder(&urls));
        assert!(is_kept, "the id or name {HOSTILE:?} makes the link {link:?}, beside {known:?}");
    }
}

async fn links(running: &RunningSearch) -> Vec<String> {
    let results = running.results(&SearchOptions::top(3)).await;
    results.into_iter().filter_map(|result| result.link).collect()
}

/// Makes each text that only the second result has hostile, such as its id.
fn hostile(answer: Response) -> Response {
    answer.map_json(|body| {
        let whole = body.to_string();
        let is_unique = |part: &&mut Value| {
            part.as_str().is_some_and(|text| !text.is_empty())
                && whole.matches(&part.to_string()).count() == 1
        };
        let text = Document::numbered(1).text;
        if let Some(result) = holder(body, &|other| other.contains(&text)) {
            parts(result).into_iter().filter(is_unique).for_each(|part| *part = json!(HOSTILE));
        }
    })
}

fn parsed(link: &str) -> Url {
    Url::parse(link).unwrap_or_else(|error| panic!("the link {link:?} is no URL: {error}"))
}

/// The server, the names of parameters, and whether there is a fragment.
fn place(url: &Url) -> (String, Vec<String>, bool) {
    let names = url.query_pairs().map(|(name, _)| name.into_owned()).collect();
    (url.origin().ascii_serialization(), names, url.fragment().is_some())
}

/// The folder that the links have in common.
fn folder(urls: &[Url]) -> String {
    let mut paths = urls.iter().map(Url::path);
    let first = paths.next().unwrap_or_default();
    let common = paths.fold(first, |common, path| {
        let same = common.bytes().zip(path.bytes()).take_while(|(one, other)| one == other);
        common.get(..same.count()).unwrap_or_default()
    });
    common.rsplit_once('/').map_or(String::new(), |(folder, _)| format!("{folder}/"))
}
