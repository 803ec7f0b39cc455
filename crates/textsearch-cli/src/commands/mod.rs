//! The commands, one module each.

pub(crate) mod ask;
pub(crate) mod eval;
pub(crate) mod index;
pub(crate) mod manual;
pub(crate) mod mcp;
pub(crate) mod packaging;
pub(crate) mod page;
pub(crate) mod plan;
pub(crate) mod prompt;
pub(crate) mod search;
pub(crate) mod serve;
