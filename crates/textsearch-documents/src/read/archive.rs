//! Archives and compressed files.

use std::{
    cell::Cell,
    fs::File,
    io::{BufReader, Cursor, Read, Seek, SeekFrom},
    path::Path,
    rc::Rc,
    sync::mpsc,
};

use flate2::read::MultiGzDecoder;
use lzma_rust2::XzReader;
use percent_encoding::utf8_percent_encode;
use ruzstd::decoding::StreamingDecoder;
use tar::EntryType;
use zip::ZipArchive;

#[cfg(feature = "mail")]
use super::mail::{self, Attachment, Mail};
use super::{
    ReadError, ReadLimits,
    documents::{Message, ReadResult, bytes_of},
    extension_of,
    format::{FileFormat, HEAD_BYTES, is_document},
    metered::Metered,
    read,
};
use crate::{Document, section::FRAGMENT};

/// Of the names of a member, and its other properties.
const MAX_NAME_BYTES: usize = 4096;

/// Holds the dictionary of `xz -9`.
const XZ_MEMORY_KIB: u32 = 96 << 10;

/// Holds the window of `zstd --long`.
const ZSTANDARD_WINDOW: u64 = 128 << 20;

/// Reads a file, and the files in it if it is an archive. Their ids are the archive's, `#` and the
/// path inside.
pub(super) fn read_all(
    name: &str,
    file: File,
    document: Document,
    limits: &ReadLimits,
    sender: &mpsc::SyncSender<Message>,
) -> Result<(), ReadError> {
    let bytes_left = Rc::new(Cell::new(limits.max_archive_bytes));
    let id = document.id.clone();
    let mut unpacker =
        Unpacker { id, limits, sender, files_left: limits.max_archive_files, bytes_left };
    let mut file = BufReader::new(file);
    let head = head_of(&mut file)?;
    file.seek(SeekFrom::Start(0)).map_err(ReadError::damaged)?;
    match FileFormat::detect(&extension_of(Path::new(name)), &head) {
        FileFormat::Zip => unpacker.unzip(file, document, 0),
        format => unpacker.stream(format, name, &mut file, document, 0),
    }
}

struct Unpacker<'a> {
    /// Of the file.
    id: String,
    limits: &'a ReadLimits,
    sender: &'a mpsc::SyncSender<Message>,
    files_left: usize,
    bytes_left: Rc<Cell<u64>>,
}

impl Unpacker<'_> {
    /// Reads content that can't be rewound.
    fn stream(
        &mut self,
        format: FileFormat,
        name: &str,
        content: &mut dyn Read,
        document: Document,
        depth: usize,
    ) -> Result<(), ReadError> {
        match format {
            FileFormat::Gzip => {
                self.unpack(stem(name), MultiGzDecoder::new(content), document, depth)
            }
            FileFormat::Xz => {
                let content = XzReader::new_mem_limit(content, true, XZ_MEMORY_KIB);
                self.unpack(stem(name), content, document, depth)
            }
            FileFormat::Zstandard => {
                let content = StreamingDecoder::new_with_max_window_size(content, ZSTANDARD_WINDOW);
                self.unpack(stem(name), content.map_err(ReadError::damaged)?, document, depth)
            }
            FileFormat::Tar => self.untar(content, &document, depth),
            FileFormat::Zip => {
                let mut document = document;
                let bytes = bytes_of(content, self.limits)?;
                document.facts.size = Some(bytes.len() as u64);
                self.unzip(Cursor::new(bytes), document, depth)
            }
            #[cfg(feature = "mail")]
            FileFormat::Mail => {
                let bytes = bytes_of(content, self.limits)?;
                self.read_mail(&bytes, &document, depth)
            }
            #[cfg(feature = "mail")]
            FileFormat::Mailbox => self.read_mailbox(content, &document, depth),
            _ => {
                let mut document = document;
                let bytes = bytes_of(content, self.limits)?;
                let count = bytes.len();
                read(name, bytes, self.limits, &mut document)?;
                self.charge(document.text.len().saturating_sub(count))?;
                self.send(Ok(document))
            }
        }
    }

    fn unpack(
        &mut self,
        name: &str,
        content: impl Read,
        document: Document,
        depth: usize,
    ) -> Result<(), ReadError> {
        self.check_depth(depth)?;
        let mut content = Metered::new(content, &self.bytes_left);
        let head = head_of(&mut content)?;
        let format = FileFormat::detect(&extension_of(Path::new(name)), &head);
        self.stream(format, name, &mut Cursor::new(head).chain(content), document, depth + 1)
    }

    fn untar(
        &mut self,
        content: &mut dyn Read,
        archive: &Document,
        depth: usize,
    ) -> Result<(), ReadError> {
        self.check_depth(depth)?;
        let mut tar = tar::Archive::new(content);
        // The library would read a long name whole.
        let mut long_name = None;
        for entry in tar.entries().map_err(ReadError::damaged)?.raw(true) {
            let mut entry = entry.map_err(ReadError::damaged)?;
            match entry.header().entry_type() {
                EntryType::GNULongName => long_name = Some(text_of(&mut entry)?),
                EntryType::XHeader => long_name = path_in(&text_of(&mut entry)?).or(long_name),
                kind if kind.is_file() => {
                    let path = entry.path().map_err(ReadError::damaged)?;
                    let path =
                        long_name.take().unwrap_or_else(|| path.to_string_lossy().into_owned());
                    self.member(&path, None, entry, archive, depth)?;
                }
                _ => long_name = None,
            }
        }
        Ok(())
    }

    fn unzip(
        &mut self,
        content: impl Read + Seek,
        archive: Document,
        depth: usize,
    ) -> Result<(), ReadError> {
        let mut zip = ZipArchive::new(content).map_err(ReadError::damaged)?;
        if is_package(&zip) {
            return self.read_package(zip, archive);
        }
        self.check_depth(depth)?;
        for index in 0..zip.len() {
            let name = zip.name_for_index(index).and_then(Result::ok);
            let path = name.unwrap_or_default().into_owned();
            match zip.by_index(index) {
                Ok(entry) if entry.is_file() => self.member(&path, None, entry, &archive, depth)?,
                Ok(_) => {}
                // Another may not be encrypted.
                Err(error) => {
                    self.send(Err((self.inside(&archive, &path).id, ReadError::damaged(error))))?;
                }
            }
        }
        Ok(())
    }

    #[cfg(feature = "office")]
    fn read_package(
        &self,
        zip: ZipArchive<impl Read + Seek>,
        mut document: Document,
    ) -> Result<(), ReadError> {
        super::office::read(zip, self.limits, &self.bytes_left, &mut document)?;
        self.send(Ok(document))
    }

    #[cfg(not(feature = "office"))]
    fn read_package(&self, _: ZipArchive<impl Read + Seek>, _: Document) -> Result<(), ReadError> {
        Err(ReadError::NoReader { format: "Office files".into() })
    }

    /// Reads a message, then its attachments.
    #[cfg(feature = "mail")]
    fn read_mail(
        &mut self,
        bytes: &[u8],
        document: &Document,
        depth: usize,
    ) -> Result<(), ReadError> {
        let masked = mail::without_messages(bytes)?;
        let message = Mail::new(bytes, &masked)?;
        let mut text = document.clone();
        text.facts.kind = Some(FileFormat::Mail.kind().to_owned());
        text.facts.size = Some(bytes.len() as u64);
        message.read(self.limits, &mut text)?;
        self.send(Ok(text))?;
        for Attachment { name, format, content } in message.attachments() {
            self.check_depth(depth)?;
            self.member(&name, format, &*content, document, depth)?;
        }
        Ok(())
    }

    /// Reads each message, whose name is its number.
    #[cfg(feature = "mail")]
    fn read_mailbox(
        &mut self,
        content: &mut dyn Read,
        mailbox: &Document,
        depth: usize,
    ) -> Result<(), ReadError> {
        self.check_depth(depth)?;
        let limit = self.limits.max_bytes;
        let bytes_left = Rc::new(Cell::new(0));
        let mut messages = mail::messages(Metered::new(content, &bytes_left));
        for number in 1_usize.. {
            bytes_left.set(limit as u64);
            let message = match messages.next() {
                None => break,
                Some(Err(_)) if bytes_left.get() == 0 => {
                    return Err(ReadError::above(limit, "bytes in a message"));
                }
                Some(message) => message?,
            };
            let name = number.to_string();
            self.member(&name, Some(FileFormat::Mail), &*message, mailbox, depth)?;
        }
        Ok(())
    }

    /// Reads a file of an archive, whose content shows the format unless the archive knows it. A broken
    /// file is reported, and the next one read, until a limit of the archive is reached.
    fn member(
        &mut self,
        path: &str,
        format: Option<FileFormat>,
        content: impl Read,
        archive: &Document,
        depth: usize,
    ) -> Result<(), ReadError> {
        check_name(path.len())?;
        let files = self.limits.max_archive_files;
        self.files_left =
            self.files_left.checked_sub(1).ok_or_else(|| ReadError::above(files, "files"))?;
        if !is_document(&extension_of(Path::new(path))) {
            return Ok(());
        }
        let document = self.inside(archive, path);
        let id = document.id.clone();
        self.message(Message::Started)?;
        let mut content = Metered::new(content, &self.bytes_left);
        let result = head_of(&mut content).and_then(|head| {
            let detect = || FileFormat::detect(&extension_of(Path::new(path)), &head);
            let format = format.unwrap_or_else(detect);
            let mut content = Cursor::new(head).chain(content);
            self.stream(format, path, &mut content, document, depth + 1)
        });
        match result {
            Err(_) if self.bytes_left.get() == 0 => Err(self.above_bytes()),
            Err(error) => self.send(Err((id, error))),
            Ok(()) => Ok(()),
        }
    }

    /// Counts what a document unpacked itself, such as the text of a small PDF.
    fn charge(&self, bytes: usize) -> Result<(), ReadError> {
        self.bytes_left.set(self.bytes_left.get().saturating_sub(bytes as u64));
        if self.bytes_left.get() > 0 { Ok(()) } else { Err(self.above_bytes()) }
    }

    fn inside(&self, archive: &Document, path: &str) -> Document {
        let mut document = archive.clone();
        let separator = if archive.id == self.id { '#' } else { '/' };
        document.id = format!("{}{separator}{path}", archive.id);
        let encoded = utf8_percent_encode(path, FRAGMENT);
        document.link = archive.link.as_ref().map(|link| format!("{link}{separator}{encoded}"));
        document
    }

    fn above_bytes(&self) -> ReadError {
        let limit = self.limits.max_archive_bytes;
        ReadError::AboveLimit { limit, unit: "bytes in its files".into() }
    }

    fn check_depth(&self, depth: usize) -> Result<(), ReadError> {
        let limit = self.limits.max_archive_depth;
        if depth < limit {
            Ok(())
        } else {
            Err(ReadError::above(limit, "archives inside one another"))
        }
    }

    /// Fails if the receiver was dropped.
    fn send(&self, result: ReadResult) -> Result<(), ReadError> {
        self.message(Message::Finished(Box::new(result)))
    }

    fn message(&self, message: Message) -> Result<(), ReadError> {
        self.sender.send(message).map_err(|_| ReadError::Damaged("nobody reads it".to_owned()))
    }
}

fn text_of(content: &mut impl Read) -> Result<String, ReadError> {
    let mut text = Vec::new();
    let limit = MAX_NAME_BYTES as u64 + 1;
    content.take(limit).read_to_end(&mut text).map_err(ReadError::damaged)?;
    check_name(text.len())?;
    Ok(String::from_utf8_lossy(&text).trim_end_matches('\0').to_owned())
}

/// Takes the lines of a
/// [pax header](https://pubs.opengroup.org/onlinepubs/9799919799/utilities/pax.html): `LENGTH KEY=VALUE`.
fn path_in(properties: &str) -> Option<String> {
    let mut lines = properties.lines().filter_map(|line| line.split_once(' '));
    lines.find_map(|(_, property)| property.strip_prefix("path=")).map(str::to_owned)
}

fn check_name(bytes: usize) -> Result<(), ReadError> {
    let limit = MAX_NAME_BYTES;
    if bytes > limit { Err(ReadError::above(limit, "bytes in a name")) } else { Ok(()) }
}

fn head_of(content: &mut impl Read) -> Result<Vec<u8>, ReadError> {
    let mut head = Vec::new();
    content.take(HEAD_BYTES as u64).read_to_end(&mut head).map_err(ReadError::damaged)?;
    Ok(head)
}

/// Returns whether an archive may be a document: Office Open XML, EPUB or OpenDocument.
fn is_package<R: Read + Seek>(zip: &ZipArchive<R>) -> bool {
    let mut parts = ["[Content_Types].xml", "META-INF/container.xml"].iter();
    let first = zip.name_for_index(0).and_then(Result::ok);
    let is_first = first.is_some_and(|name| name == "mimetype");
    is_first || parts.any(|name| zip.index_for_name(name).is_some())
}

/// The name of the compressed file.
fn stem(name: &str) -> &str {
    name.rsplit_once('.').map_or(name, |(stem, _)| stem)
}
