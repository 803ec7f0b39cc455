//! `textsearch serve`: serves the search over HTTP.

#[cfg(feature = "serve")]
mod access;
#[cfg(not(feature = "serve"))]
mod not_compiled;
#[cfg(feature = "serve")]
mod run;
#[cfg(feature = "serve")]
mod services;

#[cfg(not(feature = "serve"))]
pub(crate) use self::not_compiled::run;
#[cfg(feature = "serve")]
pub(crate) use self::run::run;

pub(crate) const IS_BUILT_IN: bool = cfg!(feature = "serve");
