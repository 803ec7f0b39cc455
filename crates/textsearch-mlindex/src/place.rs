//! Paths and lines of settings, for errors.

use std::{collections::BTreeMap, fmt::Display};

use textsearch_core::{Error, ErrorKind};

use crate::{CONNECTOR, yaml::Settings};

/// A section, its first line and the lines of its settings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Place {
    path: String,
    line: u64,
    lines: BTreeMap<String, u64>,
}

impl Place {
    pub(crate) fn new(path: &str, line: u64, settings: &Settings) -> Self {
        let lines =
            settings.iter().map(|(name, setting)| (name.clone(), setting.referenced.line()));
        Self { path: path.to_owned(), line, lines: lines.collect() }
    }

    /// Returns the place of the settings inside the setting `name`.
    pub(crate) fn inside(&self, name: &str) -> Self {
        Self { path: self.path_of(name), line: self.line_of(name), lines: BTreeMap::new() }
    }

    pub(crate) fn path(&self) -> &str {
        &self.path
    }

    pub(crate) fn path_of(&self, name: &str) -> String {
        format!("{}.{name}", self.path)
    }

    pub(crate) fn line_of(&self, name: &str) -> u64 {
        self.lines.get(name).copied().unwrap_or(self.line)
    }

    pub(crate) fn missing(&self, name: &str, allowed: &str) -> Error {
        let path = self.path_of(name);
        let message = format!("`{path}` is missing (line {}); expected {allowed}", self.line);
        Error::new(ErrorKind::invalid_options(path, allowed), CONNECTOR, message)
    }

    pub(crate) fn invalid(&self, name: &str, actual: impl Display, allowed: &str) -> Error {
        let path = self.path_of(name);
        let line = self.line_of(name);
        let message = format!("`{path}` is {actual} (line {line}); expected {allowed}");
        Error::new(ErrorKind::invalid_options(path, allowed), CONNECTOR, message)
    }
}
