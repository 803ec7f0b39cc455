//! The form of `/upsert-file`.

use std::path::Path;

use axum::extract::{
    FromRequest, Multipart, Request,
    multipart::{Field, MultipartError},
};
use bytes::Bytes;
use http::StatusCode;
use textsearch_documents::DocumentFormat;
use utoipa::ToSchema;

use super::wire::WrittenMetadata;
use crate::problem::{Answer, Kind, Problem};

const FILE: &str = "file";
const METADATA: &str = "metadata";

const MAX_NAME_CHARACTERS: usize = 255;

/// A file to store.
#[derive(Debug, ToSchema)]
pub(crate) struct FileForm {
    /// A document, recognised by its content, then by the extension of the file's name. Without an
    /// extension, the part's `Content-Type` decides between Markdown, HTML and plain text.
    #[schema(value_type = String, format = Binary)]
    pub(super) file: WrittenFile,
    /// The metadata, as the JSON that `/upsert` takes.
    #[schema(value_type = Option<String>)]
    pub(super) metadata: Option<WrittenMetadata>,
}

#[derive(Debug)]
pub(crate) struct WrittenFile {
    /// Without folders.
    pub(super) name: Option<String>,
    /// Of the part's `Content-Type`.
    format: Option<DocumentFormat>,
    pub(super) bytes: Bytes,
}

impl<S: Send + Sync> FromRequest<S> for FileForm {
    type Rejection = Problem;

    async fn from_request(request: Request, state: &S) -> Answer<Self> {
        let mut parts = Multipart::from_request(request, state).await.map_err(|_| {
            let detail = "the body must be a form: send `Content-Type: multipart/form-data`";
            Problem::new(Kind::UnsupportedMediaType, detail)
        })?;
        let mut file = None;
        let mut metadata = None;
        while let Some(part) = parts.next_field().await.map_err(unreadable)? {
            match part.name() {
                Some(FILE) if file.is_none() => file = Some(WrittenFile::read(part).await?),
                Some(METADATA) if metadata.is_none() => metadata = Some(read_metadata(part).await?),
                Some(twice @ (FILE | METADATA)) => {
                    return Err(Problem::invalid(twice, "the form has this part twice"));
                }
                _ => {
                    let problem = Problem::new(Kind::InvalidRequest, "the form has another part");
                    return Err(problem.with_allowed([FILE, METADATA]));
                }
            }
        }
        let missing = || Problem::invalid(FILE, "the form has no part `file`");
        Ok(Self { file: file.ok_or_else(missing)?, metadata: metadata.flatten() })
    }
}

impl WrittenFile {
    async fn read(part: Field<'_>) -> Answer<Self> {
        let name = part.file_name().and_then(base_name);
        let format = part.content_type().and_then(DocumentFormat::from_media_type);
        let bytes = part.bytes().await.map_err(unreadable)?;
        let name = name.map(|name| name.chars().take(MAX_NAME_CHARACTERS).collect());
        Ok(Self { name, format, bytes })
    }

    /// Returns a name whose extension says how the file is read. The content type can't turn a file
    /// of another kind into a text: it counts only without an extension.
    pub(super) fn file_name(&self) -> String {
        let name = self.name.clone().unwrap_or_else(|| FILE.to_owned());
        let extension = self.format.and_then(|format| format.extensions().first());
        match extension {
            Some(extension) if Path::new(&name).extension().is_none() => {
                format!("{name}.{extension}")
            }
            _ => name,
        }
    }
}

/// The server doesn't read the format of the file's content.
pub(super) fn unsupported(detail: String) -> Problem {
    Problem::new(Kind::UnsupportedMediaType, detail).with_field(FILE)
}

/// Returns `None` for a blank part, which some clients send for missing metadata.
async fn read_metadata(part: Field<'_>) -> Answer<Option<WrittenMetadata>> {
    let bytes = part.bytes().await.map_err(unreadable)?;
    if bytes.trim_ascii().is_empty() {
        return Ok(None);
    }
    serde_json::from_slice(&bytes).map(Some).map_err(|error| {
        let line = error.line();
        let column = error.column();
        Problem::invalid(METADATA, error.to_string()).at(line, column)
    })
}

fn unreadable(error: MultipartError) -> Problem {
    match error.status() {
        StatusCode::PAYLOAD_TOO_LARGE => {
            Problem::new(Kind::TooLarge, "the form is larger than the server accepts")
        }
        _ => Problem::new(Kind::InvalidRequest, "the form could not be read to its end"),
    }
}

/// The name of an uploaded file may be a path, of any system.
fn base_name(name: &str) -> Option<String> {
    let base = name.rsplit(['/', '\\']).next().unwrap_or_default();
    let base: String = base.chars().filter(|character| !character.is_control()).collect();
    Some(base.trim().to_owned()).filter(|base| !base.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_without_its_folders() {
        for (sent, name) in [
            ("notes.md", Some("notes.md")),
            ("../../etc/notes.md", Some("notes.md")),
            ("C:\\Users\\ann\\notes.md", Some("notes.md")),
            ("a\r\nb\0.md", Some("ab.md")),
            ("/etc/", None),
            (" ", None),
        ] {
            assert_eq!(base_name(sent).as_deref(), name, "{sent:?}");
        }
    }

    #[test]
    fn the_extension_overrules_the_content_type() {
        for (name, content_type, expected) in [
            (Some("a.md"), Some("text/plain"), "a.md"),
            (Some("a.exe"), Some("text/markdown"), "a.exe"),
            (Some("README"), Some("text/plain; charset=utf-8"), "README.txt"),
            (None, Some("TEXT/HTML"), "file.html"),
            (Some("README"), Some("application/pdf"), "README"),
            (None, None, "file"),
        ] {
            let format = content_type.and_then(DocumentFormat::from_media_type);
            let file = WrittenFile { name: name.map(str::to_owned), format, bytes: Bytes::new() };
            assert_eq!(file.file_name(), expected, "{name:?} {content_type:?}");
        }
    }
}
