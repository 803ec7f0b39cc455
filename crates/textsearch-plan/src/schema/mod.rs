//! Types: what JSON schemas say about values.
//!
//! Understood: `type`, `enum`, `const`, `properties`, `required`, `additionalProperties`,
//! `patternProperties`, `items`, `prefixItems`, `$ref` into the schema itself, `allOf`, `anyOf` and
//! `oneOf`, bounds of numbers and lists. Any other keyword says nothing. A combination of schemas that
//! is too large accepts every type; the run then checks the value.

mod describe;
mod expand;
mod kinds;
mod mistake;
mod overlap;
mod validate;
mod variants;
mod work;

pub(crate) use self::{
    kinds::Kinds, mistake::Mistake, overlap::overlaps, validate::validate, variants::Variant,
    work::Work,
};

use serde_json::Value;

use crate::reference::Part;

/// The type of a value that does not exist yet.
#[derive(Debug, Clone)]
pub(crate) enum Type<'a> {
    Any,
    /// Values that match all of these schemas.
    Schemas(Vec<View<'a>>),
    List(Box<Type<'a>>),
    OneOf(Vec<Type<'a>>),
    Literal(&'a Value),
}

/// A schema, and the document that its references name places in.
#[derive(Debug, Clone, Copy)]
pub(crate) struct View<'a> {
    pub(crate) schema: &'a Value,
    pub(crate) document: &'a Value,
}

/// A field that values of the type can't have.
#[derive(Debug)]
pub(crate) struct Missing {
    /// The number of parts of the path that exist.
    pub(crate) depth: usize,
    /// The type that lacks the next part.
    pub(crate) within: String,
}

impl<'a> Type<'a> {
    pub(crate) fn of_schema(schema: &'a Value) -> Self {
        match schema {
            Value::Bool(_) | Value::Object(_) => {
                Self::Schemas(vec![View { schema, document: schema }])
            }
            // Null: unknown.
            _ => Self::Any,
        }
    }

    pub(crate) fn list_of(self) -> Self {
        Self::List(Box::new(self))
    }

    /// Returns the type that a path selects: that of one value, or a list.
    pub(crate) fn select(&self, parts: &[Part]) -> Result<Self, Missing> {
        let is_singular = parts.iter().all(Part::is_singular);
        let mut within = self.clone();
        for (depth, part) in parts.iter().enumerate() {
            within = match within.part(part) {
                Some(part) => part,
                None => return Err(Missing { depth, within: within.describe() }),
            };
        }
        Ok(if is_singular { within } else { within.list_of() })
    }

    /// Returns the type of a list's items; `None` if no value is a list.
    pub(crate) fn items(&self) -> Option<Self> {
        self.each(|variant| variant.item(None))
    }

    fn part(&self, part: &Part) -> Option<Self> {
        self.each(|variant| match part {
            Part::Name(name) => variant.field(name),
            Part::Index(index) => variant.item(usize::try_from(*index).ok()),
            Part::All => variant.item_or_field(),
            Part::Slice(_) => variant.item(None),
            Part::Filter(_, fields) => {
                let item = variant.item_or_field()?;
                let has = |path: &Vec<Part>| item.select(path).is_ok();
                fields.iter().all(has).then_some(item)
            }
        })
    }

    /// The union over the variants that have it.
    fn each(&self, part: impl Fn(&Variant<'a>) -> Option<Self>) -> Option<Self> {
        let mut types: Vec<Self> = self.variants().iter().filter_map(part).collect();
        match types.len() {
            0 => None,
            1 => types.pop(),
            _ if types.iter().any(|part| matches!(part, Self::Any)) => Some(Self::Any),
            _ => Some(Self::OneOf(types)),
        }
    }
}

impl<'a> View<'a> {
    fn get(&self, keyword: &str) -> Option<&'a Value> {
        self.schema.as_object()?.get(keyword)
    }

    fn list(&self, keyword: &str) -> &'a [Value] {
        self.get(keyword).and_then(Value::as_array).map_or(&[], Vec::as_slice)
    }

    fn at(self, schema: &'a Value) -> Self {
        Self { schema, ..self }
    }
}

#[cfg(test)]
mod tests;
