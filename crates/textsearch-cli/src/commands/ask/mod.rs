//! `textsearch ask`: a model answers a question from search results.

mod answer;
mod calls;
pub(crate) mod citations;
mod conversation;
mod model;
mod recorded;
mod report;
pub(crate) mod rewrite;
mod stream;

pub(crate) use self::{answer::run, model::advice};

pub(crate) use self::calls::{Call, TemplateCalls};
pub(crate) use self::conversation::{begin, failure};
pub(crate) use self::model::{from_environment, named_by};
pub(crate) use self::report::answer_of;
pub(crate) use self::stream::print as print_stream;
