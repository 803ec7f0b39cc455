//! Names the missing feature `mcp`.

use anyhow::Result;

use crate::{arguments::McpArguments, errors::usage};

pub(crate) async fn run(_arguments: &McpArguments) -> Result<()> {
    Err(usage("this build cannot serve MCP: try a build with the feature `mcp`"))
}
