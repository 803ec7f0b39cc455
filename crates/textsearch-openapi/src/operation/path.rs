//! Path templates such as `/pets/{id}`.

use percent_encoding::{AsciiSet, CONTROLS, percent_decode_str, utf8_percent_encode};
use serde_json::Value;
use textsearch_core::http::Url;

use super::{Parameter, Place};
use crate::limits;

/// Characters that a path can't hold.
const LITERAL: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b'"')
    .add(b'#')
    .add(b'<')
    .add(b'>')
    .add(b'?')
    .add(b'\\')
    .add(b'^')
    .add(b'`')
    .add(b'{')
    .add(b'|')
    .add(b'}');

/// A path with places for parameters, and a fixed query as in `/messages?beta=true`.
pub(crate) struct PathTemplate {
    parts: Vec<Part>,
    query: Option<String>,
}

enum Part {
    /// Encoded.
    Literal(String),
    Parameter(String),
}

impl PathTemplate {
    pub(super) fn parse(path: &str, parameters: &[Parameter]) -> Result<Self, String> {
        limits::check_url("paths", path)?;
        // Documents tell operations on one path apart by fragments, which are never sent.
        let path = path.split('#').next().unwrap_or(path);
        let (path, query) = match path.split_once('?') {
            Some((path, query)) => (path, Some(query)),
            None => (path, None),
        };
        let is_fixed = query.is_none_or(|query| !query.contains(['{', '}']));
        if !path.starts_with('/') {
            return Err("its path doesn't start with `/`".to_owned());
        }
        if !is_fixed {
            return Err("its path has parameters in its query".to_owned());
        }
        let declared = || parameters.iter().filter(|parameter| parameter.place == Place::Path);
        let mut parts = Vec::new();
        let mut rest = path;
        while let Some((before, after)) = rest.split_once('{') {
            let (name, after) = after.split_once('}').ok_or("its path has a `{` without `}`")?;
            if !declared().any(|parameter| parameter.name == name) {
                return Err(format!("its path has `{{{name}}}`, which no parameter declares"));
            }
            parts.push(Part::literal(before));
            parts.push(Part::Parameter(name.to_owned()));
            rest = after;
        }
        parts.push(Part::literal(rest));
        let is_used = |name: &str| {
            parts.iter().any(|part| matches!(part, Part::Parameter(used) if used == name))
        };
        match declared().find(|parameter| !is_used(&parameter.name)) {
            Some(unused) => Err(format!("its path lacks its path parameter `{}`", unused.name)),
            None => Ok(Self { parts, query: query.map(str::to_owned) }),
        }
    }

    /// Checks that the URL parser keeps the literal parts.
    pub(super) fn check(&self, server: &Url, parameters: &[Parameter]) -> Result<(), String> {
        let sample = Value::from("x");
        let checked = self.url(server, |name| {
            let parameter = parameters
                .iter()
                .find(|parameter| parameter.place == Place::Path && parameter.name == name);
            parameter.map(|parameter| parameter.in_path(&sample)).ok_or_else(String::new)
        });
        checked?.map(|_| ()).ok_or_else(|| "its path leaves the server's path".to_owned())
    }

    /// Returns the names in literal parts such as `;version=2`.
    pub(crate) fn matrix_names(&self) -> impl Iterator<Item = &str> {
        let literals = self.parts.iter().filter_map(|part| match part {
            Part::Literal(literal) => Some(literal.as_str()),
            Part::Parameter(_) => None,
        });
        let named = literals.flat_map(|literal| literal.split(';').skip(1));
        named.filter_map(|named| named.split(['=', '/']).next())
    }

    /// Returns the URL with the encoded value of each parameter. `None` if the path has a segment
    /// `.` or `..`, which the URL parser or the service resolves.
    pub(crate) fn url<E>(
        &self,
        server: &Url,
        mut encoded: impl FnMut(&str) -> Result<String, E>,
    ) -> Result<Option<Url>, E> {
        let mut path = String::new();
        for part in &self.parts {
            match part {
                Part::Literal(literal) => path.push_str(literal),
                Part::Parameter(name) => path.push_str(&encoded(name)?),
            }
        }
        let has_dots = has_dot_segment(&path);
        path.insert_str(0, server.path().trim_end_matches('/'));
        let mut url = server.clone();
        url.set_path(&path);
        url.set_query(self.query.as_deref());
        let is_kept = !has_dots && url.path() == path && url.origin() == server.origin();
        Ok(is_kept.then_some(url))
    }
}

impl Part {
    fn literal(text: &str) -> Self {
        Self::Literal(utf8_percent_encode(text, LITERAL).to_string())
    }
}

/// Some servers decode `%2F` before they resolve `..`, and some ignore the rest of a segment from a
/// `;` on.
pub(crate) fn has_dot_segment(encoded: &str) -> bool {
    let decoded = percent_decode_str(encoded).decode_utf8_lossy();
    let mut segments = decoded.split(['/', '\\']);
    segments.any(|segment| matches!(segment.split(';').next(), Some("." | "..")))
}
