//! References: JSON Paths into the values of a run.
//!
//! Only selectors whose type can be checked, and whose cost is bounded by the size of the value: no
//! `..`, no union such as `[0, 0]`, no function. A few of them in a row would visit each value an
//! exponential number of times.

use std::fmt;

use jsonpath_rust::{
    parser::{
        model::{
            Comparable, Filter, FilterAtom, JpQuery, Segment, Selector, SingularQuery,
            SingularQuerySegment, Test,
        },
        parse_json_path,
    },
    query::{Query as _, js_path_process, state::State},
};
use serde_json::Value;

use crate::{budget::Budget, limits::Limit, size::size, text::excerpt};

/// The longest reference, in bytes.
const LONGEST: usize = 500;

/// The most parentheses and filters of one reference. The library's grammar reads the arguments of a
/// function in three ways, and each of their functions again: 3^n for n of them.
const MAX_NESTED: usize = 5;

/// A comparison of a filter takes as long as a scan of so many bytes.
const BYTES_PER_COMPARISON: usize = 32;

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Reference {
    pub(crate) text: String,
    pub(crate) root: Root,
    pub(crate) parts: Vec<Part>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Root {
    Input(String),
    Step(String),
    Item,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Part {
    Name(String),
    Index(i64),
    All,
    Slice(Box<JpQuery>),
    /// With the paths of the fields that it reads in each item: at least one for each comparison.
    Filter(Box<Filter>, Vec<Vec<Part>>),
}

impl Reference {
    /// Returns an error without the reference's own text.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        if text.len() > LONGEST {
            return Err(format!("is longer than {LONGEST} bytes; use a shorter path"));
        }
        let parts = match plain_parts(text) {
            Some(parts) => parts,
            None => parsed_parts(text)?,
        };
        let (root, length) = root(&parts)?;
        let parts = parts.into_iter().skip(length).collect();
        Ok(Self { text: text.to_owned(), root, parts })
    }

    /// Whether it selects at most one value, instead of a list.
    pub(crate) fn is_singular(&self) -> bool {
        self.parts.iter().all(Part::is_singular)
    }

    /// Returns the value of a singular reference.
    pub(crate) fn single<'v>(&self, root: &'v Value) -> Option<&'v Value> {
        self.parts.iter().try_fold(root, child)
    }

    /// Returns the values of a reference to a list.
    pub(crate) fn all<'v>(
        &self,
        root: &'v Value,
        budget: &mut Budget<'_>,
    ) -> Result<Vec<&'v Value>, Limit> {
        let mut selected = vec![root];
        for part in &self.parts {
            let mut next = Vec::new();
            for value in selected {
                part.select(value, budget, &mut next)?;
            }
            selected = next;
        }
        Ok(selected)
    }
}

impl Part {
    /// Whether it selects at most one value.
    pub(crate) fn is_singular(&self) -> bool {
        matches!(self, Self::Name(_) | Self::Index(_))
    }

    fn select<'v>(
        &self,
        value: &'v Value,
        budget: &mut Budget<'_>,
        selected: &mut Vec<&'v Value>,
    ) -> Result<(), Limit> {
        if self.is_singular() {
            budget.scan(1)?;
            selected.extend(child(value, self));
            return Ok(());
        }
        let items = items(value);
        budget.scan(items.len())?;
        match self {
            Self::Slice(query) => {
                let sliced = js_path_process(query, value).unwrap_or_default();
                selected.extend(sliced.into_iter().map(|item| item.val()));
            }
            Self::Filter(filter, fields) => {
                for item in items {
                    // A comparison may read all of an item.
                    let comparison = size(item).saturating_add(BYTES_PER_COMPARISON);
                    budget.scan(comparison.saturating_mul(fields.len()))?;
                    if holds(filter, item) {
                        selected.push(item);
                    }
                }
            }
            _ => selected.extend(items),
        }
        Ok(())
    }
}

impl fmt::Display for Reference {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "`{}`", excerpt(&self.text))
    }
}

fn child<'v>(value: &'v Value, part: &Part) -> Option<&'v Value> {
    match (value, part) {
        (Value::Object(fields), Part::Name(name)) => fields.get(name),
        (Value::Array(items), Part::Index(index)) => {
            let place = usize::try_from(index.unsigned_abs()).ok()?;
            let place = if *index < 0 { items.len().checked_sub(place)? } else { place };
            items.get(place)
        }
        _ => None,
    }
}

fn items(value: &Value) -> Vec<&Value> {
    match value {
        Value::Array(items) => items.iter().collect(),
        Value::Object(fields) => fields.values().collect(),
        _ => Vec::new(),
    }
}

fn holds(filter: &Filter, item: &Value) -> bool {
    match filter {
        Filter::Or(some) => some.iter().any(|filter| holds(filter, item)),
        Filter::And(all) => all.iter().all(|filter| holds(filter, item)),
        Filter::Atom(FilterAtom::Filter { expr, not }) => holds(expr, item) != *not,
        Filter::Atom(atom) => atom.process(State::root(item)).ok_val() == Some(Value::Bool(true)),
    }
}

/// Returns the root, and how many parts name it.
fn root(parts: &[Part]) -> Result<(Root, usize), String> {
    let names = || {
        parts.iter().map_while(|part| match part {
            Part::Name(name) => Some(name.as_str()),
            _ => None,
        })
    };
    let names: Vec<&str> = names().take(3).collect();
    match names.as_slice() {
        ["steps", id, "result"] => Ok((Root::Step((*id).to_owned()), 3)),
        ["steps", id, ..] => Err(format!(
            "must name the result of the step: write `$.steps.{0}.result`, or a part of it",
            excerpt(id)
        )),
        ["inputs", name, ..] => Ok((Root::Input((*name).to_owned()), 2)),
        ["item", ..] => Ok((Root::Item, 1)),
        _ => Err("must start with `$.steps.<id>.result`, `$.inputs.<name>` or `$.item`; \
                  write `$$` for a literal `$` at the start of a text"
            .to_owned()),
    }
}

/// Reads a path of plain names, indices and `[*]`, as nearly all are, in a hundredth of the time that
/// the library takes.
fn plain_parts(text: &str) -> Option<Vec<Part>> {
    let mut rest = text.strip_prefix('$')?;
    let mut parts = Vec::with_capacity(6);
    while !rest.is_empty() {
        if let Some(after) = rest.strip_prefix("[*]").or_else(|| rest.strip_prefix(".*")) {
            parts.push(Part::All);
            rest = after;
        } else if let Some(after) = rest.strip_prefix('.') {
            let end = after.find(['.', '[']).unwrap_or(after.len());
            let (name, after) = after.split_at(end);
            parts.push(Part::Name(is_name(name).then(|| name.to_owned())?));
            rest = after;
        } else {
            let (index, after) = rest.strip_prefix('[')?.split_once(']')?;
            let is_plain = index == "0" || !index.starts_with('0');
            let is_plain =
                is_plain && index.len() < 10 && index.bytes().all(|byte| byte.is_ascii_digit());
            parts.push(Part::Index(is_plain.then(|| index.parse().ok())??));
            rest = after;
        }
    }
    Some(parts)
}

/// Also the form of the names of steps and inputs, so that `.name` refers to each.
pub(crate) fn is_name(name: &str) -> bool {
    let is_letter = |byte: &u8| byte.is_ascii_alphabetic() || *byte == b'_';
    name.as_bytes().first().is_some_and(is_letter)
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

fn parsed_parts(text: &str) -> Result<Vec<Part>, String> {
    if text.matches(['(', '?']).count() > MAX_NESTED {
        return Err(format!(
            "has more than {MAX_NESTED} parentheses and question marks, quoted ones included; use a \
             shorter path"
        ));
    }
    let query = parse_json_path(text).map_err(|_| {
        "is no JSON Path (RFC 9535); write a path such as `$.steps.date.result.date`, \
         or `$$` for a literal `$` at the start of a text"
            .to_owned()
    })?;
    query.segments.into_iter().map(part).collect()
}

fn part(segment: Segment) -> Result<Part, String> {
    let whole = |selector| Box::new(JpQuery::new(vec![Segment::Selector(selector)]));
    match segment {
        Segment::Selector(Selector::Name(name)) => Ok(Part::Name(name)),
        Segment::Selector(Selector::Index(index)) => Ok(Part::Index(index)),
        Segment::Selector(Selector::Wildcard) => Ok(Part::All),
        Segment::Selector(slice @ Selector::Slice(..)) => Ok(Part::Slice(whole(slice))),
        Segment::Selector(Selector::Filter(filter)) => {
            let mut read = Vec::new();
            fields_of(&filter, &mut read)?;
            Ok(Part::Filter(Box::new(filter), read))
        }
        Segment::Descendant(_) => {
            Err("has `..`, whose type can't be checked; name each field".to_owned())
        }
        Segment::Selectors(_) => {
            Err("selects several places at once; use a reference for each".to_owned())
        }
    }
}

const FILTER: &str =
    "has a filter with more than comparisons of fields with literals, such as `[?@.degrees < 32]`";

fn fields_of(filter: &Filter, read: &mut Vec<Vec<Part>>) -> Result<(), String> {
    match filter {
        Filter::Or(all) | Filter::And(all) => {
            all.iter().try_for_each(|filter| fields_of(filter, read))
        }
        Filter::Atom(FilterAtom::Filter { expr, .. }) => fields_of(expr, read),
        Filter::Atom(FilterAtom::Test { expr, .. }) => match expr.as_ref() {
            Test::RelQuery(segments) => {
                let path = segments.iter().cloned().map(part).collect::<Result<Vec<Part>, _>>()?;
                let is_singular = path.iter().all(Part::is_singular);
                read.push(is_singular.then_some(path).ok_or(FILTER)?);
                Ok(())
            }
            Test::AbsQuery(_) | Test::Function(_) => Err(FILTER.to_owned()),
        },
        Filter::Atom(FilterAtom::Comparison(comparison)) => {
            let (left, right) = comparison.vals();
            let before = read.len();
            [left, right].into_iter().try_for_each(|side| match side {
                Comparable::Literal(_) => Ok(()),
                Comparable::SingularQuery(SingularQuery::Current(segments)) => {
                    read.push(segments.iter().map(singular_part).collect());
                    Ok(())
                }
                Comparable::SingularQuery(SingularQuery::Root(_)) | Comparable::Function(_) => {
                    Err(FILTER.to_owned())
                }
            })?;
            // Comparing two literals takes as long, so it counts like a comparison with the item.
            if read.len() == before {
                read.push(Vec::new());
            }
            Ok(())
        }
    }
}

fn singular_part(segment: &SingularQuerySegment) -> Part {
    match segment {
        SingularQuerySegment::Index(index) => Part::Index(*index),
        SingularQuerySegment::Name(name) => Part::Name(name.clone()),
    }
}

#[cfg(test)]
mod tests {
    use std::{
        sync::atomic::AtomicUsize,
        time::{Duration, Instant},
    };

    use serde_json::json;

    use super::*;

    fn select(text: &str, value: &Value) -> Value {
        let reference = Reference::parse(text).unwrap();
        if reference.is_singular() {
            return reference.single(value).cloned().unwrap_or_default();
        }
        let scans = AtomicUsize::new(usize::MAX);
        let mut budget = Budget::new(usize::MAX, &scans, Instant::now(), Duration::MAX);
        reference.all(value, &mut budget).unwrap().into_iter().cloned().collect()
    }

    #[test]
    fn the_short_way_agrees_with_the_library() {
        for text in ["$.a.b_1[0][*].c", "$.a.*", "$", "$.a[12]"] {
            assert_eq!(plain_parts(text), Some(parsed_parts(text).unwrap()), "{text}");
        }
        for text in ["$['a b']", "$.a[01]", "$.1a", "$.a[-1]", "$.a..b", "$.a.", "$a"] {
            assert_eq!(plain_parts(text), None, "{text}");
        }
    }

    #[test]
    fn parts_select_values() {
        let days = json!({ "days": [{ "name": "Mo", "rain": 3 }, { "name": "Tu", "rain": 0 }] });
        let find = |path: &str| select(&format!("$.steps.week.result{path}"), &days);
        assert_eq!(find(".days[-1].name"), "Tu");
        assert_eq!(find(".days[*].name"), json!(["Mo", "Tu"]));
        assert_eq!(find("['days'][0:1]"), json!([{ "name": "Mo", "rain": 3 }]));
        assert_eq!(find(".days[?@.rain > 0].name"), json!(["Mo"]));
        assert_eq!(find(".days[9].name"), Value::Null);
    }

    #[test]
    fn selectors_without_a_bounded_cost_are_refused() {
        for (path, reason) in [
            ("$.steps.a.result..b", "`..`"),
            ("$.steps.a.result[0, 0][0, 0]", "several places"),
            ("$.steps.a.result[?@[?@.b]]", "filter"),
            ("$.steps.a.result[?$.inputs.b == 1]", "filter"),
            ("$.steps.a.result[?length(@.b) > 1]", "filter"),
        ] {
            let error = Reference::parse(path).unwrap_err();
            assert!(error.contains(reason), "{path}: {error}");
        }
    }

    #[test]
    fn quoted_parentheses_and_groups_are_read() {
        let days = json!({ "a(": [{ "name": "in(" }, { "name": "b" }] });
        let names =
            select(r#"$.steps.week.result['a('][?(@.name == "in(" || !(@.name))].name"#, &days);
        assert_eq!(names, json!(["in("]));
    }

    #[test]
    fn nested_references_are_refused_soon() {
        let begun = Instant::now();
        // The first has as many as are allowed.
        for (nested, count) in
            [("in(", 4), ("in (", 80), ("!length(", 60), ("(", 80), ("@.a[?", 80)]
        {
            let text = format!("$.item[?{}", nested.repeat(count));
            assert!(Reference::parse(&text).is_err(), "{text}");
        }
        assert!(begun.elapsed() < Duration::from_secs(5), "{:?}", begun.elapsed());
    }

    #[test]
    fn a_reference_starts_at_a_known_root() {
        for path in ["$.secrets.key", "$", "$[0]", "$.steps", "$.steps.a", "$.steps.a.state"] {
            assert!(Reference::parse(path).is_err(), "{path}");
        }
    }
}
