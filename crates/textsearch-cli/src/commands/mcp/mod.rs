//! `textsearch mcp`: serves the search to MCP clients.

mod serve;

pub(crate) use self::serve::run;
