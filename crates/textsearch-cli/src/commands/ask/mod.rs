//! `textsearch ask`: a model answers a question from search results.

#[cfg(feature = "ask")]
mod answer;
#[cfg(feature = "ask")]
mod calls;
#[cfg(feature = "ask")]
mod citations;
#[cfg(feature = "ask")]
mod conversation;
#[cfg(feature = "ask")]
mod found;
#[cfg(feature = "ask")]
mod model;
#[cfg(not(feature = "ask"))]
mod not_compiled;
#[cfg(feature = "ask")]
mod report;
#[cfg(feature = "ask")]
mod stream;

#[cfg(not(feature = "ask"))]
pub(crate) use self::not_compiled::{advice, run};
#[cfg(feature = "ask")]
pub(crate) use self::{answer::run, model::advice};

#[cfg(feature = "plan")]
pub(crate) use self::conversation::failure;
#[cfg(any(feature = "plan", feature = "serve"))]
pub(crate) use self::model::from_environment;

pub(crate) const IS_BUILT_IN: bool = cfg!(feature = "ask");
