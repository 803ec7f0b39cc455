//! Rows, the places of records in chunks.

mod bitmap;
mod keys;
mod payload;
mod row;

pub(crate) use self::{
    bitmap::Bitmap,
    keys::{KeyHash, Keys},
    payload::{Payload, PayloadWriter},
    row::{CHUNK_ROWS, Row},
};
