//! Reads bodies within limits of length and time.

use std::{fmt, sync::Arc, time::Duration};

use ::http::{HeaderMap, header};
use bytes::{Bytes, BytesMut};
use futures_util::{FutureExt as _, StreamExt as _};
use tokio::time::{Instant, timeout};
use url::Url;

use super::{
    BodyStream, Secret, TransportError,
    failure::{Failure, Retry},
    report::Report,
    scrub::Scrubber,
};
use crate::{ErrorKind, Result};

/// The limits count decompressed bytes.
pub(super) struct LimitedBody {
    stream: BodyStream,
    limit: usize,
    left: usize,
    idle: Duration,
    /// The deadline of the whole body, and the timeout it came from.
    end: Option<(Instant, Duration)>,
}

pub(super) enum BodyFailure {
    TooLong { limit: usize },
    StoodStill { idle: Duration },
    TooSlow { total: Duration },
    Broken(TransportError),
}

impl LimitedBody {
    pub(super) fn new(stream: BodyStream, limit: usize, idle: Duration) -> Self {
        Self { stream, limit, left: limit, idle, end: None }
    }

    fn within(mut self, total: Duration) -> Self {
        self.end = Instant::now().checked_add(total).map(|end| (end, total));
        self
    }

    pub(super) async fn chunk(&mut self) -> Result<Option<Bytes>, BodyFailure> {
        let wait = self.wait()?;
        // Data that has already arrived needs no timer.
        let next = match self.stream.next().now_or_never() {
            Some(next) => next,
            // Boxed to keep the futures of a search small, at one allocation for each wait.
            None => match Box::pin(timeout(wait, self.stream.next())).await {
                Ok(next) => next,
                Err(_) => {
                    self.wait()?;
                    return Err(BodyFailure::StoodStill { idle: self.idle });
                }
            },
        };
        let Some(piece) = next else { return Ok(None) };
        let piece = piece.map_err(BodyFailure::Broken)?;
        let left = self.left.checked_sub(piece.len());
        self.left = left.ok_or(BodyFailure::TooLong { limit: self.limit })?;
        Ok(Some(piece))
    }

    /// Returns how long to wait for the next piece. Fails after the total time, even if pieces are
    /// always ready.
    fn wait(&self) -> Result<Duration, BodyFailure> {
        let Some((end, total)) = self.end else { return Ok(self.idle) };
        match end.checked_duration_since(Instant::now()) {
            Some(left) if !left.is_zero() => Ok(left.min(self.idle)),
            _ => Err(BodyFailure::TooSlow { total }),
        }
    }

    /// Fails before reading anything if the announced length exceeds the limit.
    pub(super) fn announced(&self, headers: &HeaderMap) -> Result<Option<usize>, BodyFailure> {
        let announced = announced_length(headers);
        if announced.is_some_and(|length| length > self.limit) {
            return Err(BodyFailure::TooLong { limit: self.limit });
        }
        Ok(announced)
    }

    pub(super) async fn collect(&mut self, headers: &HeaderMap) -> Result<Bytes, BodyFailure> {
        let announced = self.announced(headers)?;
        // A block, so that the pieces are not kept while waiting for the next ones.
        let mut all = {
            // Most responses come in one piece, which needs no copy.
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

    /// Returns at most the first `length` bytes, and whether the body was cut. A body that breaks
    /// off counts as cut.
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
            Self::TooSlow { total } => {
                let message = format!("the answer of {place} did not end within {total:?}");
                Failure::last(report.error(ErrorKind::Timeout, &message))
            }
        }
    }
}

/// A number too large for `usize` counts as its maximum.
fn announced_length(headers: &HeaderMap) -> Option<usize> {
    let text = headers.get(header::CONTENT_LENGTH)?.to_str().ok()?;
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| text.parse().unwrap_or(usize::MAX))
}

/// A body that is read as it arrives, such as the events of a chat model.
///
/// The client's limits apply, with [`stream_timeout`](super::HttpSettings::stream_timeout) instead
/// of the attempt's. Dropping the body ends the exchange.
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
        total: Duration,
    ) -> Self {
        let body = body.within(total);
        Self { body, connector, secrets: secrets.to_vec(), url }
    }

    /// Returns the next piece of the body; `None` at its end.
    ///
    /// # Errors
    /// [`ErrorKind::Unavailable`] if the body breaks off, [`ErrorKind::Timeout`] if it stalls or
    /// takes too long, [`ErrorKind::Undecodable`] if it exceeds the limit.
    pub async fn chunk(&mut self) -> Result<Option<Bytes>> {
        self.body.chunk().await.map_err(|failure| {
            let scrubber = Scrubber::new(&self.secrets);
            let report = Report::new(&self.connector, &scrubber, &self.url);
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

    #[test]
    fn an_announced_length_beyond_all_numbers_is_too_long() {
        let body = body(&[], 10);
        for length in ["100000000000000", "99999999999999999999999999"] {
            let mut headers = HeaderMap::new();
            headers.insert(header::CONTENT_LENGTH, HeaderValue::from_static(length));
            let failure = body.announced(&headers);
            assert!(matches!(failure, Err(BodyFailure::TooLong { limit: 10 })), "{length}");
        }
    }

    #[tokio::test]
    async fn pieces_that_are_always_ready_end_with_the_total_time() {
        let flood = stream::repeat_with(|| Ok(Bytes::from_static(b": ping\n\n")));
        let total = Duration::from_millis(20);
        let body = LimitedBody::new(Box::pin(flood), usize::MAX, Duration::from_secs(3600));
        let mut body = body.within(total);
        let failure = loop {
            match body.chunk().await {
                Ok(piece) => assert!(piece.is_some()),
                Err(failure) => break failure,
            }
        };
        assert!(matches!(failure, BodyFailure::TooSlow { total: limit } if limit == total));
    }

    #[tokio::test]
    async fn the_beginning_of_a_body_says_whether_it_goes_on() {
        assert_eq!(body(&["abc", "def"], 100).beginning(10).await, (b"abcdef".to_vec(), false));
        assert_eq!(body(&["abc", "def"], 100).beginning(4).await, (b"abcd".to_vec(), true));
        assert_eq!(body(&["abc", "def"], 3).beginning(10).await, (b"abc".to_vec(), true));
    }
}
