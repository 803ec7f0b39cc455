//! Template errors.

use std::fmt;

use textsearch_core::BoxError;

/// An error in compiling or rendering a template.
#[derive(Debug)]
#[non_exhaustive]
pub struct TemplateError {
    /// The template's name, or `template` if it has none.
    pub template: String,
    /// The line, counted from 1.
    pub line: usize,
    /// The column in characters, counted from 1.
    pub column: usize,
    /// The problem and the expected fix.
    pub message: String,
    /// The cause, if any.
    pub source: Option<BoxError>,
}

impl TemplateError {
    /// Creates an error at `line` and `column` of `template`, both counted from 1.
    pub fn new(
        template: impl Into<String>,
        (line, column): (usize, usize),
        message: impl Into<String>,
    ) -> Self {
        Self { template: template.into(), line, column, message: message.into(), source: None }
    }

    /// Adds the cause.
    #[must_use]
    pub fn with_source(mut self, source: impl Into<BoxError>) -> Self {
        self.source = Some(source.into());
        self
    }
}

impl fmt::Display for TemplateError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}:{}:{}: {}", self.template, self.line, self.column, self.message)
    }
}

impl std::error::Error for TemplateError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.source.as_deref().map(|source| source as _)
    }
}
