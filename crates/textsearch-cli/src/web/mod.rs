//! What needs the network: the connectors that `--source` selects, and pages of the web.
//!
//! A build without the feature `web` has the same functions, which say what is missing.

#[cfg(feature = "web")]
mod advice;
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

#[cfg(not(feature = "web"))]
pub(crate) use self::not_compiled::{advice, capabilities, describe, full_pages, open, print_page};
#[cfg(feature = "web")]
pub(crate) use self::{
    advice::advice,
    page::{full_pages, print_page},
    probe::capabilities,
    sources::{describe, open},
};

/// Whether this build has any of it.
pub(crate) const IS_BUILT_IN: bool = cfg!(feature = "web");
