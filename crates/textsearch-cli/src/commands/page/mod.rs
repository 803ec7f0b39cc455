//! `textsearch page`: the readable text of one page.
//!
//! A build without the feature `web` has the same function, which says what is missing.

#[cfg(not(feature = "web"))]
mod not_compiled;
#[cfg(feature = "web")]
mod print;

#[cfg(not(feature = "web"))]
pub(crate) use self::not_compiled::run;
#[cfg(feature = "web")]
pub(crate) use self::print::run;
