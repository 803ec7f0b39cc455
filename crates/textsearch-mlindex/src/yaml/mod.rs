//! Reads the YAML of a file, within limits.
//!
//! Messages never repeat the file's text: a key may be anywhere in it.

mod secrets;
mod sections;

use serde_saphyr::{
    Error as YamlError,
    options::{DuplicateKeyPolicy, MergeKeyPolicy},
};
use textsearch_core::{Error, ErrorKind, Result};

pub(crate) use self::{
    secrets::{ALLOWED as SECRET_REFUSED, find_secret, refuse_secrets},
    sections::{Sections, Settings},
};
use crate::{CONNECTOR, shown::shown};

/// In bytes. Files that Azure Machine Learning writes have about one kilobyte.
pub(crate) const MAX_BYTES: usize = 64 << 10;

const MAX_DEPTH: usize = 16;
const MAX_NODES: usize = 2_000;
const MAX_ALIASES: usize = 20;
const MAX_REPLAYED_EVENTS: usize = 2_000;

pub(crate) fn read(text: &str) -> Result<Sections> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if text.len() > MAX_BYTES {
        return Err(too_large());
    }
    let budget = serde_saphyr::budget! {
        max_depth: MAX_DEPTH,
        flow_nesting_limit: MAX_DEPTH,
        max_nodes: MAX_NODES,
        max_aliases: MAX_ALIASES,
        max_documents: 1,
    };
    let options = serde_saphyr::options! {
        budget: budget,
        alias_limits: serde_saphyr::alias_limits! { max_total_replayed_events: MAX_REPLAYED_EVENTS },
        duplicate_keys: DuplicateKeyPolicy::Error,
        merge_keys: MergeKeyPolicy::Error,
        reject_unsupported_tags: true,
        strict_booleans: true,
        with_snippet: false,
    };
    let read = serde_saphyr::from_str_with_options(text, options);
    let sections: Sections = read.map_err(|error| unreadable(&error))?;
    refuse_secrets("", &sections.other)?;
    for name in sections.other.keys() {
        tracing::debug!(name = shown(name), "section unknown to this crate");
    }
    Ok(sections)
}

pub(crate) fn too_large() -> Error {
    refused(format!("the file can't be read: it has more than {MAX_BYTES} bytes"))
}

fn unreadable(error: &YamlError) -> Error {
    let error = error.without_snippet();
    let what = match error {
        YamlError::Budget { .. }
        | YamlError::AliasReplayLimitExceeded { .. }
        | YamlError::AliasReplayStackDepthExceeded { .. } => format!(
            "it has more than {MAX_DEPTH} levels, {MAX_NODES} values or {MAX_ALIASES} aliases"
        ),
        YamlError::DuplicateMappingKey { .. } => "a setting is there twice".to_owned(),
        YamlError::MergeKeyNotAllowed { .. } => "it has a merge key (`<<`)".to_owned(),
        YamlError::MultipleDocuments { .. } => "it has several documents".to_owned(),
        YamlError::Unexpected { expected: "mapping start", .. } => {
            "a list or a value is where settings by name are expected".to_owned()
        }
        _ => "it isn't YAML of the expected form".to_owned(),
    };
    let line = error.location().map(|location| format!(" (line {})", location.line()));
    refused(format!("the file can't be read: {what}{}", line.unwrap_or_default()))
}

fn refused(message: String) -> Error {
    Error::new(ErrorKind::Undecodable, CONNECTOR, message)
}
