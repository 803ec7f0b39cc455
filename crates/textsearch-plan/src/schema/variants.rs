//! The values of a variant: their kinds, fields and items.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::{Fuel, Kinds, Type, View, expand};
use crate::{order::is_same, reference::is_name};

/// Values of one form: all of its schemas apply, and none has a `$ref` or alternatives.
#[derive(Debug, Clone)]
pub(crate) enum Variant<'a> {
    Any,
    Schemas(Schemas<'a>),
    List(Type<'a>),
    Literal(&'a Value),
}

#[derive(Debug, Clone)]
pub(crate) struct Schemas<'a> {
    views: Vec<View<'a>>,
    kinds: Kinds,
    /// The one list of values, or the values that several lists share.
    allowed: Option<(&'a [Value], Vec<&'a Value>)>,
}

/// The values that each `enum` and `const` lists. A single list isn't copied.
#[derive(Debug, Clone, Copy)]
pub(super) struct Allowed<'a, 'v> {
    listed: &'a [Value],
    shared: &'v [&'a Value],
}

impl<'a, 'v> Allowed<'a, 'v> {
    pub(super) fn iter(self) -> impl Iterator<Item = &'a Value> + use<'a, 'v> {
        self.listed.iter().chain(self.shared.iter().copied())
    }

    pub(super) fn len(self) -> usize {
        self.listed.len() + self.shared.len()
    }

    pub(super) fn lists(self, value: &Value, fuel: &mut Fuel) -> bool {
        fuel.burn_for(self.len().saturating_mul(weight(value)));
        self.iter().any(|one| is_same(one, value))
    }
}

/// The comparisons that comparing with the value costs.
fn weight(value: &Value) -> usize {
    match value {
        Value::String(text) => 1 + text.len() / 64,
        Value::Array(items) => items.iter().map(weight).fold(1, usize::saturating_add),
        Value::Object(fields) => {
            let field = |(name, value): (&String, &Value)| 1 + name.len() / 64 + weight(value);
            fields.iter().map(field).fold(1, usize::saturating_add)
        }
        _ => 1,
    }
}

impl<'a> Variant<'a> {
    /// Spent fuel gives a variant that accepts everything.
    pub(super) fn of(views: Vec<View<'a>>, fuel: &mut Fuel) -> Self {
        if views.is_empty() || !fuel.burn_for(views.len()) {
            return Self::Any;
        }
        let mut allowed: Option<(&[Value], Vec<&Value>)> = None;
        for list in views.iter().flat_map(|view| view.lists()) {
            allowed = Some(match allowed {
                None => (list, Vec::new()),
                Some((listed, shared)) => {
                    let known = Allowed { listed, shared: &shared };
                    let weight = list.iter().map(weight).fold(0, usize::saturating_add);
                    if !fuel.burn_for(weight.saturating_mul(known.len().max(1))) {
                        return Self::Any;
                    }
                    let is_listed = |one: &&Value| list.iter().any(|other| is_same(one, other));
                    (&[], known.iter().filter(is_listed).collect())
                }
            });
        }
        let mut kinds = views.iter().fold(Kinds::ALL, |all, view| all.and(view.kinds()));
        if let Some((listed, shared)) = &allowed {
            let known = Allowed { listed, shared };
            if !fuel.burn_for(known.len()) {
                return Self::Any;
            }
            kinds = kinds.and(known.iter().fold(Kinds::NONE, |all, one| all.or(Kinds::of(one))));
        }
        Self::Schemas(Schemas { views, kinds, allowed })
    }

    pub(super) fn views(&self) -> &[View<'a>] {
        match self {
            Self::Schemas(schemas) => &schemas.views,
            _ => &[],
        }
    }

    pub(crate) fn kinds(&self) -> Kinds {
        match self {
            Self::Any => Kinds::ALL,
            Self::List(_) => Kinds::LIST,
            Self::Literal(value) => Kinds::of(value),
            Self::Schemas(schemas) => schemas.kinds,
        }
    }

    /// The values of `enum` and `const`, if there are any.
    pub(super) fn allowed(&self) -> Option<Allowed<'a, '_>> {
        match self {
            Self::Literal(value) => {
                Some(Allowed { listed: std::slice::from_ref(*value), shared: &[] })
            }
            Self::Schemas(schemas) => {
                let (listed, shared) = schemas.allowed.as_ref()?;
                Some(Allowed { listed, shared })
            }
            _ => None,
        }
    }

    /// The memory that it takes, in schemas and listed values.
    pub(super) fn size(&self) -> usize {
        match self {
            Self::Schemas(Schemas { views, allowed, .. }) => {
                let shared = allowed.as_ref().map_or(0, |(_, shared)| shared.len());
                views.len().saturating_add(shared).saturating_add(1)
            }
            _ => 1,
        }
    }

    /// The work to look all its declared and required fields up.
    pub(crate) fn breadth(&self) -> usize {
        let names = |view: &View<'a>| {
            let declared = view.get("properties").and_then(Value::as_object).map_or(0, Map::len);
            declared + view.get("required").and_then(Value::as_array).map_or(0, Vec::len)
        };
        let names = self.views().iter().map(names).fold(1, usize::saturating_add);
        names.saturating_mul(self.views().len().max(1))
    }

    /// Whether objects have no other fields than the listed ones.
    pub(crate) fn is_closed(&self) -> bool {
        let is_shut =
            |view: &View<'a>| view.get("additionalProperties").is_some_and(|extra| *extra == false);
        self.views().iter().any(|view| is_shut(view) && !view.has_patterns())
    }

    /// Returns how many items, from the first, have a schema each (`prefixItems`).
    pub(super) fn first_items(&self) -> usize {
        let lists = self.views().iter().filter_map(|view| view.get("prefixItems")?.as_array());
        lists.map(Vec::len).max().unwrap_or(0)
    }

    /// `None` if values have no such field. A schema that lists properties lists all of them, unless
    /// it says that there are others.
    pub(super) fn field(&self, name: &str) -> Option<Type<'a>> {
        self.kinds().meets(Kinds::OBJECT).then(|| self.field_of_object(name)).flatten()
    }

    /// Like `field`, for a variant that is known to have objects.
    pub(super) fn field_of_object(&self, name: &str) -> Option<Type<'a>> {
        match self {
            Self::Any => Some(Type::Any),
            Self::List(_) => None,
            Self::Literal(value) => value.get(name).map(Type::Literal),
            Self::Schemas(Schemas { views, .. }) => {
                let mut found = Vec::new();
                let (mut is_closed, mut is_open) = (false, false);
                for view in views {
                    let property = view.get("properties").and_then(|all| all.get(name));
                    match (property, view.get("additionalProperties")) {
                        (Some(schema), _) => found.push(view.at(schema)),
                        // `additionalProperties` ignores names that match a pattern.
                        (None, _) if view.has_patterns() => is_open = true,
                        // Whatever other schemas declare.
                        (None, Some(Value::Bool(false))) => return None,
                        (None, Some(schema)) => found.push(view.at(schema)),
                        (None, None) => is_closed |= view.get("properties").is_some(),
                    }
                }
                match found.is_empty() {
                    false => Some(Type::Schemas(found)),
                    true if is_closed && !is_open => None,
                    true => Some(Type::Any),
                }
            }
        }
    }

    pub(super) fn any_field(&self, fuel: &mut Fuel) -> Option<Type<'a>> {
        match self {
            Self::Any => Some(Type::Any),
            Self::Schemas(_) if self.kinds().meets(Kinds::OBJECT) => {
                // Each of many schemas may declare the same fields.
                let names: BTreeSet<&str> = match fuel.burn_for(self.breadth()) {
                    true => self.field_names().collect(),
                    false => return Some(Type::Any),
                };
                fuel.burn_for_alternatives(names.len());
                let is_open = self.views().iter().any(|view| {
                    view.get("additionalProperties").is_some_and(|extra| *extra != false)
                        || view.has_patterns()
                });
                if is_open || names.is_empty() {
                    return Some(Type::Any);
                }
                Some(Type::OneOf(names.into_iter().filter_map(|name| self.field(name)).collect()))
            }
            Self::Literal(Value::Object(fields)) => {
                Some(Type::OneOf(fields.values().map(Type::Literal).collect()))
            }
            _ => None,
        }
    }

    pub(super) fn item(&self, index: Option<usize>) -> Option<Type<'a>> {
        match self {
            Self::Any => Some(Type::Any),
            Self::List(items) => Some(items.clone()),
            Self::Literal(Value::Array(items)) => match index {
                Some(index) => items.get(index).map(Type::Literal),
                None => Some(Type::OneOf(items.iter().map(Type::Literal).collect())),
            },
            Self::Literal(_) => None,
            Self::Schemas(_) if !self.kinds().meets(Kinds::LIST) => None,
            Self::Schemas(Schemas { views, .. }) => {
                let mut found = Vec::new();
                for view in views {
                    let first = view.get("prefixItems").and_then(Value::as_array);
                    let schema = match (first, index) {
                        (Some(first), Some(index)) if index < first.len() => first.get(index),
                        // Items differ: any.
                        (Some(_), None) => continue,
                        _ => view.get("items"),
                    };
                    found.extend(schema.map(|schema| view.at(schema)));
                }
                Some(if found.is_empty() { Type::Any } else { Type::Schemas(found) })
            }
        }
    }

    /// The declared fields. Several schemas may declare the same one.
    pub(super) fn field_names(&self) -> impl Iterator<Item = &'a str> + use<'a, '_> {
        let declared = self.views().iter().filter_map(|view| view.get("properties")?.as_object());
        declared.flat_map(|fields| fields.keys().map(String::as_str))
    }

    /// The declared fields that a reference can name with a dot, with their types.
    pub(crate) fn fields(&self) -> impl Iterator<Item = (&'a str, Type<'a>)> + use<'a, '_> {
        let named = self.field_names().filter(|name| is_name(name));
        named.filter_map(|name| Some((name, self.field(name)?)))
    }

    pub(crate) fn required(&self) -> impl Iterator<Item = &'a str> + use<'a, '_> {
        let lists = self.views().iter().filter_map(|view| view.get("required")?.as_array());
        lists.flatten().filter_map(Value::as_str)
    }
}

impl<'a> View<'a> {
    fn has_patterns(&self) -> bool {
        self.get("patternProperties").is_some()
    }

    /// The values of `const` and `enum`: both must list a value.
    pub(super) fn lists(&self) -> impl Iterator<Item = &'a [Value]> + use<'a> {
        let constant = self.get("const").map(std::slice::from_ref);
        let listed = self.get("enum").and_then(Value::as_array).map(Vec::as_slice);
        constant.into_iter().chain(listed)
    }

    fn kinds(&self) -> Kinds {
        match self.get("type") {
            _ if *self.schema == false => Kinds::NONE,
            Some(names) => Kinds::named(names),
            None => Kinds::ALL,
        }
    }
}

impl<'a> Type<'a> {
    pub(crate) fn variants(&self, fuel: &mut Fuel) -> Vec<Variant<'a>> {
        expand::variants(self, fuel)
    }

    pub(crate) fn kinds(&self, fuel: &mut Fuel) -> Kinds {
        self.variants(fuel).iter().fold(Kinds::NONE, |all, one| all.or(one.kinds()))
    }
}
