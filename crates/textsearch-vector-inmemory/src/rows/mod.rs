//! Rows, the places of records in chunks, and sets of rows of a chunk.

mod bitmap;
mod row;

pub(crate) use self::{
    bitmap::Bitmap,
    row::{CHUNK_ROWS, Row},
};
