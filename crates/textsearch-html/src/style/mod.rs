//! Detects inline styles that hide an element.

mod color;
mod effect;
mod limit;
mod measure;
mod shape;
#[cfg(test)]
mod tests;
mod transform;
mod value;

use std::collections::HashMap;

/// For each fact, whether it holds and whether its declaration is important.
type Facts = HashMap<&'static str, (bool, bool)>;

/// Facts that each hide an element.
const ALONE: &[&str] = &[
    "clip",
    "clip-path",
    "color",
    "content-visibility",
    "display",
    "filter",
    "font-size",
    "letter-spacing",
    "margin-left",
    "margin-top",
    "mask-image",
    "opacity",
    "padding-left",
    "rotate",
    "scale",
    "text-fill-color",
    "text-indent",
    "text-security",
    "transform",
    "translate",
    "visibility",
    "zoom",
];

/// Facts that hide an element together: one from each list.
const TOGETHER: &[&[&[&str]]] = &[
    &[&["overflow", "overflow-x", "overflow-y", "contain"], SIZES],
    &[&["position"], &["left", "right", "top", "bottom"]],
    &[&["fixed"], &["below", "above"]],
    &[&["backface-visibility"], &["transform-turns", "rotate-turns"]],
    &[&["overflow", "overflow-x"], &["white-space", "text-wrap"], &["text-indent-full"]],
];

const SIZES: &[&str] = &[
    "block-size",
    "height",
    "inline-size",
    "line-height",
    "max-block-size",
    "max-height",
    "max-inline-size",
    "max-width",
    "width",
];

/// Whether a style, without character references, hides an element.
///
/// Of several declarations of a property, the last valid one counts, or the last important one.
/// Unknown values are ignored, so they can't mask a hiding value.
pub(crate) fn is_hiding(style: &str) -> bool {
    let facts = facts(style);
    let holds = |names: &[&str]| {
        names.iter().any(|name| facts.get(name).is_some_and(|(holds, _important)| *holds))
    };
    holds(ALONE) || TOGETHER.iter().any(|lists| lists.iter().all(|names| holds(names)))
}

fn facts(style: &str) -> Facts {
    let mut facts = Facts::new();
    for declaration in value::declarations(style) {
        let property = value::without_vendor(&declaration.property);
        for (name, holds) in effect::effects(property, &declaration.value) {
            let fact = facts.entry(name).or_insert((holds, declaration.is_important));
            if declaration.is_important || !fact.1 {
                *fact = (holds, declaration.is_important);
            }
        }
    }
    facts
}
