//! `textsearch mcp`: serves the search to MCP clients.

#[cfg(not(feature = "mcp"))]
mod not_compiled;
#[cfg(feature = "mcp")]
mod serve;

#[cfg(not(feature = "mcp"))]
pub(crate) use self::not_compiled::run;
#[cfg(feature = "mcp")]
pub(crate) use self::serve::run;

pub(crate) const IS_BUILT_IN: bool = cfg!(feature = "mcp");
