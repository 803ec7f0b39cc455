//! The connectors that `--source` selects, and web pages.

mod advice;
mod capabilities;
mod offline;
mod page;
mod probe;
mod sources;

pub(crate) use self::capabilities::Capabilities;
pub(crate) use self::{
    advice::advice,
    page::{full_pages, page_reader},
    probe::capabilities,
    sources::{describe, open},
};
