//! The effect of a declaration on an element's visibility.

use super::{
    color,
    limit::{FAR_BEFORE, FAR_BEHIND, FAR_FROM_END, MIN_OPACITY, TINY_LETTERS, is_far, is_tiny},
    measure::{Measure, all_measured, at_least, at_most, measured},
    shape, transform,
    value::{Part, has_variable, is_global},
};

/// Assumed width and height of the container, in pixels.
const AROUND: f32 = 1_000.0;

/// Assumed size of letters, in pixels.
const LETTER: f32 = 16.0;

/// Returns facts about an element, each with whether it holds. Empty if the property is irrelevant
/// or its value unknown.
pub(super) fn effects(property: &str, value: &[Part]) -> Vec<(&'static str, bool)> {
    if value.iter().any(has_variable) {
        return Vec::new();
    }
    if let Some(facts) = shorthand(property, value).or_else(|| of_transform(property, value)) {
        return facts;
    }
    let length = |whole: f32| one(value, Measure::Length(whole));
    let fact = match property {
        "display" => ("display", is_display_none(value)),
        "visibility" => ("visibility", keyword(value, &["hidden", "collapse"], &["visible"])),
        "content-visibility" => {
            ("content-visibility", keyword(value, &["hidden"], &["visible", "auto"]))
        }
        "backface-visibility" => ("backface-visibility", keyword(value, &["hidden"], &["visible"])),
        "white-space" => (
            "white-space",
            keyword(value, &["nowrap", "pre"], &["normal", "pre-wrap", "pre-line", "break-spaces"]),
        ),
        "text-wrap" | "text-wrap-mode" => {
            ("text-wrap", keyword(value, &["nowrap"], &["wrap", "balance", "pretty", "stable"]))
        }
        "text-security" => {
            ("text-security", keyword(value, &["disc", "circle", "square"], &["none"]))
        }
        "contain" => ("contain", contains(value)),
        "opacity" => {
            ("opacity", one(value, Measure::Number).map(|alpha| at_most(alpha, MIN_OPACITY)))
        }
        "zoom" => ("zoom", one(value, Measure::Number).map(|zoom| at_most(zoom, MIN_OPACITY))),
        "font-size" => ("font-size", length(LETTER).map(|size| at_most(size, TINY_LETTERS))),
        "letter-spacing" => ("letter-spacing", length(LETTER).map(|space| at_most(space, -LETTER))),
        "line-height" => ("line-height", line_height(value).map(is_tiny)),
        "color" => ("color", single(value).and_then(color::is_transparent)),
        "text-fill-color" => ("text-fill-color", single(value).and_then(color::is_transparent)),
        "mask-image" => ("mask-image", single(value).and_then(color::is_transparent_image)),
        "mask" => ("mask-image", value.iter().find_map(color::is_transparent_image)),
        "clip" => ("clip", shape::is_clipped(value)),
        "clip-path" => ("clip-path", shape::is_clipped_by_path(value)),
        "filter" => ("filter", words_or(value, || transform::is_filtered_out(value))),
        _ => return sized(property, value).into_iter().collect(),
    };
    // A keyword instead of a length never hides.
    let is_plain = || matches!(value, [Part::Word(word)] if is_length_word(word));
    fact.1
        .or_else(|| is_plain().then_some(false))
        .map(|holds| (fact.0, holds))
        .into_iter()
        .collect()
}

fn sized(property: &str, value: &[Part]) -> Option<(&'static str, bool)> {
    const SIZES: &[&str] = &[
        "width",
        "height",
        "max-width",
        "max-height",
        "block-size",
        "inline-size",
        "max-block-size",
        "max-inline-size",
    ];
    let size = SIZES.iter().find(|size| **size == property)?;
    if matches!(value, [Part::Word(word)] if is_length_word(word)) {
        return Some((size, false));
    }
    let length = one(value, Measure::Length(AROUND)).filter(|length| at_least(*length, 0.0))?;
    Some((size, is_tiny(length)))
}

fn shorthand(property: &str, value: &[Part]) -> Option<Vec<(&'static str, bool)>> {
    let whole = Measure::Length(AROUND);
    let side = |index: usize| {
        let sides = value.get(index).or_else(|| value.get(index.checked_sub(2)?));
        sides.or_else(|| value.first())
    };
    let is_four = (1..=4).contains(&value.len());
    let all = || (is_four && value.iter().all(|part| is_offset(part, whole))).then_some(());
    Some(match property {
        "font" => font(value)?,
        "position" => position(value)?,
        "overflow" => {
            all_words(value, &["visible", "hidden", "clip", "auto", "scroll", "overlay"])?;
            vec![
                ("overflow", clips(value)),
                ("overflow-x", clips(value)),
                ("overflow-y", clips(value)),
            ]
        }
        "overflow-x" | "overflow-inline" => vec![("overflow-x", clips(value))],
        "overflow-y" | "overflow-block" => vec![("overflow-y", clips(value))],
        "text-indent" => {
            let indent = measured(value.first()?, whole)?;
            vec![
                ("text-indent", at_most(indent, FAR_BEFORE)),
                ("text-indent-full", at_least(indent, AROUND)),
            ]
        }
        "inset" => {
            all()?;
            ["top", "right", "bottom", "left"]
                .into_iter()
                .enumerate()
                .flat_map(|(index, name)| offset(name, side(index)))
                .collect()
        }
        "inset-inline" | "inset-block" => {
            all()?;
            let names =
                if property == "inset-inline" { ["left", "right"] } else { ["top", "bottom"] };
            names
                .into_iter()
                .zip([value.first(), value.last()])
                .flat_map(|(name, part)| offset(name, part))
                .collect()
        }
        "left" | "inset-inline-start" => offset("left", single(value)),
        "right" | "inset-inline-end" => offset("right", single(value)),
        "top" | "inset-block-start" => offset("top", single(value)),
        "bottom" | "inset-block-end" => offset("bottom", single(value)),
        "margin" => {
            all()?;
            [margin("margin-top", value.first()), margin("margin-left", side(3))].concat()
        }
        "margin-left" | "margin-inline-start" | "margin-inline" => {
            margin("margin-left", value.first())
        }
        "margin-top" | "margin-block-start" | "margin-block" => margin("margin-top", value.first()),
        "padding" => {
            all()?;
            margin("padding-left", side(3))
        }
        "padding-left" | "padding-inline-start" | "padding-inline" => {
            margin("padding-left", value.first())
        }
        _ => return None,
    })
}

fn position(value: &[Part]) -> Option<Vec<(&'static str, bool)>> {
    let word = single(value)?.word()?;
    let is_moved = keyword(value, &["absolute", "fixed", "relative"], &["static", "sticky"])?;
    Some(vec![("position", is_moved), ("fixed", word == "fixed")])
}

fn of_transform(property: &str, value: &[Part]) -> Option<Vec<(&'static str, bool)>> {
    let (name, turns, transformed): (_, _, fn(&[Part]) -> _) = match property {
        "transform" => ("transform", Some("transform-turns"), transform::transformed),
        "rotate" => ("rotate", Some("rotate-turns"), transform::rotated),
        "scale" => ("scale", None, transform::scaled),
        "translate" => ("translate", None, transform::translated),
        _ => return None,
    };
    let (is_hidden, is_turned) = match value {
        [Part::Word(word)] if word == "none" || is_global(word) => (false, false),
        _ => {
            let Some(done) = transformed(value) else { return Some(Vec::new()) };
            (done.is_hidden(), done.is_turned)
        }
    };
    Some(std::iter::once((name, is_hidden)).chain(turns.map(|name| (name, is_turned))).collect())
}

fn font(value: &[Part]) -> Option<Vec<(&'static str, bool)>> {
    if let [Part::Word(word)] = value {
        return is_global(word).then(|| vec![("font-size", false), ("line-height", false)]);
    }
    let slash = value.iter().position(|part| part.is_sign('/'));
    let size = match slash {
        Some(slash) => value.get(slash.checked_sub(1)?)?,
        // A number without a unit is a weight.
        None => value
            .iter()
            .find(|part| measured(part, Measure::Length(LETTER)).is_some() || is_size_word(part))?,
    };
    let line = slash.and_then(|slash| line_height(value.get(slash + 1..slash + 2)?));
    let is_tiny_size =
        measured(size, Measure::Length(LETTER)).is_some_and(|size| at_most(size, TINY_LETTERS));
    let has_family = matches!(value.last(), Some(Part::Word(_) | Part::Other));
    // Browsers ignore `font` without a family, so it can't reveal hidden text.
    (is_tiny_size || has_family)
        .then(|| vec![("font-size", is_tiny_size), ("line-height", line.is_some_and(is_tiny))])
}

fn line_height(value: &[Part]) -> Option<f32> {
    let part = single(value)?;
    let lines = measured(part, Measure::Number)
        .filter(|_| !matches!(part, Part::Number(_, unit) if unit == "%"));
    lines.map(|lines| lines * LETTER).or_else(|| measured(part, Measure::Length(LETTER)))
}

/// Whether a side is far from the same side of the container.
fn offset(side: &'static str, value: Option<&Part>) -> Vec<(&'static str, bool)> {
    let Some(part) = value.filter(|part| is_offset(part, Measure::Length(AROUND))) else {
        return Vec::new();
    };
    let at = measured(part, Measure::Length(AROUND)).unwrap_or_default();
    match side {
        "left" => vec![(side, is_far(at))],
        "right" => vec![(side, at_most(at, -FAR_BEHIND) || at_least(at, FAR_FROM_END))],
        // Readers can scroll down to it, unless it's fixed.
        "top" => vec![(side, at_most(at, FAR_BEFORE)), ("below", at_least(at, FAR_FROM_END))],
        _ => vec![(side, at_least(at, FAR_FROM_END)), ("above", at_most(at, FAR_BEFORE))],
    }
}

fn margin(name: &'static str, value: Option<&Part>) -> Vec<(&'static str, bool)> {
    // Columns of layouts with floats have margins of -100 %.
    let half = Measure::Length(AROUND / 2.0);
    let Some(part) = value.filter(|part| is_offset(part, half)) else { return Vec::new() };
    let at = measured(part, half).unwrap_or_default();
    vec![(name, if name == "margin-top" { at_most(at, FAR_BEFORE) } else { is_far(at) })]
}

fn is_offset(part: &Part, measure: Measure) -> bool {
    match part {
        Part::Word(word) => word == "auto" || is_global(word),
        part => measured(part, measure).is_some(),
    }
}

/// Whether an element hides content beyond its size.
fn clips(value: &[Part]) -> bool {
    value
        .iter()
        .filter_map(Part::word)
        .any(|word| matches!(word, "hidden" | "clip" | "auto" | "scroll" | "overlay"))
}

fn contains(value: &[Part]) -> Option<bool> {
    all_words(
        value,
        &["none", "strict", "content", "size", "inline-size", "layout", "style", "paint"],
    )?;
    let mut words = value.iter().filter_map(Part::word);
    Some(words.any(|word| matches!(word, "paint" | "strict" | "content")))
}

/// Returns `None` for values that browsers ignore.
fn is_display_none(value: &[Part]) -> Option<bool> {
    const WORDS: &[&str] = &[
        "contents",
        "inline-block",
        "inline-flex",
        "inline-grid",
        "inline-table",
        "none",
        "ruby-base",
        "ruby-text",
        "table-caption",
        "table-cell",
        "table-column",
        "table-column-group",
        "table-footer-group",
        "table-header-group",
        "table-row",
        "table-row-group",
        "-webkit-box",
        "-webkit-flex",
        "-webkit-inline-box",
        "-webkit-inline-flex",
    ];
    const OUTSIDE: &[&str] = &["block", "inline"];
    const INSIDE: &[&str] = &["flow", "flow-root", "flex", "grid", "math", "ruby", "table"];
    if let [Part::Word(word)] = value
        && (WORDS.contains(&word.as_str()) || is_global(word))
    {
        return Some(word == "none");
    }
    let words = value.iter().map(Part::word).collect::<Option<Vec<_>>>()?;
    let count = |known: &[&str]| words.iter().filter(|word| known.contains(word)).count();
    let (outside, inside, items) = (count(OUTSIDE), count(INSIDE), count(&["list-item"]));
    let is_item = items == 0 || inside == count(&["flow", "flow-root"]);
    let is_known = outside + inside + items == words.len() && outside.max(inside).max(items) == 1;
    (is_known && is_item).then_some(false)
}

fn keyword(value: &[Part], holding: &[&str], others: &[&str]) -> Option<bool> {
    let word = single(value)?.word()?;
    let holds = holding.contains(&word);
    (holds || others.contains(&word) || is_global(word)).then_some(holds)
}

fn words_or(value: &[Part], other: impl Fn() -> Option<bool>) -> Option<bool> {
    match value {
        [] => None,
        [Part::Word(word)] => (word == "none" || is_global(word)).then_some(false),
        _ => other(),
    }
}

fn all_words(value: &[Part], known: &[&str]) -> Option<()> {
    let is_known =
        |part: &Part| part.word().is_some_and(|word| known.contains(&word) || is_global(word));
    (!value.is_empty() && value.iter().all(is_known)).then_some(())
}

fn single(value: &[Part]) -> Option<&Part> {
    if let [part] = value { Some(part) } else { None }
}

fn one(value: &[Part], measure: Measure) -> Option<f32> {
    all_measured(value, measure)
        .and_then(|values| if let [one] = values[..] { Some(one) } else { None })
}

fn is_size_word(part: &Part) -> bool {
    let is_letter_size = |word: &str| word.ends_with("small") || word.ends_with("large");
    part.word()
        .is_some_and(|word| is_letter_size(word) || matches!(word, "medium" | "smaller" | "larger"))
}

fn is_length_word(word: &str) -> bool {
    const WORDS: &[&str] = &[
        "auto",
        "fit-content",
        "large",
        "larger",
        "max-content",
        "medium",
        "min-content",
        "none",
        "normal",
        "small",
        "smaller",
        "stretch",
        "x-large",
        "x-small",
        "xx-large",
        "xx-small",
        "xxx-large",
    ];
    WORDS.contains(&word) || is_global(word)
}
