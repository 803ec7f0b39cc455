//! What is wrong with a template, and where.

use std::fmt;

use textsearch_core::BoxError;

/// A template that cannot be compiled or rendered: which one, where in it, and why.
#[derive(Debug)]
#[non_exhaustive]
pub struct TemplateError {
    /// The template's name; `template` for one without.
    pub template: String,
    /// The line, counted from 1.
    pub line: usize,
    /// The column in characters, counted from 1.
    pub column: usize,
    /// What was found there and what would be right.
    pub message: String,
    /// The cause, where there is one.
    pub source: Option<BoxError>,
}

impl TemplateError {
    /// An error at `line` and `column` of `template`, both counted from 1.
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
