//! A cache of embeddings that survives a failed run.

use std::{
    collections::HashMap,
    fmt,
    fs::{self, File, OpenOptions},
    io::{self, Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use textsearch_core::{
    Error, ErrorKind, Result, async_trait,
    vector::{EmbeddingGenerator, EmbeddingPurpose, EmbeddingSettings, Embeddings},
};
use twox_hash::XxHash3_128;

use crate::CONNECTOR;

/// The digit is the format version.
const MAGIC: &[u8; 8] = b"TSKEPT1\n";

const MAX_DIMENSIONS: usize = 1 << 16;

/// Key of the text and number of elements, before the elements and a checksum.
const HEAD_BYTES: usize = 20;

const SUM_BYTES: usize = 16;

/// Keeps the embeddings of documents in a file, so that the run after a failed one makes only the
/// rest.
///
/// The vectors of each call are appended when it ends. A killed run loses the call in progress; a
/// torn entry at the end is dropped. [Remove](Self::remove) the file once the embeddings are
/// stored. Only one process at a time may use a file.
pub struct EmbeddingCache {
    inner: Arc<dyn EmbeddingGenerator>,
    model: String,
    dimensions: usize,
    path: PathBuf,
    kept: Mutex<Kept>,
}

#[derive(Default)]
struct Kept {
    file: Option<File>,
    places: HashMap<u128, u64>,
    end: u64,
}

impl EmbeddingCache {
    /// Saves the embeddings of `inner` to the file at `path`, which need not exist yet.
    ///
    /// `model` identifies the model and its settings; vectors of other models stay unused.
    /// `dimensions` is the number of dimensions of the saved vectors.
    ///
    /// # Errors
    ///
    /// Returns [`Backend`](ErrorKind::Backend) with the path if the file can't be read or is
    /// another program's.
    pub fn open(
        path: impl Into<PathBuf>,
        inner: impl EmbeddingGenerator + 'static,
        model: impl Into<String>,
        dimensions: usize,
    ) -> Result<Self> {
        let path = path.into();
        let kept = match OpenOptions::new().read(true).write(true).open(&path) {
            Ok(file) => Kept::read(file, dimensions).map_err(|error| failure(&path, error))?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => Kept::default(),
            Err(error) => return Err(failure(&path, error)),
        };
        let model = model.into();
        let kept = Mutex::new(kept);
        let inner = Arc::new(inner);
        Ok(Self { inner, model, dimensions, path, kept })
    }

    /// Returns whether the file at `path` holds kept embeddings.
    pub fn exists(path: &Path) -> bool {
        let mut start = [0; MAGIC.len()];
        File::open(path).and_then(|mut file| file.read_exact(&mut start)).is_ok() && start == *MAGIC
    }

    /// Removes the file at `path` if it holds kept embeddings. Leaves other programs' files.
    ///
    /// # Errors
    ///
    /// Returns [`Backend`](ErrorKind::Backend) with the path if the file can't be removed.
    pub fn remove(path: &Path) -> Result<()> {
        if !Self::exists(path) {
            return Ok(());
        }
        fs::remove_file(path).map_err(|error| failure(path, error))
    }

    /// Returns the number of embeddings in the file.
    pub fn len(&self) -> usize {
        self.lock().places.len()
    }

    /// Returns whether the file holds no embeddings.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Kept> {
        // The checksum rejects entries that a panic left incomplete.
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn keep(&self, vectors: &[(u128, Arc<[f32]>)]) {
        // A full disk doesn't fail the run.
        if let Err(error) = self.lock().add(&self.path, vectors) {
            tracing::warn!(%error, "cannot save embeddings for the next run");
        }
    }

    fn key(&self, text: &str, settings: &EmbeddingSettings) -> u128 {
        let mut hash = XxHash3_128::new();
        let extra = serde_json::Value::Object(settings.extra.clone()).to_string();
        for part in [self.model.as_str(), &format!("{:?}", settings.dimensions), &extra, text] {
            // Lengths prevent collisions between different pairs of adjacent values.
            hash.write(&(part.len() as u64).to_le_bytes());
            hash.write(part.as_bytes());
        }
        hash.finish_128()
    }
}

#[async_trait]
impl EmbeddingGenerator for EmbeddingCache {
    fn model_id(&self) -> &str {
        self.inner.model_id()
    }

    fn provider(&self) -> Option<&str> {
        self.inner.provider()
    }

    fn dimensions(&self) -> Option<usize> {
        self.inner.dimensions()
    }

    fn max_document_tokens(&self) -> Option<usize> {
        self.inner.max_document_tokens()
    }

    fn count_tokens(&self, text: &str) -> Option<usize> {
        self.inner.count_tokens(text)
    }

    async fn generate(&self, texts: &[String], settings: &EmbeddingSettings) -> Result<Embeddings> {
        if settings.purpose != EmbeddingPurpose::Document {
            return self.inner.generate(texts, settings).await;
        }
        let keys: Vec<u128> = texts.iter().map(|text| self.key(text, settings)).collect();
        let mut vectors: Vec<Option<Arc<[f32]>>> = {
            let mut kept = self.lock();
            let read = keys.iter().map(|key| kept.get(*key, self.dimensions));
            read.collect::<io::Result<_>>().map_err(|error| failure(&self.path, error))?
        };
        let missing: Vec<String> = (vectors.iter().zip(texts))
            .filter(|(vector, _)| vector.is_none())
            .map(|(_, text)| text.clone())
            .collect();
        let mut tokens = None;
        if !missing.is_empty() {
            let made = self.inner.generate(&missing, settings).await?;
            tokens = made.tokens;
            let is_usable = made.vectors.len() == missing.len()
                && made.vectors.iter().all(|vector| vector.len() == self.dimensions);
            if !is_usable && missing.len() == texts.len() {
                // Let the caller report the fault in these vectors.
                return Ok(made);
            }
            if !is_usable {
                let message = "the model returned vectors of an unexpected number or length";
                return Err(Error::new(ErrorKind::Embedding, CONNECTOR, message));
            }
            let mut made = made.vectors.into_iter();
            let mut added = Vec::new();
            for (vector, key) in vectors.iter_mut().zip(&keys) {
                if vector.is_none() {
                    *vector = made.next();
                    added.extend(vector.clone().map(|vector| (*key, vector)));
                }
            }
            self.keep(&added);
        }
        let mut embeddings = Embeddings::new(vectors.into_iter().flatten().collect());
        embeddings.tokens = tokens;
        Ok(embeddings)
    }
}

impl fmt::Debug for EmbeddingCache {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut debug = formatter.debug_struct("EmbeddingCache");
        debug.field("model", &self.model).field("path", &self.path).finish_non_exhaustive()
    }
}

impl Kept {
    /// Truncates the file after the last complete entry.
    fn read(mut file: File, dimensions: usize) -> io::Result<Self> {
        let mut kept = Self::default();
        if !begins_as_ours(&file)? {
            return Err(io::Error::other("it is another program's; move it away"));
        }
        let mut reader = io::BufReader::new(&mut file);
        reader.rewind()?;
        let mut magic = Vec::new();
        if read_more(&mut reader, &mut magic, MAGIC.len())? {
            kept.end = MAGIC.len() as u64;
            while let Some((key, length, bytes)) = read_entry(&mut reader)? {
                if length == dimensions {
                    kept.places.insert(key, kept.end);
                }
                kept.end += bytes;
            }
        }
        // Programs that watch the folder would see a change.
        if file.metadata()?.len() != kept.end {
            file.set_len(kept.end)?;
        }
        kept.file = Some(file);
        Ok(kept)
    }

    fn get(&mut self, key: u128, dimensions: usize) -> io::Result<Option<Arc<[f32]>>> {
        let (Some(place), Some(file)) = (self.places.get(&key), &mut self.file) else {
            return Ok(None);
        };
        file.seek(SeekFrom::Start(place + HEAD_BYTES as u64))?;
        let mut bytes = vec![0; dimensions * 4];
        file.read_exact(&mut bytes)?;
        let (elements, _) = bytes.as_chunks::<4>();
        Ok(Some(elements.iter().map(|element| f32::from_le_bytes(*element)).collect()))
    }

    fn add(&mut self, path: &Path, vectors: &[(u128, Arc<[f32]>)]) -> io::Result<()> {
        let mut bytes = Vec::new();
        let mut places = Vec::new();
        if self.end == 0 {
            bytes.extend(MAGIC);
        }
        for (key, vector) in vectors {
            let start = bytes.len();
            places.push((*key, self.end + start as u64));
            bytes.extend(key.to_le_bytes());
            bytes.extend(u32::try_from(vector.len()).unwrap_or(u32::MAX).to_le_bytes());
            vector.iter().for_each(|element| bytes.extend(element.to_le_bytes()));
            let sum = XxHash3_128::oneshot(bytes.split_at(start).1);
            bytes.extend(sum.to_le_bytes());
        }
        let file = match &mut self.file {
            Some(file) => file,
            None => {
                let mut options = OpenOptions::new();
                let file = options.read(true).write(true).create(true).truncate(true).open(path)?;
                self.file.insert(file)
            }
        };
        // Overwrites a failed write.
        file.seek(SeekFrom::Start(self.end))?;
        file.write_all(&bytes)?;
        self.end += bytes.len() as u64;
        self.places.extend(places);
        Ok(())
    }
}

/// A killed run may leave a part of [`MAGIC`].
fn begins_as_ours(file: impl Read) -> io::Result<bool> {
    let mut start = Vec::new();
    file.take(MAGIC.len() as u64).read_to_end(&mut start)?;
    Ok(MAGIC.starts_with(&start))
}

/// Returns the key, the number of elements and the number of bytes; `None` if no complete entry
/// follows.
fn read_entry(reader: &mut impl Read) -> io::Result<Option<(u128, usize, u64)>> {
    let mut entry = Vec::new();
    if !read_more(reader, &mut entry, HEAD_BYTES)? {
        return Ok(None);
    }
    let Some((key, length)) = entry.split_first_chunk::<16>() else { return Ok(None) };
    let Ok(length) = <[u8; 4]>::try_from(length) else { return Ok(None) };
    let key = u128::from_le_bytes(*key);
    let length = u32::from_le_bytes(length) as usize;
    if length > MAX_DIMENSIONS || !read_more(reader, &mut entry, length * 4)? {
        return Ok(None);
    }
    let sum = XxHash3_128::oneshot(&entry).to_le_bytes();
    if !read_more(reader, &mut entry, SUM_BYTES)? || !entry.ends_with(&sum) {
        return Ok(None);
    }
    Ok(Some((key, length, entry.len() as u64)))
}

fn read_more(reader: &mut impl Read, entry: &mut Vec<u8>, bytes: usize) -> io::Result<bool> {
    Ok(reader.by_ref().take(bytes as u64).read_to_end(entry)? == bytes)
}

fn failure(path: &Path, error: io::Error) -> Error {
    let message = format!("the embeddings kept in `{}` cannot be used: {error}", path.display());
    Error::new(ErrorKind::Backend, CONNECTOR, message)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[derive(Default)]
    struct Lengths(Mutex<Vec<String>>);

    #[async_trait]
    impl EmbeddingGenerator for Lengths {
        fn model_id(&self) -> &str {
            "lengths"
        }

        fn dimensions(&self) -> Option<usize> {
            Some(2)
        }

        async fn generate(&self, texts: &[String], _: &EmbeddingSettings) -> Result<Embeddings> {
            self.0.lock().unwrap().extend_from_slice(texts);
            let vectors = texts.iter().map(|text| [text.len() as f32, 1.0].into());
            Ok(Embeddings::new(vectors.collect()))
        }
    }

    /// Returns the vectors and the texts sent to the model.
    async fn run(path: &Path, model: &str, texts: &[&str]) -> (Vec<Vec<f32>>, Vec<String>) {
        let inner = Arc::new(Lengths::default());
        let kept = EmbeddingCache::open(path, inner.clone(), model, 2).unwrap();
        let texts: Vec<String> = texts.iter().map(|text| (*text).to_owned()).collect();
        let made = kept.generate(&texts, &EmbeddingSettings::default()).await.unwrap();
        let asked = inner.0.lock().unwrap().clone();
        (made.vectors.iter().map(|vector| vector.to_vec()).collect(), asked)
    }

    #[tokio::test]
    async fn cached_embeddings_are_not_computed_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("kept");
        assert_eq!(run(&path, "m", &["a", "bb"]).await.1, ["a", "bb"]);
        let (vectors, asked) = run(&path, "m", &["ccc", "bb", "a"]).await;
        assert_eq!(vectors, [[3.0, 1.0], [2.0, 1.0], [1.0, 1.0]]);
        assert_eq!(asked, ["ccc"]);
        assert_eq!(run(&path, "other", &["a"]).await.1, ["a"], "another model makes its own");
    }

    #[tokio::test]
    async fn torn_entry_is_dropped_and_the_rest_kept() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("kept");
        run(&path, "m", &["a", "bb"]).await;
        let whole = fs::read(&path).unwrap();
        for cut in 1..=44 {
            fs::write(&path, &whole[..whole.len() - cut]).unwrap();
            assert_eq!(run(&path, "m", &["a", "bb"]).await.1, ["bb"], "{cut}");
            assert_eq!(fs::read(&path).unwrap(), whole, "{cut}");
        }
        let mut damaged = whole.clone();
        damaged[40] ^= 1;
        fs::write(&path, &damaged).unwrap();
        assert_eq!(run(&path, "m", &["bb"]).await, (vec![vec![2.0, 1.0]], vec!["bb".to_owned()]));
        fs::write(&path, &whole[..3]).unwrap();
        assert_eq!(run(&path, "m", &["a"]).await.1, ["a"], "not even the beginning is whole");
    }

    #[test]
    fn files_of_other_programs_are_neither_written_nor_removed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("kept");
        EmbeddingCache::remove(&path).unwrap();
        fs::write(&path, "not ours").unwrap();
        assert!(!EmbeddingCache::exists(&path));
        let error = EmbeddingCache::open(&path, Arc::new(Lengths::default()), "m", 2).unwrap_err();
        assert!(error.message().contains("another program's; move it away"), "{error}");
        EmbeddingCache::remove(&path).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"not ours");
        fs::write(&path, MAGIC).unwrap();
        EmbeddingCache::remove(&path).unwrap();
        assert!(!path.exists());
    }
}
