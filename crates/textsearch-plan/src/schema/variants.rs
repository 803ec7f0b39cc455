//! The values of a variant: their kinds, fields and items.

use serde_json::Value;

use super::{Fuel, Kinds, Type, View, expand};
use crate::{order::is_same, reference::is_name};

/// Values of one form: all of its schemas apply, and none has a `$ref` or alternatives.
#[derive(Debug, Clone)]
pub(crate) enum Variant<'a> {
    Any,
    Schemas(Vec<View<'a>>),
    List(Type<'a>),
    Literal(&'a Value),
}

impl<'a> Variant<'a> {
    pub(super) fn of(views: Vec<View<'a>>) -> Self {
        if views.is_empty() { Self::Any } else { Self::Schemas(views) }
    }

    pub(super) fn views(&self) -> &[View<'a>] {
        match self {
            Self::Schemas(views) => views,
            _ => &[],
        }
    }

    pub(crate) fn kinds(&self) -> Kinds {
        self.kinds_and_listed().0
    }

    /// Returns how many values its schemas list too, since each was visited.
    pub(super) fn kinds_and_listed(&self) -> (Kinds, usize) {
        match self {
            Self::Any => (Kinds::ALL, 0),
            Self::List(_) => (Kinds::LIST, 0),
            Self::Literal(value) => (Kinds::of(value), 1),
            Self::Schemas(views) => views.iter().fold((Kinds::ALL, 0), |(all, count), view| {
                let (kinds, listed) = kinds_of(*view);
                (all.and(kinds), count + listed)
            }),
        }
    }

    /// The values of `enum` or `const`, if there are any.
    pub(super) fn allowed(&self) -> Option<&'a [Value]> {
        match self {
            Self::Literal(value) => Some(std::slice::from_ref(*value)),
            Self::Schemas(views) => views.iter().find_map(|view| allowed_by(*view)),
            _ => None,
        }
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
            Self::Schemas(views) => {
                let mut found = Vec::new();
                let (mut is_closed, mut is_open) = (false, false);
                for view in views {
                    let property = view.get("properties").and_then(|all| all.get(name));
                    match (property, view.get("additionalProperties")) {
                        (Some(schema), _) => found.push(view.at(schema)),
                        // `additionalProperties` ignores names that match a pattern.
                        (None, _) if view.has_patterns() => is_open = true,
                        (None, Some(Value::Bool(false))) => is_closed = true,
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

    pub(super) fn any_field(&self) -> Option<Type<'a>> {
        match self {
            Self::Any => Some(Type::Any),
            Self::Schemas(_) if self.kinds().meets(Kinds::OBJECT) => {
                let names: Vec<&str> = self.field_names().collect();
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
            Self::Schemas(views) => {
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

    /// Declared fields, the short ones first that a reference can name with a dot.
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

impl View<'_> {
    fn has_patterns(&self) -> bool {
        self.get("patternProperties").is_some()
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

fn kinds_of(view: View<'_>) -> (Kinds, usize) {
    if view.schema == false {
        return (Kinds::NONE, 0);
    }
    let named = view.get("type").map_or(Kinds::ALL, Kinds::named);
    match allowed_by(view) {
        Some(values) => {
            let listed = values.iter().fold(Kinds::NONE, |all, one| all.or(Kinds::of(one)));
            (named.and(listed), values.len())
        }
        None => (named, 0),
    }
}

fn allowed_by<'a>(view: View<'a>) -> Option<&'a [Value]> {
    let constant = view.get("const").map(std::slice::from_ref);
    constant.or_else(|| view.get("enum")?.as_array().map(Vec::as_slice))
}

pub(super) fn lists(allowed: &[Value], value: &Value) -> bool {
    allowed.iter().any(|one| is_same(one, value))
}
