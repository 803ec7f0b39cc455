//! The inverted indexes of full-text fields: which rows hold a term, and how often.

mod posting_list;
mod postings;

pub(crate) use self::{
    posting_list::{Posting, PostingList},
    postings::{Postings, Texts},
};
