//! Reading a body without being drowned by it: a limit on its length, a limit on standing still.

use std::{fmt, sync::Arc, time::Duration};

use ::http::{HeaderMap, header};
use bytes::{Bytes, BytesMut};
use futures_util::{FutureExt as _, StreamExt as _};
use tokio::time::timeout;
use url::Url;

use super::{
    BodyStream, Secret, TransportError,
    failure::{Failure, Retry},
    report::Report,
};
use crate::{ErrorKind, Result};

/// A body with its limits, which count decompressed bytes.
pub(super) struct LimitedBody {
    stream: BodyStream,
    limit: usize,
    left: usize,
    idle: Duration,
}

/// Why a body was not read to its end.
pub(super) enum BodyFailure {
    TooLong { limit: usize },
    StoodStill { idle: Duration },
    Broken(TransportError),
}

impl LimitedBody {
    pub(super) fn new(stream: BodyStream, limit: usize, idle: Duration) -> Self {
        Self { stream, limit, left: limit, idle }
    }

    /// The next piece; `None` at the end.
    pub(super) async fn chunk(&mut self) -> Result<Option<Bytes>, BodyFailure> {
        // What has arrived needs no timer, and a short answer arrives with its headers.
        let next = match self.stream.next().now_or_never() {
            Some(next) => next,
            // Boxed, so that the futures of a search have no room for a timer: they are small, for one allocation at
            // each wait.
            None => Box::pin(timeout(self.idle, self.stream.next()))
                .await
                .map_err(|_| BodyFailure::StoodStill { idle: self.idle })?,
        };
        let Some(piece) = next else { return Ok(None) };
        let piece = piece.map_err(BodyFailure::Broken)?;
        let left = self.left.checked_sub(piece.len());
        self.left = left.ok_or(BodyFailure::TooLong { limit: self.limit })?;
        Ok(Some(piece))
    }

    /// The whole body. One that says beforehand that it is too long is not read at all.
    pub(super) async fn collect(&mut self, headers: &HeaderMap) -> Result<Bytes, BodyFailure> {
        let announced = announced_length(headers);
        if announced.is_some_and(|length| length > self.limit) {
            return Err(BodyFailure::TooLong { limit: self.limit });
        }
        // A block, so that nobody makes room for its pieces while waiting for the next ones.
        let mut all = {
            // Most answers come in one piece, which then needs no copy.
            let Some(first) = self.chunk().await? else { return Ok(Bytes::new()) };
            let Some(second) = self.chunk().await? else { return Ok(first) };
            let known = first.len() + second.len();
            let length = announced.unwrap_or(2 * known).clamp(known, self.limit);
            let mut all = BytesMut::with_capacity(length);
            all.extend_from_slice(&first);
            all.extend_from_slice(&second);
            all
        };
        while let Some(piece) = self.chunk().await? {
            all.extend_from_slice(&piece);
        }
        Ok(all.freeze())
    }

    /// As much of a body as is worth reading for an error, and whether it goes on. What breaks off is an end too: the
    /// status says more than that.
    pub(super) async fn beginning(mut self, length: usize) -> (Vec<u8>, bool) {
        let mut read = Vec::new();
        while read.len() < length {
            match self.chunk().await {
                Ok(Some(piece)) => read.extend_from_slice(&piece),
                Ok(None) => return (read, false),
                Err(_) => break,
            }
        }
        read.truncate(length);
        (read, true)
    }
}

impl BodyFailure {
    pub(super) fn into_failure(self, report: &Report<'_>) -> Failure {
        let place = report.place();
        match self {
            Self::Broken(error) => Failure::of_transport(report, error),
            Self::TooLong { limit } => {
                let message =
                    format!("the answer of {place} is longer than the limit of {limit} bytes");
                Failure::last(report.error(ErrorKind::Undecodable, &message))
            }
            Self::StoodStill { idle } => {
                let message = format!("the answer of {place} stood still for {idle:?}");
                Failure::new(report.error(ErrorKind::Timeout, &message), Retry::IfIdempotent)
            }
        }
    }
}

fn announced_length(headers: &HeaderMap) -> Option<usize> {
    headers.get(header::CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}

/// The body of an answer that is read as it arrives, such as the events of a chat model.
///
/// The limits of the client hold for it, apart from the time for one attempt: a stream may take as long as it keeps
/// moving. Dropping it ends the exchange.
pub struct HttpBody {
    body: LimitedBody,
    connector: Arc<str>,
    secrets: Vec<Secret>,
    url: Url,
}

impl HttpBody {
    pub(super) fn new(
        body: LimitedBody,
        connector: Arc<str>,
        secrets: &[Secret],
        url: Url,
    ) -> Self {
        Self { body, connector, secrets: secrets.to_vec(), url }
    }

    /// The next piece of the body; `None` at its end.
    ///
    /// # Errors
    /// [`ErrorKind::Unavailable`] where the body broke off, [`ErrorKind::Timeout`] where it stood still,
    /// [`ErrorKind::Undecodable`] where it is longer than the limit.
    pub async fn chunk(&mut self) -> Result<Option<Bytes>> {
        self.body.chunk().await.map_err(|failure| {
            let report = Report::new(&self.connector, &self.secrets, &self.url);
            failure.into_failure(&report).error
        })
    }
}

impl fmt::Debug for HttpBody {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let read = self.body.limit - self.body.left;
        formatter.debug_struct("HttpBody").field("bytes_read", &read).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use ::http::HeaderValue;
    use futures_util::stream;

    use super::*;

    fn body(pieces: &'static [&'static str], limit: usize) -> LimitedBody {
        let pieces = pieces.iter().map(|piece| Ok(Bytes::from_static(piece.as_bytes())));
        LimitedBody::new(Box::pin(stream::iter(pieces)), limit, Duration::from_secs(1))
    }

    async fn collected(pieces: &'static [&'static str], limit: usize) -> Option<Bytes> {
        body(pieces, limit).collect(&HeaderMap::new()).await.ok()
    }

    #[tokio::test]
    async fn a_body_is_collected_up_to_its_limit() {
        assert_eq!(collected(&[], 5).await.unwrap(), "");
        assert_eq!(collected(&["hello"], 5).await.unwrap(), "hello");
        assert_eq!(collected(&["he", "l", "lo"], 5).await.unwrap(), "hello");
        assert_eq!(collected(&["hello!"], 5).await, None);
        assert_eq!(collected(&["he", "l", "lo", "!"], 5).await, None);
    }

    #[tokio::test]
    async fn a_body_that_announces_too_much_is_not_read() {
        let never = Box::pin(stream::pending());
        let mut body = LimitedBody::new(never, 10, Duration::from_secs(3600));
        let mut headers = HeaderMap::new();
        headers.insert(header::CONTENT_LENGTH, HeaderValue::from_static("11"));
        let failure = body.collect(&headers).await;
        assert!(matches!(failure, Err(BodyFailure::TooLong { limit: 10 })));
    }

    #[tokio::test]
    async fn the_beginning_of_a_body_says_whether_it_goes_on() {
        assert_eq!(body(&["abc", "def"], 100).beginning(10).await, (b"abcdef".to_vec(), false));
        assert_eq!(body(&["abc", "def"], 100).beginning(4).await, (b"abcd".to_vec(), true));
        assert_eq!(body(&["abc", "def"], 3).beginning(10).await, (b"abc".to_vec(), true));
    }
}
