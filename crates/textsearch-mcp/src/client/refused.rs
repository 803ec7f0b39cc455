//! Tools that a plugin lacks.

/// A tool that can't become a function, or is beyond a limit.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct RefusedTool {
    /// The tool, in the server's spelling.
    pub name: String,
    /// Why the plugin lacks it.
    pub reason: String,
}
