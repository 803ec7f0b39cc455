//! Decides which URLs of a site to visit, and in which order.

use std::{
    collections::{BTreeMap, HashMap, HashSet, VecDeque},
    path::Path,
};

use textsearch_core::http::Url;

use crate::{
    ingest::{
        files::Scope,
        skipped::{SkipReason, Skipped},
    },
    read::{extension_of, is_document},
};

const MAX_URL_BYTES: usize = 2048;

/// Clicks from the start, or from a page of a sitemap.
const MAX_DEPTH: usize = 16;

/// A site may make up links without end.
const MAX_URLS: usize = 100_000;

/// Of all URLs. They stay in memory.
const MAX_ALL_BYTES: usize = 16 << 20;

/// Pages with one path and different queries, such as those of a calendar.
const MAX_QUERIES: usize = 64;

/// A URL to visit.
#[derive(Debug, Clone)]
pub(super) struct Target {
    pub(super) url: Url,
    /// Clicks from the start.
    pub(super) depth: usize,
}

/// The URLs of a site, each once, in the order in which they became known.
#[derive(Debug)]
pub(super) struct Frontier {
    start: Url,
    /// Everything below it belongs to the site.
    folder: Url,
    queue: VecDeque<Target>,
    known: HashSet<String>,
    /// Of the known URLs.
    bytes: usize,
    queries: HashMap<String, usize>,
    /// Reasons to leave out URLs, how many there are, and the first.
    left_out: BTreeMap<&'static str, (usize, String)>,
}

impl Frontier {
    pub(super) fn new(start: Url) -> Self {
        let start = normalized(start);
        let folder = folder_of(&start);
        let mut frontier = Self {
            start: start.clone(),
            folder,
            queue: VecDeque::new(),
            known: HashSet::new(),
            bytes: 0,
            queries: HashMap::new(),
            left_out: BTreeMap::new(),
        };
        frontier.add(start, 0);
        frontier
    }

    pub(super) fn start(&self) -> &Url {
        &self.start
    }

    /// Returns what a walk of the whole site replaces.
    pub(super) fn scopes(&self) -> Vec<Scope> {
        let start = Scope::File(self.start.as_str().to_owned());
        vec![Scope::Folder(self.folder.as_str().to_owned()), start]
    }

    /// Returns the URL with the spelling that documents use, if it belongs to the site.
    pub(super) fn page(&self, url: Url) -> Option<Url> {
        let url = normalized(url);
        let is_here = url.origin() == self.start.origin()
            && (url == self.start || url.path().starts_with(self.folder.path()));
        is_here.then_some(url)
    }

    /// Adds a page of the site, unless it is known, no document, or beyond a limit.
    pub(super) fn add(&mut self, url: Url, depth: usize) {
        let Some(url) = self.page(url) else { return };
        if !is_document(&extension_of(Path::new(url.path()))) || self.known.contains(url.as_str()) {
            return;
        }
        if let Some(reason) = self.reason_against(&url, depth) {
            // It may have any length.
            let example = || url.as_str().chars().take(MAX_URL_BYTES).collect();
            let (count, _) = self.left_out.entry(reason).or_insert_with(|| (0, example()));
            *count += 1;
            return;
        }
        self.bytes += url.as_str().len();
        self.known.insert(url.as_str().to_owned());
        self.queue.push_back(Target { url, depth });
    }

    pub(super) fn next(&mut self) -> Option<Target> {
        self.queue.pop_front()
    }

    /// Returns the number of URLs to visit.
    pub(super) fn len(&self) -> usize {
        self.queue.len()
    }

    /// Returns the limits that URLs exceeded.
    pub(super) fn left_out(&self) -> impl Iterator<Item = Skipped> {
        self.left_out.iter().map(|(reason, (count, first))| {
            let reason = SkipReason::Limit(format!("{count} links such as this one {reason}"));
            Skipped { path: first.clone(), reason }
        })
    }

    fn reason_against(&mut self, url: &Url, depth: usize) -> Option<&'static str> {
        if url.as_str().len() > MAX_URL_BYTES {
            return Some("are longer than 2,048 bytes");
        }
        if depth > MAX_DEPTH {
            return Some("are deeper than the limit");
        }
        if self.known.len() >= MAX_URLS || self.bytes >= MAX_ALL_BYTES {
            return Some("come after the first 100,000, or the first 16 MiB");
        }
        if url.query().is_some() {
            let count = self.queries.entry(url.path().to_owned()).or_default();
            *count += 1;
            if *count > MAX_QUERIES {
                return Some("differ from 64 others only in the query");
            }
        }
        None
    }
}

/// Pages have no fragment, user or empty query.
fn normalized(mut url: Url) -> Url {
    url.set_fragment(None);
    if url.query() == Some("") {
        url.set_query(None);
    }
    // They fail only for URLs without a host.
    let _ = url.set_username("").and_then(|()| url.set_password(None));
    url
}

/// Returns the folder of a file such as `a/index.html`, and otherwise the URL as a folder: `/docs` has its
/// pages in `/docs/`.
fn folder_of(start: &Url) -> Url {
    let mut folder = start.clone();
    folder.set_query(None);
    let path = start.path();
    let cut = path.rfind('/').map_or(0, |slash| slash + 1);
    let (parent, name) = path.split_at(cut);
    let path = if name.contains('.') { parent.to_owned() } else { format!("{parent}{name}/") };
    folder.set_path(if name.is_empty() { parent } else { &path });
    folder
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> Url {
        Url::parse(text).unwrap()
    }

    fn rest(mut frontier: Frontier) -> Vec<String> {
        std::iter::from_fn(|| frontier.next()).map(|target| target.url.into()).collect()
    }

    #[test]
    fn only_pages_below_the_start_are_visited_once() {
        let mut frontier = Frontier::new(url("https://a.example/docs/index.html"));
        for link in [
            "https://a.example:443/docs/b#part",
            "https://user:word@a.example/docs/b?",
            "https://a.example/docs/../docs/c/",
            "http://a.example/docs/d",
            "https://b.example/docs/d",
            "https://a.example/docs-old/",
            "https://a.example/docs/logo.png",
            "mailto:a@a.example",
        ] {
            frontier.add(url(link), 1);
        }
        let urls = ["index.html", "b", "c/"].map(|path| format!("https://a.example/docs/{path}"));
        assert_eq!(rest(frontier), urls);
    }

    #[test]
    fn start_without_slash_is_a_folder() {
        let mut frontier = Frontier::new(url("https://a.example/docs"));
        frontier.add(url("https://a.example/docs/a"), 1);
        frontier.add(url("https://a.example/docs2"), 1);
        let scopes = frontier.scopes();
        assert_eq!(rest(frontier), ["https://a.example/docs", "https://a.example/docs/a"]);
        assert!(scopes.iter().any(|scope| scope.contains("https://a.example/docs")));
        assert!(scopes.iter().any(|scope| scope.contains("https://a.example/docs/a")));
    }

    #[test]
    fn traps_are_left_out_and_counted() {
        let mut frontier = Frontier::new(url("https://a.example/"));
        for number in 0..70 {
            frontier.add(url(&format!("https://a.example/calendar?day={number}")), 1);
        }
        frontier.add(url("https://a.example/deep"), 17);
        frontier.add(url(&format!("https://a.example/{}", "x".repeat(3000))), 1);
        let reasons = frontier.left_out().map(|skipped| skipped.reason.to_string());
        let expected = [
            "1 links such as this one are deeper than the limit",
            "1 links such as this one are longer than 2,048 bytes",
            "6 links such as this one differ from 64 others only in the query",
        ];
        assert_eq!(reasons.collect::<Vec<_>>(), expected);
        assert_eq!(frontier.len(), 65);
    }

    #[test]
    fn long_urls_have_a_total_limit() {
        let mut frontier = Frontier::new(url("https://a.example/"));
        for number in 0..8500 {
            frontier.add(url(&format!("https://a.example/{number:02000}")), 0);
        }
        assert!(frontier.len() < 8500, "{}", frontier.len());
        assert!(frontier.bytes < MAX_ALL_BYTES + MAX_URL_BYTES, "{}", frontier.bytes);
        frontier.add(url(&format!("https://a.example/{}", "x".repeat(1 << 20))), 0);
        assert!(frontier.left_out().all(|skipped| skipped.path.len() <= MAX_URL_BYTES));
    }
}
