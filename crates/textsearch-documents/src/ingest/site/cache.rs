//! Keeps the pages of a site in a folder, with what the next request for each needs.

use std::{
    collections::{HashMap, HashSet},
    fs::{self, File},
    io::{self, Write as _},
    path::{Path, PathBuf},
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use serde::{Deserialize, Serialize};
use textsearch_core::{Error, ErrorKind, Result, http::Url};
use twox_hash::XxHash3_128;

use super::{
    page::{Entry, Page},
    settings::CONNECTOR,
};

/// One line of JSON for each event, so that an interrupted walk loses at most the last.
const MANIFEST: &str = "manifest.jsonl";

/// An interrupted walk continues for so long.
const MAX_AGE: Duration = Duration::from_secs(24 * 60 * 60);

const MAX_NAME_BYTES: usize = 80;

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Line {
    /// In seconds since 1970.
    Started(u64),
    /// Read or found unchanged.
    Page(Entry),
    Gone(String),
    Finished,
}

pub(super) struct Cache {
    folder: PathBuf,
    entries: HashMap<String, Entry>,
    /// Pages that this walk has read, perhaps before it was interrupted.
    fresh: HashSet<String>,
    manifest: File,
    /// Numbers the next file.
    next: u64,
}

impl Cache {
    /// Opens the cache of a site below `parent`, or creates it.
    pub(super) fn open(parent: &Path, start: &Url) -> Result<Self> {
        let folder = parent.join(folder_name(start));
        Self::try_open(&folder).map_err(|error| failed(&folder, error))
    }

    fn try_open(folder: &Path) -> io::Result<Self> {
        fs::create_dir_all(folder)?;
        // Neither Git nor a walk through the folder above takes the pages.
        fs::write(folder.join(".gitignore"), "*\n")?;
        let path = folder.join(MANIFEST);
        let text = match fs::read_to_string(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
            text => text?,
        };
        let mut entries = HashMap::new();
        let mut fresh = HashSet::new();
        let mut interrupted = None;
        // The last line may be torn.
        for line in text.lines().filter_map(|line| serde_json::from_str(line).ok()) {
            match line {
                Line::Started(time) => {
                    interrupted = Some(time);
                    fresh.clear();
                }
                Line::Page(entry) => {
                    fresh.insert(entry.url.clone());
                    entries.insert(entry.url.clone(), entry);
                }
                Line::Gone(url) => drop(entries.remove(&url)),
                Line::Finished => interrupted = None,
            }
        }
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let age = interrupted.map(|time| now.saturating_sub(Duration::from_secs(time)));
        let numbers = entries.values().filter_map(|entry| entry.file.split('.').next());
        let next =
            numbers.filter_map(|number| number.parse().ok()).max().map_or(0, |last: u64| last + 1);
        let manifest = File::options().create(true).append(true).open(&path)?;
        let mut cache = Self { folder: folder.to_owned(), entries, fresh, manifest, next };
        if !text.is_empty() && !text.ends_with('\n') {
            cache.manifest.write_all(b"\n")?;
        }
        if age.is_none_or(|age| age > MAX_AGE) {
            cache.fresh.clear();
            cache.log(&Line::Started(now.as_secs()))?;
        }
        Ok(cache)
    }

    /// Returns a page whose file exists.
    pub(super) fn get(&self, url: &str) -> Option<&Entry> {
        self.entries.get(url).filter(|entry| self.location(entry).is_file())
    }

    pub(super) fn location(&self, entry: &Entry) -> PathBuf {
        self.folder.join(&entry.file)
    }

    /// Returns whether an interrupted walk, which this one continues, has read the page.
    pub(super) fn is_fresh(&self, url: &str) -> bool {
        self.fresh.contains(url) && self.get(url).is_some()
    }

    /// Stores a page. The file of an unchanged page keeps its time.
    pub(super) fn store(&mut self, url: &str, page: Page) -> Result<()> {
        self.try_store(url, page).map_err(|error| failed(&self.folder, error))
    }

    fn try_store(&mut self, url: &str, page: Page) -> io::Result<()> {
        let Page { body, extension, etag, last_modified, robots } = page;
        let known = self.get(url).filter(|known| extension_of(known) == extension);
        let known = known.map(|known| known.file.clone());
        let file = known.clone().unwrap_or_else(|| {
            let dot = if extension.is_empty() { "" } else { "." };
            format!("{:06}{dot}{extension}", self.next)
        });
        let path = self.folder.join(&file);
        if known.is_none() || fs::read(&path)? != body {
            let temporary = self.folder.join(".new");
            let mut written = File::create(&temporary)?;
            written.write_all(&body)?;
            let time = last_modified.as_deref().map(httpdate::parse_http_date);
            if let Some(Ok(time)) = time {
                written.set_modified(time)?;
            }
            drop(written);
            fs::rename(temporary, path)?;
        }
        if known.is_none() {
            self.next += 1;
            self.try_forget(url)?;
        }
        let entry = Entry { url: url.to_owned(), file, etag, last_modified, robots };
        self.log(&Line::Page(entry.clone()))?;
        self.entries.insert(url.to_owned(), entry);
        Ok(())
    }

    /// Records that a page is unchanged.
    pub(super) fn confirm(&mut self, url: &str) -> Result<()> {
        let Some(entry) = self.entries.get(url).cloned() else { return Ok(()) };
        self.log(&Line::Page(entry)).map_err(|error| failed(&self.folder, error))
    }

    /// Removes a page, if it is there.
    pub(super) fn forget(&mut self, url: &str) -> Result<()> {
        self.try_forget(url).map_err(|error| failed(&self.folder, error))
    }

    fn try_forget(&mut self, url: &str) -> io::Result<()> {
        let Some(entry) = self.entries.remove(url) else { return Ok(()) };
        self.log(&Line::Gone(url.to_owned()))?;
        match fs::remove_file(self.location(&entry)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            removed => removed,
        }
    }

    /// Ends the walk: removes the other pages, and writes the manifest anew.
    pub(super) fn finish(mut self, is_kept: impl Fn(&str) -> bool) -> Result<()> {
        let urls = self.entries.keys().filter(|url| !is_kept(url)).cloned();
        for url in urls.collect::<Vec<_>>() {
            self.forget(&url)?;
        }
        let mut entries: Vec<&Entry> = self.entries.values().collect();
        entries.sort_by(|left, right| left.url.cmp(&right.url));
        let lines = entries.into_iter().cloned().map(Line::Page).chain([Line::Finished]);
        let text: String = lines.map(|line| as_json(&line)).collect();
        let temporary = self.folder.join(".new");
        fs::write(&temporary, text)
            .and_then(|()| fs::rename(temporary, self.folder.join(MANIFEST)))
            .map_err(|error| failed(&self.folder, error))
    }

    fn log(&mut self, line: &Line) -> io::Result<()> {
        self.manifest.write_all(as_json(line).as_bytes())
    }
}

fn as_json(line: &Line) -> String {
    // It consists of texts and a number.
    serde_json::to_string(line).unwrap_or_default() + "\n"
}

fn extension_of(entry: &Entry) -> &str {
    entry.file.split_once('.').map_or("", |(_, extension)| extension)
}

/// Returns a readable name that differs for each start.
fn folder_name(start: &Url) -> String {
    let text = start.as_str();
    let plain = |c: char| if c.is_ascii_alphanumeric() || ".-".contains(c) { c } else { '_' };
    let name = text.split_once("://").map_or(text, |(_, rest)| rest).trim_end_matches('/');
    let name: String = name.chars().take(MAX_NAME_BYTES).map(plain).collect();
    format!("{name}-{:08x}", XxHash3_128::oneshot(text.as_bytes()) as u32)
}

fn failed(folder: &Path, error: io::Error) -> Error {
    let message = format!("the cache `{}` cannot be written", folder.display());
    Error::new(ErrorKind::Backend, CONNECTOR, message).with_source(error)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url() -> Url {
        Url::parse("https://a.example:8080/docs/?x").unwrap()
    }

    fn page(body: &str) -> Page {
        let last_modified = Some("Sat, 21 Nov 2026 12:00:00 GMT".to_owned());
        let extension = "html".to_owned();
        let body = body.as_bytes().to_vec();
        Page { body, extension, etag: None, last_modified, robots: None }
    }

    #[test]
    fn interrupted_walk_continues_and_finished_one_starts_anew() {
        let folder = tempfile::tempdir().unwrap();
        let open = || Cache::open(folder.path(), &url()).unwrap();
        let mut cache = open();
        cache.store("a", page("A")).unwrap();
        cache.store("b", page("B")).unwrap();
        cache.forget("b").unwrap();
        cache.manifest.write_all(b"{\"page\":{\"ur").unwrap();
        let mut cache = open();
        assert!(cache.is_fresh("a") && !cache.is_fresh("b"));
        cache.store("c", page("C")).unwrap();
        assert!(open().is_fresh("c"));
        cache.finish(|url| url == "a").unwrap();
        let cache = open();
        assert!(cache.get("a").is_some() && !cache.is_fresh("a") && cache.get("c").is_none());
        // The page, the manifest and `.gitignore`.
        assert_eq!(fs::read_dir(&cache.folder).unwrap().count(), 3);
    }

    #[test]
    fn file_has_the_time_of_the_page() {
        let folder = tempfile::tempdir().unwrap();
        let mut cache = Cache::open(folder.path(), &url()).unwrap();
        cache.store("a", page("A")).unwrap();
        let location = cache.location(cache.get("a").unwrap());
        let modified = fs::metadata(location).unwrap().modified().unwrap();
        let expected = httpdate::parse_http_date("Sat, 21 Nov 2026 12:00:00 GMT").unwrap();
        assert_eq!(modified, expected);
    }

    #[test]
    fn folder_names_are_plain_and_different() {
        let name = folder_name(&url());
        assert!(name.starts_with("a.example_8080_docs__x-"), "{name}");
        let other = Url::parse("https://a.example:8080/docs/?y").unwrap();
        assert_ne!(name, folder_name(&other));
    }
}
