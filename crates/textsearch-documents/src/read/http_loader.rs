//! Servers that convert files to text.

use std::{fmt, fs::File, path::Path};

use textsearch_core::http::{
    Endpoint, HttpClient, HttpRequest, HttpResponse, HttpSettings, Method,
};

use super::{
    LoaderError, ReadLimits, decode_text,
    documents::bytes_of,
    extension_of,
    loader::{MAX_BYTES, TIMEOUT},
};
use crate::{CONNECTOR, Document, DocumentFormat};

/// A failing server costs each file all attempts.
const MAX_ATTEMPTS: u32 = 2;

const ACCEPT: &str = "text/markdown, text/html;q=0.9, text/plain;q=0.8";

/// A server that converts files to text, such as [Apache Tika](https://tika.apache.org) at
/// `http://localhost:9998/tika`.
///
/// Each file is the body of a `PUT`. The response is plain text, HTML or Markdown, by its `Content-Type`. A file
/// takes at most 60 s, and 64 MiB of text. Redirects stay within the origin. Needs a `tokio` runtime, and the
/// feature `reqwest` of the core.
///
/// ```
/// use textsearch_documents::{HttpLoader, ingest::FileWalker};
///
/// let tika = HttpLoader::new("http://localhost:9998/tika")?;
/// let walker = FileWalker::new().with_http_loader("doc", tika);
/// # Ok::<(), textsearch_documents::LoaderError>(())
/// ```
#[derive(Clone)]
pub struct HttpLoader {
    endpoint: Endpoint,
    client: HttpClient,
}

impl HttpLoader {
    /// Creates a loader that sends files to this address.
    ///
    /// # Errors
    ///
    /// Returns a [`LoaderError`] if it isn't an address of the web.
    pub fn new(endpoint: impl Into<Endpoint>) -> Result<Self, LoaderError> {
        let mut settings = HttpSettings::default().with_max_attempts(MAX_ATTEMPTS);
        settings.attempt_timeout = TIMEOUT;
        settings.idle_timeout = TIMEOUT;
        settings.total_timeout = TIMEOUT;
        settings.max_body_bytes = MAX_BYTES;
        let client = HttpClient::new(CONNECTOR, settings).map_err(LoaderError::new)?;
        let loader = Self { endpoint: endpoint.into(), client };
        loader.request(Vec::new(), "")?;
        Ok(loader)
    }

    /// Fills in the text of the file at `path`.
    pub(crate) async fn load(
        &self,
        path: &Path,
        limits: &ReadLimits,
        document: &mut Document,
    ) -> Result<(), LoaderError> {
        let file = File::open(path).map_err(LoaderError::new)?;
        let bytes = bytes_of(file, limits).map_err(LoaderError::new)?;
        let request = self.request(bytes, &extension_of(path))?;
        let response = self.client.send(request).await;
        let response = response.map_err(|error| LoaderError::new(error.message()))?;
        document.format = format_of(&response)?;
        document.text = decode_text(response.body.into()).map_err(LoaderError::new)?;
        Ok(())
    }

    /// Names the extension alone: it helps to recognise the format, and the name may be private.
    fn request(&self, bytes: Vec<u8>, extension: &str) -> Result<HttpRequest, LoaderError> {
        let url = self.endpoint.url(CONNECTOR, "http://localhost:9998/tika");
        let url = url.map_err(|error| LoaderError::new(error.message()))?;
        let request = HttpRequest::new(Method::PUT, url)
            .with_header("accept", ACCEPT)
            .with_body("application/octet-stream", bytes)
            // A file that makes the server fail does so again.
            .with_idempotent(false);
        if extension.is_empty() || !extension.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
            return Ok(request);
        }
        let name = format!("attachment; filename=\"file.{extension}\"");
        Ok(request.with_header("content-disposition", &name))
    }
}

fn format_of(response: &HttpResponse) -> Result<DocumentFormat, LoaderError> {
    // Without a type, there is no content.
    let media_type = response.content_type().unwrap_or_else(|| "text/plain".to_owned());
    DocumentFormat::from_media_type(&media_type).ok_or_else(|| {
        LoaderError::new(format_args!(
            "the loader answered with `{media_type}`: try an address that answers with text, HTML or Markdown"
        ))
    })
}

impl fmt::Debug for HttpLoader {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("HttpLoader").field(&self.endpoint).finish()
    }
}
