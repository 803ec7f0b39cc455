//! A walk through a site.

use std::{
    collections::{BTreeMap, HashSet, VecDeque},
    fs,
    path::{Path, PathBuf},
    time::{Duration, Instant, SystemTime},
};

use futures_util::{StreamExt as _, stream::FuturesUnordered};
use robotxt::Robots;
use textsearch_core::{
    Error, ErrorKind,
    http::{Url, displayable},
};
use textsearch_html::PageLinks;

use super::{
    cache::Cache,
    fetch::{Answer, Fetcher, at_root},
    frontier::{Frontier, MAX_URL_BYTES, Target},
    page::Entry,
    progress::SiteProgress,
    settings::{CONNECTOR, SiteSettings},
    sitemap::Sitemap,
};
use crate::{
    ingest::{
        error::{Result, single_line},
        files::{FileKind, SourceFile, SourceFiles, Stamp},
        skipped::{SkipReason, Skipped},
    },
    read::decode_text,
};

/// Nested ones, too.
const MAX_SITEMAPS: usize = 100;

/// Of all pages.
const MAX_BYTES: u64 = 512 << 20;

const MAX_TIME: Duration = Duration::from_secs(60 * 60);

const CONCURRENT_REQUESTS: usize = 4;

const MAX_SITEMAP_BYTES: usize = 50 << 20;

pub(super) struct Walk<'a> {
    settings: &'a SiteSettings,
    fetcher: &'a Fetcher,
    robots: Robots,
    frontier: Frontier,
    cache: Cache,
    began: Instant,
    /// Pages that were requested, or that an interrupted walk had read.
    visits: usize,
    /// URLs whose pages were read.
    read: HashSet<String>,
    /// The file of each page that may be indexed, and the URL of another page if that is its canonical one.
    documents: BTreeMap<String, (PathBuf, Option<Url>)>,
    skipped: Vec<Skipped>,
    /// Whether pages may be missing, so that nothing is removed.
    is_incomplete: bool,
    /// Why there is no page at the start.
    failure: Option<Error>,
}

impl<'a> Walk<'a> {
    pub(super) async fn begin(
        start: &Url,
        cache: &Path,
        settings: &'a SiteSettings,
        fetcher: &'a mut Fetcher,
    ) -> Result<Self> {
        let began = Instant::now();
        let robots = fetcher.robots(start).await?;
        let mut walk = Self {
            settings,
            fetcher,
            robots,
            frontier: Frontier::new(start.clone()),
            cache: Cache::open(cache, start)?,
            began,
            visits: 0,
            read: HashSet::new(),
            documents: BTreeMap::new(),
            skipped: Vec::new(),
            is_incomplete: false,
            failure: None,
        };
        walk.read_sitemaps().await;
        Ok(walk)
    }

    /// Adds the pages of the sitemaps. The start comes first.
    async fn read_sitemaps(&mut self) {
        let usual = at_root(self.frontier.start(), "/sitemap.xml");
        let origin = usual.origin();
        let mut queue: VecDeque<Url> = self.robots.sitemaps().iter().cloned().collect();
        queue.push_back(usual);
        let mut known = HashSet::new();
        while let Some(url) = queue.pop_front() {
            let is_usual = url.origin() == origin && url.as_str().len() <= MAX_URL_BYTES;
            let is_new = is_usual && known.insert(url.clone());
            if !is_new || known.len() > MAX_SITEMAPS || self.limit().is_some() {
                continue;
            }
            let place = url.as_str().to_owned();
            match self.fetcher.file(url, MAX_SITEMAP_BYTES).await {
                Ok(file) => {
                    let Sitemap { urls, is_index } = Sitemap::read(&file.unwrap_or_default());
                    if is_index {
                        queue.extend(urls.into_iter().take(MAX_SITEMAPS));
                    } else {
                        urls.into_iter().for_each(|url| self.frontier.add(url, 0));
                    }
                }
                Err(error) => self.fail(place, &error, true),
            }
        }
    }

    pub(super) async fn run(mut self, report: impl Fn(&SiteProgress<'_>)) -> Result<SourceFiles> {
        let time = SystemTime::now();
        let mut requests = FuturesUnordered::new();
        let fetcher = self.fetcher;
        loop {
            while requests.len() < CONCURRENT_REQUESTS
                && let Some(target) = self.next()
            {
                let known = self.cache.get(target.url.as_str()).cloned();
                requests.push(async move {
                    let answer = fetcher.page(&target.url, known).await;
                    (target, answer)
                });
            }
            let Some((target, answer)) = requests.next().await else { break };
            self.take(&target, answer)?;
            report(&SiteProgress {
                url: target.url.as_str(),
                pages: self.visits,
                links: self.frontier.len(),
                bytes: self.fetcher.bytes(),
            });
        }
        drop(requests);
        self.finish(time)
    }

    /// Returns the next page to request; `None` if there is none, or at a limit.
    fn next(&mut self) -> Option<Target> {
        while self.limit().is_none() {
            let target = self.frontier.next()?;
            if !self.robots.is_url_allowed(&target.url) {
                self.note(&target, error(&target.url, "`robots.txt` doesn't allow it"));
                continue;
            }
            self.visits += 1;
            if !self.cache.has_read(target.url.as_str()) {
                return Some(target);
            }
            self.add_page(&target);
        }
        None
    }

    /// Returns the limit that the walk has reached.
    fn limit(&self) -> Option<&'static str> {
        let limits = [
            ("pages", self.visits >= self.settings.max_pages),
            ("bytes", self.fetcher.bytes() >= MAX_BYTES),
            ("time", self.began.elapsed() >= MAX_TIME),
        ];
        limits.into_iter().find(|(_, is_reached)| *is_reached).map(|(limit, _)| limit)
    }

    fn take(&mut self, target: &Target, answer: textsearch_core::Result<Answer>) -> Result<()> {
        let url = target.url.as_str();
        match answer {
            Ok(Answer::Page(page)) => self.cache.store(url, page)?,
            Ok(Answer::NotModified) => self.cache.confirm(url)?,
            Ok(Answer::Moved(to)) => {
                let to_site = displayable(&to);
                let reason =
                    format!("it redirects to {to_site}, not below the start: try that URL");
                self.note(target, error(&target.url, &reason));
                self.cache.forget(url)?;
                // A click more, so that a chain ends.
                self.frontier.add(to, target.depth + 1);
                return Ok(());
            }
            Ok(Answer::Gone(error)) => {
                self.note(target, error);
                return Ok(self.cache.forget(url)?);
            }
            Err(error) => {
                // Pages that only this one links to would be missing.
                let is_incomplete = error.kind().is_retryable() && self.cache.get(url).is_none();
                self.fail(url.to_owned(), &error, is_incomplete);
                self.note(target, error);
            }
        }
        // After a failure, the cache still has the earlier version.
        self.add_page(target);
        Ok(())
    }

    /// Keeps the reason if the start page is left out: a walk without any page fails with it.
    fn note(&mut self, target: &Target, reason: Error) {
        if target.url == *self.frontier.start() {
            self.failure = Some(reason);
        }
    }

    fn fail(&mut self, path: String, error: &Error, is_incomplete: bool) {
        self.is_incomplete |= is_incomplete;
        self.skipped.push(Skipped { path, reason: SkipReason::Failed(single_line(error)) });
    }

    /// Adds the document of a page in the cache, and its links.
    fn add_page(&mut self, target: &Target) {
        let Some(entry) = self.cache.get(target.url.as_str()) else { return };
        let location = self.cache.location(entry);
        let page = links_of(entry, &location);
        self.read.insert(target.url.as_str().to_owned());
        let base = page.base.as_deref().and_then(|base| joined(&target.url, base));
        let base = base.unwrap_or_else(|| target.url.clone());
        let canonical = page.canonical.as_deref().and_then(|link| joined(&base, link));
        let canonical = canonical.and_then(|url| self.frontier.page(url));
        let canonical =
            canonical.filter(|url| *url != target.url && url.as_str().len() <= MAX_URL_BYTES);
        if page.may_index {
            let url = target.url.as_str().to_owned();
            self.documents.insert(url, (location, canonical.clone()));
        }
        let links = page.links.iter().filter(|_| page.may_follow);
        let links = links.filter_map(|link| joined(&base, link));
        for url in canonical.into_iter().chain(links) {
            self.frontier.add(url, target.depth + 1);
        }
    }

    fn finish(mut self, time: SystemTime) -> Result<SourceFiles> {
        let links = self.frontier.len();
        let limit = self.limit().filter(|_| links > 0);
        if let Some(limit) = limit {
            let path = self.frontier.start().as_str().to_owned();
            let reason = format!("the limit on {limit} is reached, and {links} links are left");
            self.skipped.push(Skipped { path, reason: SkipReason::Limit(reason) });
            self.is_incomplete = true;
        }
        self.skipped.extend(self.frontier.left_out());
        let files = self.files();
        // Without a scope, nothing is removed.
        let scopes = if self.is_incomplete { Vec::new() } else { self.frontier.scopes() };
        // Beyond a limit, the cache would grow with each walk through an endless site.
        let keeps_others = self.is_incomplete && limit.is_none();
        let Self { cache, read, frontier, skipped, failure, .. } = self;
        cache.finish(|url| keeps_others || read.contains(url))?;
        if files.is_empty() {
            let none = || error(frontier.start(), "no page may be indexed: try another URL");
            return Err(failure.unwrap_or_else(none).into());
        }
        Ok(SourceFiles { files, scopes, skipped, time: Some(time) })
    }

    /// Returns the pages without those whose canonical page is among them. A page never takes the URL of another.
    fn files(&self) -> Vec<SourceFile> {
        let is_canonical = |url: &Url| {
            self.documents.get(url.as_str()).is_some_and(|(_, canonical)| canonical.is_none())
        };
        let pages = self.documents.iter();
        let pages =
            pages.filter(|(_, (_, canonical))| !canonical.as_ref().is_some_and(is_canonical));
        let file = |(url, (location, _)): (&String, &(PathBuf, Option<Url>))| SourceFile {
            location: location.clone(),
            path: url.clone(),
            kind: FileKind::Document,
            stamp: Stamp::of(location).unwrap_or_default(),
        };
        pages.map(file).collect()
    }
}

fn error(url: &Url, reason: &str) -> Error {
    Error::new(ErrorKind::Unavailable, CONNECTOR, format!("{}: {reason}", displayable(url)))
}

/// Only HTML has links.
fn links_of(entry: &Entry, location: &Path) -> PageLinks {
    let is_html = location.extension().is_some_and(|extension| extension == "html");
    let text = if is_html { fs::read(location).ok() } else { None };
    let text = text.and_then(|bytes| decode_text(bytes).ok());
    let mut page = text.map_or_else(PageLinks::default, |text| PageLinks::read(&text));
    if let Some(robots) = &entry.robots {
        page.restrict(robots);
    }
    page
}

/// Joining copies the base, so a page could make it take long.
fn joined(base: &Url, link: &str) -> Option<Url> {
    if link.len() > MAX_URL_BYTES { None } else { base.join(link).ok() }
}
