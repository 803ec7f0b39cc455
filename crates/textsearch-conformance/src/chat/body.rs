//! The body of a response: its pieces, then a fault.

use std::{
    convert::Infallible,
    io,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use futures_util::{StreamExt, stream};
use http_body_util::{StreamBody, combinators::UnsyncBoxBody};
use hyper::body::{Bytes, Frame};

use super::Fault;

pub(super) type AnswerBody = UnsyncBoxBody<Bytes, io::Error>;

pub(super) struct Delivery {
    /// Before each piece except the first.
    pub(super) pause: Duration,
    pub(super) fault: Option<Fault>,
    /// Clients that disconnected before the end.
    pub(super) hung_up: Arc<AtomicUsize>,
}

impl Delivery {
    pub(super) fn body(self, pieces: Vec<Vec<u8>>) -> AnswerBody {
        let Self { pause, fault, hung_up } = self;
        let pieces = match &fault {
            Some(Fault::Reset | Fault::Stall) => first_half(pieces),
            _ => pieces,
        };
        let pieces = stream::iter(pieces).enumerate().then(move |(place, piece)| async move {
            if place > 0 && !pause.is_zero() {
                tokio::time::sleep(pause).await;
            }
            Ok(Frame::data(Bytes::from(piece)))
        });
        let watch = HangUp { hung_up, complete: false };
        let end = stream::once(end(fault, watch)).filter_map(std::future::ready);
        UnsyncBoxBody::new(StreamBody::new(pieces.chain(end)))
    }
}

async fn end(fault: Option<Fault>, mut watch: HangUp) -> Option<io::Result<Frame<Bytes>>> {
    match fault {
        Some(Fault::Stall) => match std::future::pending::<Infallible>().await {},
        Some(Fault::Reset) => {
            // Give the client time to read: a reset discards unread bytes.
            tokio::time::sleep(Duration::from_millis(30)).await;
            watch.complete = true;
            Some(Err(io::ErrorKind::ConnectionReset.into()))
        }
        _ => {
            watch.complete = true;
            None
        }
    }
}

fn first_half(pieces: Vec<Vec<u8>>) -> Vec<Vec<u8>> {
    let bytes = pieces.concat();
    let mut left = bytes.len() / 2;
    let cut = |mut piece: Vec<u8>| {
        piece.truncate(left);
        left -= piece.len();
        piece
    };
    pieces.into_iter().map(cut).filter(|piece| !piece.is_empty()).collect()
}

/// Counts a hang-up if it is dropped before the end.
struct HangUp {
    hung_up: Arc<AtomicUsize>,
    complete: bool,
}

impl Drop for HangUp {
    fn drop(&mut self) {
        if !self.complete {
            self.hung_up.fetch_add(1, Ordering::SeqCst);
        }
    }
}
