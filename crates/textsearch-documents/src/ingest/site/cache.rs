//! Keeps the pages of a site in a folder, with the validators for the next conditional requests.

use std::{
    collections::HashMap,
    fs::{self, File, TryLockError},
    io::{self, Write as _},
    path::{Path, PathBuf},
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

/// In bytes, without the number that makes it unique.
const MAX_FOLDER_NAME: usize = 80;

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Line {
    /// Read, or unchanged.
    Page(Entry),
    Gone(String),
}

pub(super) struct Cache {
    folder: PathBuf,
    entries: HashMap<String, Entry>,
    manifest: File,
    /// Numbers the next file.
    next: u32,
    /// Two walks would write into one file.
    _lock: File,
}

impl Cache {
    /// Opens the cache of a site below `parent`, or creates it. Fails while another walk uses it.
    pub(super) fn open(parent: &Path, start: &Url) -> Result<Self> {
        let folder = parent.join(folder_name(start));
        Self::try_open(&folder).map_err(|error| failed(&folder, error))
    }

    fn try_open(folder: &Path) -> io::Result<Self> {
        fs::create_dir_all(folder)?;
        if !fs::symlink_metadata(folder)?.is_dir() {
            let message = "it is a link to a folder: remove it";
            return Err(io::Error::new(io::ErrorKind::InvalidData, message));
        }
        check_files(folder)?;
        let lock = lock(folder)?;
        // Neither Git nor a walk through the folder above takes the pages.
        fs::write(folder.join(".gitignore"), "*\n")?;
        let path = folder.join(MANIFEST);
        let mut manifest = File::options().create(true).append(true).open(&path)?;
        let text = fs::read(&path)?;
        let mut entries = HashMap::new();
        // The last line may be torn.
        let lines = text.split(|byte| *byte == b'\n');
        for line in lines.filter_map(|line| serde_json::from_slice(line).ok()) {
            match line {
                Line::Page(entry) if number(&entry.file).is_some() => {
                    entries.insert(entry.url.clone(), entry);
                }
                Line::Page(_) => {}
                Line::Gone(url) => drop(entries.remove(&url)),
            }
        }
        if !text.is_empty() && !text.ends_with(b"\n") {
            manifest.write_all(b"\n")?;
        }
        let last = entries.values().filter_map(|entry: &Entry| number(&entry.file)).max();
        let next = last.map_or(0, |last| last.saturating_add(1));
        Ok(Self { folder: folder.to_owned(), entries, manifest, next, _lock: lock })
    }

    /// Returns a page whose file exists.
    pub(super) fn get(&self, url: &str) -> Option<&Entry> {
        self.entries.get(url).filter(|entry| self.location(entry).is_file())
    }

    pub(super) fn location(&self, entry: &Entry) -> PathBuf {
        self.folder.join(&entry.file)
    }

    /// Returns whether an interrupted walk, which this one continues, has read the page.
    pub(super) fn has_read(&self, url: &str) -> bool {
        self.get(url).is_some_and(|entry| entry.is_read)
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
                // Some file systems have no such time.
                let _ = written.set_modified(time);
            }
            drop(written);
            fs::rename(temporary, path)?;
        }
        if known.is_none() {
            self.next = self.next.saturating_add(1);
            self.try_forget(url)?;
        }
        let url = url.to_owned();
        self.keep(Entry { url, file, etag, last_modified, robots, is_read: true })
    }

    /// Records that a page is unchanged.
    pub(super) fn confirm(&mut self, url: &str) -> Result<()> {
        let Some(entry) = self.entries.get(url).cloned() else { return Ok(()) };
        let kept = self.keep(Entry { is_read: true, ..entry });
        kept.map_err(|error| failed(&self.folder, error))
    }

    fn keep(&mut self, entry: Entry) -> io::Result<()> {
        self.log(&Line::Page(entry.clone()))?;
        self.entries.insert(entry.url.clone(), entry);
        Ok(())
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
        let ended = entries.into_iter().map(|entry| Entry { is_read: false, ..entry.clone() });
        let text: String = ended.map(|entry| as_json(&Line::Page(entry))).collect();
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
    // Texts can't fail.
    serde_json::to_string(line).unwrap_or_default() + "\n"
}

fn extension_of(entry: &Entry) -> &str {
    entry.file.split_once('.').map_or("", |(_, extension)| extension)
}

/// Returns the number of a file of a cache. The manifest may be a stranger's: another name could lead out of the folder.
fn number(file: &str) -> Option<u32> {
    let is_plain = file.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'.');
    file.split('.').next().filter(|_| is_plain)?.parse().ok()
}

/// Fails if anything in the folder is no file, such as a link that leads out of it.
fn check_files(folder: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if !entry.file_type()?.is_file() {
            let name = entry.file_name();
            let message = format!("`{}` in it is no file: remove it", name.display());
            return Err(io::Error::new(io::ErrorKind::InvalidData, message));
        }
    }
    Ok(())
}

fn lock(folder: &Path) -> io::Result<File> {
    let mut options = File::options();
    let lock = options.write(true).create(true).truncate(false).open(folder.join(".lock"))?;
    match lock.try_lock() {
        Ok(()) => Ok(lock),
        Err(TryLockError::WouldBlock) => {
            let message = "another walk uses it: wait for its end, or choose another folder";
            Err(io::Error::new(io::ErrorKind::WouldBlock, message))
        }
        Err(TryLockError::Error(error)) => Err(error),
    }
}

/// Returns a readable name that differs for each start, also without upper and lower case. It has no dots: for
/// Windows, `con.example` is a device.
fn folder_name(start: &Url) -> String {
    let text = start.as_str();
    let plain = |c: char| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' };
    let name = text.split_once("://").map_or(text, |(_, rest)| rest).trim_end_matches('/');
    let name: String = name.chars().take(MAX_FOLDER_NAME).map(plain).collect();
    format!("{name}-{:016x}", XxHash3_128::oneshot(text.as_bytes()) as u64)
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
        drop(cache);
        let mut cache = open();
        assert!(cache.has_read("a") && !cache.has_read("b"));
        cache.store("c", page("C")).unwrap();
        drop(cache);
        let cache = open();
        assert!(cache.has_read("c"));
        cache.finish(|url| url == "a").unwrap();
        let cache = open();
        assert!(cache.get("a").is_some() && !cache.has_read("a") && cache.get("c").is_none());
        // The page, the manifest, the lock and `.gitignore`.
        assert_eq!(fs::read_dir(&cache.folder).unwrap().count(), 4);
    }

    #[test]
    fn two_walks_do_not_share_a_folder() {
        let folder = tempfile::tempdir().unwrap();
        let first = Cache::open(folder.path(), &url()).unwrap();
        let error = Cache::open(folder.path(), &url()).err().unwrap();
        let source = std::error::Error::source(&error).unwrap().to_string();
        assert!(source.contains("another walk uses it"), "{source}");
        drop(first);
        Cache::open(folder.path(), &url()).unwrap();
    }

    #[test]
    fn manifest_of_a_stranger_leads_to_no_other_file() {
        let parent = tempfile::tempdir().unwrap();
        let secret = parent.path().join("secret.html");
        fs::write(&secret, "secret").unwrap();
        let folder = parent.path().join(folder_name(&url()));
        fs::create_dir(&folder).unwrap();
        let absolute = secret.to_str().unwrap();
        for file in ["../secret.html", absolute, "..\\secret.html", "1/../../secret.html"] {
            let line = serde_json::json!({ "page": { "url": "a", "file": file, "is_read": true } });
            fs::write(folder.join(MANIFEST), line.to_string()).unwrap();
            let mut cache = Cache::open(parent.path(), &url()).unwrap();
            assert!(cache.get("a").is_none(), "{file}");
            cache.forget("a").unwrap();
            cache.finish(|_| false).unwrap();
        }
        assert_eq!(fs::read_to_string(&secret).unwrap(), "secret");
    }

    #[cfg(unix)]
    #[test]
    fn link_in_the_folder_is_refused() {
        let parent = tempfile::tempdir().unwrap();
        let secret = parent.path().join("secret");
        fs::write(&secret, "secret").unwrap();
        let folder = parent.path().join(folder_name(&url()));
        fs::create_dir(&folder).unwrap();
        std::os::unix::fs::symlink(&secret, folder.join(".new")).unwrap();
        let error = Cache::open(parent.path(), &url()).err().unwrap();
        let source = std::error::Error::source(&error).unwrap().to_string();
        assert_eq!(source, "`.new` in it is no file: remove it");
        fs::remove_dir_all(&folder).unwrap();
        let elsewhere = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink(elsewhere.path(), &folder).unwrap();
        let error = Cache::open(parent.path(), &url()).err().unwrap();
        let source = std::error::Error::source(&error).unwrap().to_string();
        assert_eq!(source, "it is a link to a folder: remove it");
        assert_eq!(fs::read_dir(elsewhere.path()).unwrap().count(), 0);
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
        assert!(name.starts_with("a_example_8080_docs__x-"), "{name}");
        let other = Url::parse("https://a.example:8080/docs/?y").unwrap();
        assert_ne!(name, folder_name(&other));
    }
}
