//! The connectors that `--source` selects, and web pages.

#[cfg(feature = "web")]
mod advice;
mod capabilities;
#[cfg(not(feature = "web"))]
mod not_compiled;
#[cfg(feature = "web")]
mod offline;
#[cfg(feature = "web")]
mod page;
#[cfg(feature = "web")]
mod probe;
#[cfg(feature = "web")]
mod sources;

pub(crate) use self::capabilities::Capabilities;
#[cfg(not(feature = "web"))]
pub(crate) use self::not_compiled::{
    advice, cannot_fetch, capabilities, describe, full_pages, open,
};
#[cfg(feature = "web")]
pub(crate) use self::{
    advice::advice,
    page::{full_pages, page_reader},
    probe::capabilities,
    sources::{describe, open},
};

pub(crate) const IS_BUILT_IN: bool = cfg!(feature = "web");
