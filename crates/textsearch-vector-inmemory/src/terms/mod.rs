//! The inverted indexes of full-text fields: the rows that contain a term, with frequencies.

mod posting_list;
mod postings;
mod text_length;

pub(crate) use self::{
    posting_list::{Bookmark, Iter, Posting, PostingList},
    postings::{Postings, Statistics, Texts},
    text_length::TextLength,
};
