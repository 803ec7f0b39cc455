//! The values of a variant: their kinds, fields and items.

use serde_json::Value;

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
    /// The values that each `enum` and `const` lists, if there is one.
    allowed: Option<Vec<&'a Value>>,
}

impl<'a> Variant<'a> {
    /// Spent fuel gives a variant that accepts everything.
    pub(super) fn of(views: Vec<View<'a>>, fuel: &mut Fuel) -> Self {
        if views.is_empty() || fuel.is_spent() {
            return Self::Any;
        }
        let mut allowed: Option<Vec<&Value>> = None;
        for list in views.iter().filter_map(|view| view.allowed()) {
            fuel.burn_for(list.len() * allowed.as_ref().map_or(1, Vec::len));
            if fuel.is_spent() {
                return Self::Any;
            }
            match &mut allowed {
                Some(allowed) => {
                    allowed.retain(|value| list.iter().any(|one| is_same(one, value)));
                }
                None => allowed = Some(list.iter().collect()),
            }
        }
        let named = views.iter().fold(Kinds::ALL, |all, view| all.and(view.kinds()));
        let kinds = match &allowed {
            Some(values) => {
                named.and(values.iter().fold(Kinds::NONE, |all, one| all.or(Kinds::of(one))))
            }
            None => named,
        };
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

    /// The values of `enum` or `const`, if there are any.
    pub(super) fn allowed(&self) -> Option<&[&'a Value]> {
        match self {
            Self::Literal(value) => Some(std::slice::from_ref(value)),
            Self::Schemas(schemas) => schemas.allowed.as_deref(),
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
            Self::Schemas(Schemas { views, .. }) => {
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

impl<'a> View<'a> {
    fn has_patterns(&self) -> bool {
        self.get("patternProperties").is_some()
    }

    /// The values that `const` or `enum` lists.
    pub(super) fn allowed(&self) -> Option<&'a [Value]> {
        let constant = self.get("const").map(std::slice::from_ref);
        constant.or_else(|| self.get("enum")?.as_array().map(Vec::as_slice))
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

pub(super) fn lists(allowed: &[&Value], value: &Value) -> bool {
    allowed.iter().any(|one| is_same(one, value))
}
