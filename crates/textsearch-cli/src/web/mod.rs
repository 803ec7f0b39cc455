//! The connectors that `--source` selects, and web pages.

mod advice;
mod page;
mod sources;

pub(crate) use self::{
    advice::advice,
    page::{full_pages, page_reader, result_pages},
    sources::{describe, open},
};
