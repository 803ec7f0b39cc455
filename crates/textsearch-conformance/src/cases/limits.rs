//! Memory use stays bounded.

use std::io::Write;

use flate2::{Compression, write::GzEncoder};
use textsearch_core::ErrorKind;

use super::{failure, failure_of};
use crate::{Document, Response, Subject, endpoint, server::Action};

const MEGABYTE: usize = 1024 * 1024;

/// The client stops reading at the limit.
pub async fn a_hundred_megabytes_are_not_read(subject: Subject) {
    let flood =
        |_, _| Action::Flood(Response::new(200, "application/json", vec![b' '; MEGABYTE / 4]), 400);
    let running = subject.scripted(endpoint::patient(), Document::several(3), flood).await;
    let (error, requests) = failure_of(&running).await;
    assert_eq!(error.kind(), &ErrorKind::Undecodable, "{error}");
    assert_eq!(requests, 1, "requests for a body beyond the limit");
    // Two sockets may buffer more than the client reads.
    let sent = running.server().bytes_sent();
    assert!(sent < 32 * MEGABYTE, "{sent} bytes were taken");
}

/// The client stops decompressing at the limit.
pub async fn a_gzip_bomb_does_not_go_off(subject: Subject) {
    let mut bomb = GzEncoder::new(Vec::new(), Compression::fast());
    for _ in 0..16 {
        bomb.write_all(&vec![b' '; MEGABYTE]).expect("memory takes everything");
    }
    let bomb = bomb.finish().expect("memory takes everything");
    assert!(bomb.len() < MEGABYTE / 4, "a bomb is small");
    let answer = move |_| {
        let answer = Response::new(200, "application/json", bomb.clone());
        Action::Answer(answer.with_header("Content-Encoding", "gzip"))
    };
    let (error, _) = failure(&subject, answer).await;
    assert_eq!(error.kind(), &ErrorKind::Undecodable, "{error}");
}
