//! `textsearch page`: the readable text of one page.

#[cfg(not(feature = "web"))]
mod not_compiled;
#[cfg(feature = "web")]
mod print;

#[cfg(not(feature = "web"))]
pub(crate) use self::not_compiled::run;
#[cfg(feature = "web")]
pub(crate) use self::print::run;
