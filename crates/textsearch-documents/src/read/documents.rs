//! The documents of one file.

use std::{
    any::Any,
    fs::File,
    io::{self, Read, Seek, SeekFrom},
    panic::{self, AssertUnwindSafe},
    path::Path,
    sync::{Arc, mpsc},
    thread,
    time::Duration,
};

use super::{
    ReadError, ReadLimits, Reader,
    format::{FileFormat, HEAD_BYTES},
    read,
    text::find,
};
use crate::Document;

/// From the thread of a file.
pub(crate) enum Message {
    /// It begins with another document.
    Started,
    Finished(Box<ReadResult>),
}

/// A document, or the id of what can't be read and why.
pub(crate) type ReadResult = Result<Document, (String, ReadError)>;

/// The documents of a file: one, or those in an archive.
pub(crate) enum Documents {
    Single(Option<Box<ReadResult>>),
    /// A thread reads them, so that a panic or a lost parser costs one file.
    Thread {
        id: String,
        messages: mpsc::Receiver<Message>,
        timeout: Duration,
    },
}

impl Documents {
    /// Opens the file at `path`, whose documents take id, link and metadata from `document`.
    /// `reader` replaces the crate's own readers.
    ///
    /// # Errors
    ///
    /// Returns the operating system's error.
    pub(crate) fn open(
        path: &Path,
        document: Document,
        reader: Option<Arc<dyn Reader>>,
        limits: &Arc<ReadLimits>,
    ) -> io::Result<Self> {
        let mut file = File::open(path)?;
        let mut head = Vec::new();
        (&mut file).take(HEAD_BYTES as u64).read_to_end(&mut head)?;
        file.seek(SeekFrom::Start(0))?;
        let format = FileFormat::detect(&super::extension_of(path), &head);
        let is_text = matches!(format, FileFormat::Text(_)) && find(&head, b"%PDF-").is_none();
        if reader.is_none() && is_text {
            return Ok(Self::text(path, file, document, limits));
        }
        let (sender, messages) = mpsc::sync_channel(1);
        let id = document.id.clone();
        let timeout = limits.timeout;
        let job = Job {
            name: path.to_string_lossy().into_owned(),
            document,
            reader,
            limits: Arc::clone(limits),
            sender,
        };
        thread::Builder::new().name("textsearch-reader".to_owned()).spawn(move || job.run(file))?;
        Ok(Self::Thread { id, messages, timeout })
    }

    fn text(path: &Path, file: File, document: Document, limits: &ReadLimits) -> Self {
        let name = path.to_string_lossy();
        let id = document.id.clone();
        let result = read_file(&name, file, document, limits).map_err(|error| (id, error));
        Self::Single(Some(Box::new(result)))
    }
}

impl From<Document> for Documents {
    fn from(document: Document) -> Self {
        Self::Single(Some(Box::new(Ok(document))))
    }
}

impl Iterator for Documents {
    type Item = ReadResult;

    fn next(&mut self) -> Option<ReadResult> {
        match self {
            Self::Single(result) => result.take().map(|result| *result),
            Self::Thread { id, messages, timeout } => {
                // A process of a reader ends itself at the limit, which lets an archive go on.
                let patience = *timeout + *timeout / 4;
                let mut message = messages.recv_timeout(patience);
                while let Ok(Message::Started) = message {
                    message = messages.recv_timeout(patience);
                }
                match message {
                    Ok(Message::Finished(result)) => Some(*result),
                    Err(mpsc::RecvTimeoutError::Timeout) => {
                        let result = Err((std::mem::take(id), ReadError::TimedOut(*timeout)));
                        *self = Self::Single(None);
                        Some(result)
                    }
                    Ok(Message::Started) | Err(mpsc::RecvTimeoutError::Disconnected) => None,
                }
            }
        }
    }
}

struct Job {
    name: String,
    document: Document,
    reader: Option<Arc<dyn Reader>>,
    limits: Arc<ReadLimits>,
    sender: mpsc::SyncSender<Message>,
}

impl Job {
    fn run(self, file: File) {
        let id = self.document.id.clone();
        let sender = self.sender.clone();
        let outcome = panic::catch_unwind(AssertUnwindSafe(move || self.read(file)));
        let error = match outcome {
            Ok(Ok(())) => return,
            Ok(Err(error)) => error,
            Err(panic) => ReadError::Damaged(message_of(&*panic)),
        };
        // The receiver may have been dropped.
        let _sent = sender.send(Message::Finished(Box::new(Err((id, error)))));
    }

    fn read(self, file: File) -> Result<(), ReadError> {
        let Self { name, mut document, reader, limits, sender } = self;
        let _sent = sender.send(Message::Started);
        if let Some(reader) = reader {
            reader.read(bytes_of(file, &limits)?, &limits, &mut document)?;
            let _sent = sender.send(Message::Finished(Box::new(Ok(document))));
            return Ok(());
        }
        #[cfg(feature = "archives")]
        {
            super::archive::read_all(&name, file, document, &limits, &sender)
        }
        #[cfg(not(feature = "archives"))]
        {
            let document = read_file(&name, file, document, &limits)?;
            let _sent = sender.send(Message::Finished(Box::new(Ok(document))));
            Ok(())
        }
    }
}

fn read_file(
    name: &str,
    file: impl Read,
    mut document: Document,
    limits: &ReadLimits,
) -> Result<Document, ReadError> {
    read(name, bytes_of(file, limits)?, limits, &mut document)?;
    Ok(document)
}

pub(super) fn bytes_of(reader: impl Read, limits: &ReadLimits) -> Result<Vec<u8>, ReadError> {
    let mut bytes = Vec::new();
    let limit = limits.max_bytes as u64;
    reader.take(limit.saturating_add(1)).read_to_end(&mut bytes).map_err(ReadError::damaged)?;
    if bytes.len() > limits.max_bytes {
        return Err(ReadError::above(limits.max_bytes, "bytes"));
    }
    Ok(bytes)
}

fn message_of(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied();
    let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    format!("its reader failed ({})", text.unwrap_or("without a message"))
}
