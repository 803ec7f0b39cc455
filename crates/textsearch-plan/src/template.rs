//! Values with references in them.

use std::collections::VecDeque;

use serde_json::{Map, Value};

use crate::{
    reference::{Reference, Root},
    scan::{Exceeded, Scan},
};

/// The deepest value in a plan.
const DEEPEST: usize = 32;
/// The deepest result or input.
pub(crate) const DEEPEST_RESULT: usize = 100;

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Template {
    Literal(Value),
    Reference(Reference),
    List(Vec<Template>),
    Object(Vec<(String, Template)>),
    /// A malformed reference. Reported already.
    Wrong,
}

/// The place in the value, such as `days[0].name`, and the mistake there.
pub(crate) type Mistake = (String, String);

pub(crate) fn is_reference(text: &str) -> bool {
    text.starts_with("$.") || text.starts_with("$[")
}

impl Template {
    /// Adds malformed references to `mistakes`.
    pub(crate) fn parse(value: &Value, mistakes: &mut Vec<Mistake>) -> Self {
        parse(value, &Path::Start, 0, mistakes)
    }

    pub(crate) fn for_each_reference<'t>(&'t self, visit: &mut impl FnMut(&'t Reference)) {
        match self {
            Self::Literal(_) | Self::Wrong => {}
            Self::Reference(reference) => visit(reference),
            Self::List(items) => items.iter().for_each(|one| one.for_each_reference(visit)),
            Self::Object(fields) => {
                fields.iter().for_each(|(_, one)| one.for_each_reference(visit));
            }
        }
    }

    /// Copies the value. A reference that matches nothing is null.
    pub(crate) async fn build<'v>(
        &self,
        root: &impl Fn(&Root) -> Option<&'v Value>,
        budget: &mut Budget<'_>,
    ) -> Result<Value, Exceeded> {
        let mut lists = Vec::new();
        self.for_each_reference(&mut |one| {
            if !one.is_singular() {
                lists.push(one);
            }
        });
        for reference in lists {
            let value = match root(&reference.root) {
                Some(value) => {
                    let all = reference.all(value, &mut budget.scan).await?;
                    all.into_iter().map(|one| budget.copy(one)).collect::<Result<_, _>>()?
                }
                None => budget.copy(&Value::Null)?,
            };
            budget.lists.push_back(value);
        }
        self.assemble(root, budget)
    }

    fn assemble<'v>(
        &self,
        root: &impl Fn(&Root) -> Option<&'v Value>,
        budget: &mut Budget<'_>,
    ) -> Result<Value, Exceeded> {
        match self {
            Self::Literal(value) => budget.copy(value),
            Self::Wrong => budget.copy(&Value::Null),
            Self::Reference(reference) if reference.is_singular() => {
                let value = root(&reference.root).and_then(|value| reference.single(value));
                budget.copy(value.unwrap_or(&Value::Null))
            }
            Self::Reference(_) => Ok(budget.lists.pop_front().unwrap_or_default()),
            Self::List(items) => items.iter().map(|one| one.assemble(root, budget)).collect(),
            Self::Object(fields) => {
                let build = |(name, one): &(String, Self)| {
                    take(&mut budget.bytes, name.len() + 3).ok_or(Exceeded::Bytes)?;
                    Ok((name.clone(), one.assemble(root, budget)?))
                };
                fields.iter().map(build).collect::<Result<Map<_, _>, _>>().map(Value::Object)
            }
        }
    }

    /// The template, if it is a reference that matches nothing.
    pub(crate) fn unmatched<'v>(
        &self,
        root: &impl Fn(&Root) -> Option<&'v Value>,
    ) -> Option<&Reference> {
        let Self::Reference(reference) = self else { return None };
        // Only references to lists scan, and those always match.
        let is_unmatched = reference.is_singular()
            && root(&reference.root).is_none_or(|value| reference.single(value).is_none());
        is_unmatched.then_some(reference)
    }
}

/// What building values may use.
pub(crate) struct Budget<'b> {
    /// The bytes that the value may still have, about its length as JSON.
    bytes: usize,
    scan: Scan<'b>,
    /// The lists that references select, in their order.
    lists: VecDeque<Value>,
}

impl<'b> Budget<'b> {
    pub(crate) fn new(bytes: usize, scan: Scan<'b>) -> Self {
        Self { bytes, scan, lists: VecDeque::new() }
    }

    /// Returns the bytes that are left.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    fn copy(&mut self, value: &Value) -> Result<Value, Exceeded> {
        copy(value, &mut self.bytes).ok_or(Exceeded::Bytes)
    }
}

/// A path on the stack: only mistakes need its text.
enum Path<'a> {
    Start,
    Field(&'a Path<'a>, &'a str),
    Item(&'a Path<'a>, usize),
}

impl Path<'_> {
    fn text(&self) -> String {
        match self {
            Self::Start => String::new(),
            Self::Field(Self::Start, name) => (*name).to_owned(),
            Self::Field(before, name) => format!("{}.{name}", before.text()),
            Self::Item(before, place) => format!("{}[{place}]", before.text()),
        }
    }
}

fn parse(value: &Value, path: &Path<'_>, depth: usize, mistakes: &mut Vec<Mistake>) -> Template {
    if depth > DEEPEST {
        mistakes.push((path.text(), format!("is nested more than {DEEPEST} levels deep")));
        return Template::Wrong;
    }
    match value {
        Value::String(text) if is_reference(text) => match Reference::parse(text) {
            Ok(reference) => Template::Reference(reference),
            Err(message) => {
                let shown = crate::text::excerpt(text);
                mistakes.push((path.text(), format!("the reference `{shown}` {message}")));
                Template::Wrong
            }
        },
        Value::String(text) => Template::Literal(unescaped(text).into()),
        Value::Array(items) => {
            let items = items.iter().enumerate();
            let parse = |(place, one)| parse(one, &Path::Item(path, place), depth + 1, mistakes);
            let items: Vec<Template> = items.map(parse).collect();
            let literals = |items: Vec<Template>| items.into_iter().filter_map(literal).collect();
            if items.iter().all(is_literal) {
                Template::Literal(literals(items))
            } else {
                Template::List(items)
            }
        }
        Value::Object(fields) => {
            let parse = |(name, one): (&String, &Value)| {
                (name.clone(), parse(one, &Path::Field(path, name), depth + 1, mistakes))
            };
            let fields: Vec<(String, Template)> = fields.iter().map(parse).collect();
            if fields.iter().all(|(_, one)| is_literal(one)) {
                let fields =
                    fields.into_iter().filter_map(|(name, one)| Some((name, literal(one)?)));
                return Template::Literal(Value::Object(fields.collect()));
            }
            Template::Object(fields)
        }
        other => Template::Literal(other.clone()),
    }
}

fn is_literal(template: &Template) -> bool {
    matches!(template, Template::Literal(_))
}

fn literal(template: Template) -> Option<Value> {
    match template {
        Template::Literal(value) => Some(value),
        _ => None,
    }
}

/// `$$.a` is the text `$.a`.
pub(crate) fn unescaped(text: &str) -> &str {
    let rest = text.trim_start_matches('$');
    let is_escaped = text.len() - rest.len() >= 2 && rest.starts_with(['.', '[']);
    if is_escaped { text.strip_prefix('$').unwrap_or(text) } else { text }
}

/// Reverses what [`Template::parse`] does to literal texts.
pub(crate) fn escaped(value: Value) -> Value {
    match value {
        Value::String(text) => {
            let rest = text.trim_start_matches('$');
            let is_special = rest.len() < text.len() && rest.starts_with(['.', '[']);
            Value::String(if is_special { format!("${text}") } else { text })
        }
        Value::Array(items) => items.into_iter().map(escaped).collect(),
        Value::Object(fields) => {
            fields.into_iter().map(|(name, value)| (name, escaped(value))).collect()
        }
        other => other,
    }
}

fn copy(value: &Value, left: &mut usize) -> Option<Value> {
    take(left, 1)?;
    Some(match value {
        Value::String(text) => {
            take(left, text.len())?;
            Value::String(text.clone())
        }
        Value::Array(items) => items.iter().map(|one| copy(one, left)).collect::<Option<_>>()?,
        Value::Object(fields) => {
            let copied = |(name, one): (&String, &Value)| {
                take(left, name.len() + 3)?;
                Some((name.clone(), copy(one, left)?))
            };
            Value::Object(fields.iter().map(copied).collect::<Option<_>>()?)
        }
        other => {
            take(left, own_size(other))?;
            other.clone()
        }
    })
}

/// Numbers need about this much memory, and most as much JSON.
fn own_size(value: &Value) -> usize {
    if value.is_number() { 8 } else { 0 }
}

/// Whether it is nested so deep that a saved state with it can't be read: JSON readers stop at 128.
pub(crate) fn is_too_deep(value: &Value) -> bool {
    fn is_deeper(value: &Value, left: usize) -> bool {
        let Some(rest) = left.checked_sub(1) else { return true };
        match value {
            Value::Array(items) => items.iter().any(|one| is_deeper(one, rest)),
            Value::Object(fields) => fields.values().any(|one| is_deeper(one, rest)),
            _ => false,
        }
    }
    is_deeper(value, DEEPEST_RESULT + 1)
}

/// Takes the size of `value`, about its length as JSON, from `left`; `None` if it is larger.
pub(crate) fn weigh(value: &Value, left: &mut usize) -> Option<()> {
    take(left, 1)?;
    match value {
        Value::String(text) => take(left, text.len()),
        Value::Array(items) => items.iter().try_for_each(|one| weigh(one, left)),
        Value::Object(fields) => fields.iter().try_for_each(|(name, one)| {
            take(left, name.len() + 3)?;
            weigh(one, left)
        }),
        other => take(left, own_size(other)),
    }
}

/// About its length as JSON.
pub(crate) fn size(value: &Value) -> usize {
    let mut left = usize::MAX;
    let _ = weigh(value, &mut left);
    usize::MAX - left
}

pub(crate) fn weigh_all<'v>(
    values: impl IntoIterator<Item = &'v Value>,
    left: &mut usize,
) -> Option<()> {
    values.into_iter().try_for_each(|value| weigh(value, left))
}

fn take(left: &mut usize, size: usize) -> Option<()> {
    *left = left.checked_sub(size)?;
    Some(())
}
