//! Values with references in them.

use serde_json::{Map, Value};

use crate::{
    budget::Budget,
    limits::Limit,
    reference::{Reference, Root},
    size::take,
    text::excerpt,
};

/// The deepest value in a plan.
const DEEPEST: usize = 32;

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Template {
    Literal(Value),
    Reference(Reference),
    List(Vec<Template>),
    Object(Vec<(String, Template)>),
    /// A malformed reference. Reported already.
    Malformed,
}

/// The place in the value, such as `days[0].name`, and the mistake there.
pub(crate) type Mistake = (String, String);

pub(crate) fn is_reference(text: &str) -> bool {
    text.starts_with("$.") || text.starts_with("$[")
}

impl Template {
    /// Adds malformed references to `mistakes`, and what `check` says about literal texts.
    pub(crate) fn parse(
        value: &Value,
        check: &dyn Fn(&str) -> Option<String>,
        mistakes: &mut Vec<Mistake>,
    ) -> Self {
        Parser { check, mistakes, path: String::new(), depth: 0 }.parse(value)
    }

    pub(crate) fn for_each_reference<'t>(&'t self, visit: &mut impl FnMut(&'t Reference)) {
        match self {
            Self::Literal(_) | Self::Malformed => {}
            Self::Reference(reference) => visit(reference),
            Self::List(items) => items.iter().for_each(|item| item.for_each_reference(visit)),
            Self::Object(fields) => {
                fields.iter().for_each(|(_, field)| field.for_each_reference(visit));
            }
        }
    }

    /// Copies the value. A reference that matches nothing is null.
    pub(crate) fn build<'v>(
        &self,
        root: &impl Fn(&Root) -> Option<&'v Value>,
        budget: &mut Budget<'_>,
    ) -> Result<Value, Limit> {
        match self {
            Self::Literal(value) => budget.copy(value),
            Self::Malformed => budget.copy(&Value::Null),
            Self::Reference(reference) => {
                let value = root(&reference.root);
                if reference.is_singular() {
                    let value = value.and_then(|value| reference.single(value));
                    return budget.copy(value.unwrap_or(&Value::Null));
                }
                let Some(value) = value else { return budget.copy(&Value::Null) };
                let selected = reference.all(value, budget)?;
                selected.into_iter().map(|item| budget.copy(item)).collect()
            }
            Self::List(items) => items.iter().map(|item| item.build(root, budget)).collect(),
            Self::Object(fields) => {
                let build = |(name, field): &(String, Self)| {
                    take(&mut budget.bytes, name.len() + 3).ok_or(Limit::ResultBytes)?;
                    Ok((name.clone(), field.build(root, budget)?))
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
        // A reference to a list always matches.
        let is_unmatched = reference.is_singular()
            && root(&reference.root).is_none_or(|value| reference.single(value).is_none());
        is_unmatched.then_some(reference)
    }
}

struct Parser<'p> {
    check: &'p dyn Fn(&str) -> Option<String>,
    mistakes: &'p mut Vec<Mistake>,
    path: String,
    depth: usize,
}

impl Parser<'_> {
    fn parse(&mut self, value: &Value) -> Template {
        if self.depth > DEEPEST {
            return self.malformed(format!("is nested more than {DEEPEST} levels deep"));
        }
        match value {
            Value::String(text) if is_reference(text) => match Reference::parse(text) {
                Ok(reference) => Template::Reference(reference),
                Err(message) => {
                    let shown = excerpt(text);
                    self.malformed(format!("the reference `{shown}` {message}"))
                }
            },
            Value::String(text) => {
                let text = unescaped(text);
                let mistake = (self.check)(text);
                self.mistakes.extend(mistake.map(|message| (self.path.clone(), message)));
                Template::Literal(text.into())
            }
            Value::Array(items) => {
                let items = items.iter().enumerate();
                let parse = |(place, item)| self.parse_part(&format!("[{place}]"), item);
                let items: Vec<Template> = items.map(parse).collect();
                match items.iter().map(literal).collect() {
                    Some(literals) => Template::Literal(Value::Array(literals)),
                    None => Template::List(items),
                }
            }
            Value::Object(fields) => {
                let parse = |(name, field): (&String, &Value)| {
                    let dot = if self.path.is_empty() { "" } else { "." };
                    (name.clone(), self.parse_part(&format!("{dot}{name}"), field))
                };
                let fields: Vec<(String, Template)> = fields.iter().map(parse).collect();
                let literals =
                    fields.iter().map(|(name, field)| Some((name.clone(), literal(field)?)));
                match literals.collect() {
                    Some(literals) => Template::Literal(Value::Object(literals)),
                    None => Template::Object(fields),
                }
            }
            other => Template::Literal(other.clone()),
        }
    }

    fn parse_part(&mut self, part: &str, value: &Value) -> Template {
        let length = self.path.len();
        self.path.push_str(part);
        self.depth += 1;
        let template = self.parse(value);
        self.depth -= 1;
        self.path.truncate(length);
        template
    }

    fn malformed(&mut self, message: String) -> Template {
        self.mistakes.push((self.path.clone(), message));
        Template::Malformed
    }
}

fn literal(template: &Template) -> Option<Value> {
    match template {
        Template::Literal(value) => Some(value.clone()),
        _ => None,
    }
}

/// `$$.a` is the text `$.a`.
fn unescaped(text: &str) -> &str {
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
