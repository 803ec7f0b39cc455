//! Heading levels of a Word document's styles.

use std::{
    collections::HashMap,
    io::{Read, Seek},
};

use super::{package::Package, xml::Tag};
use crate::read::ReadError;

/// The styles that a style is based on.
const MAX_DEPTH: usize = 9;

/// Levels by the id of a style: by its outline level or its name, or those of the style that it is
/// based on.
pub(super) fn levels(
    package: &mut Package<'_, impl Read + Seek>,
    part: &str,
) -> Result<HashMap<String, usize>, ReadError> {
    let mut levels = HashMap::new();
    let mut bases = HashMap::new();
    let mut id = String::new();
    package.walk(part, &mut |tag, _| {
        let Tag::Open(element) = tag else { return Ok(()) };
        let value = element.attribute("val").unwrap_or_default();
        match element.name {
            "style" => id = element.attribute("styleId").unwrap_or_default(),
            "name" => {
                levels.extend(level_of(&value).map(|level| (id.clone(), level)));
            }
            "outlineLvl" => {
                levels.extend(outline_level(&value).map(|level| (id.clone(), level)));
            }
            "basedOn" => drop(bases.insert(id.clone(), value)),
            _ => {}
        }
        Ok(())
    })?;
    for style in bases.keys() {
        let ancestors = std::iter::successors(Some(style), |style| bases.get(*style));
        let level = ancestors.take(MAX_DEPTH).find_map(|style| levels.get(style)).copied();
        levels.extend(level.map(|level| (style.clone(), level)));
    }
    Ok(levels)
}

/// Level 9 is body text.
pub(super) fn outline_level(value: &str) -> Option<usize> {
    value.parse().ok().filter(|level| *level < 9).map(|level: usize| level + 1)
}

fn level_of(name: &str) -> Option<usize> {
    let name = name.to_lowercase();
    match name.as_str() {
        "title" => Some(1),
        name => name.strip_prefix("heading ")?.parse().ok(),
    }
}
