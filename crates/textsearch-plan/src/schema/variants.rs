//! The values of a variant: their kinds, fields and items.

use serde_json::Value;

use super::{Kinds, Type, View};
use crate::reference::is_name;

/// Values of one form: all of its schemas apply, and none has a `$ref` or alternatives.
#[derive(Debug, Clone)]
pub(crate) enum Variant<'a> {
    Any,
    Schemas(Vec<View<'a>>),
    List(Type<'a>),
    Literal(&'a Value),
}

impl<'a> Variant<'a> {
    pub(super) fn views(&self) -> &[View<'a>] {
        match self {
            Self::Schemas(views) => views,
            _ => &[],
        }
    }

    pub(crate) fn kinds(&self) -> Kinds {
        match self {
            Self::Any => Kinds::ALL,
            Self::List(_) => Kinds::LIST,
            Self::Literal(value) => Kinds::from_value(value),
            Self::Schemas(views) => {
                views.iter().fold(Kinds::ALL, |all, view| all.and(view.kinds()))
            }
        }
    }

    /// The values that it may have, if a schema lists them. Another schema may exclude some.
    pub(super) fn listed(&self) -> Option<&'a [Value]> {
        match self {
            Self::Literal(value) => Some(std::slice::from_ref(*value)),
            _ => self.views().iter().flat_map(|view| view.lists()).min_by_key(|list| list.len()),
        }
    }

    /// Whether objects have no other fields than the listed ones.
    pub(crate) fn is_closed(&self) -> bool {
        self.views().iter().any(|view| view.is_closed())
    }

    /// `None` if values have no such field. A schema that lists properties lists all of them, unless
    /// it says that there are others.
    pub(super) fn field(&self, name: &str) -> Option<Type<'a>> {
        if !self.kinds().meets(Kinds::OBJECT) {
            return None;
        }
        match self {
            Self::Any => Some(Type::Any),
            Self::List(_) => None,
            Self::Literal(value) => value.get(name).map(Type::Literal),
            Self::Schemas(views) => field_of(views, name),
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
                let items: Vec<View<'a>> =
                    views.iter().filter_map(|view| view.item(index)).collect();
                Some(if items.is_empty() { Type::Any } else { Type::Schemas(items) })
            }
        }
    }

    /// What `*` selects: an item of a list, or a field of an object, which has any type.
    pub(super) fn item_or_field(&self) -> Option<Type<'a>> {
        let is_object = self.kinds().meets(Kinds::OBJECT);
        self.item(None).or(is_object.then_some(Type::Any))
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
        self.views().iter().flat_map(View::required)
    }
}

fn field_of<'a>(views: &[View<'a>], name: &str) -> Option<Type<'a>> {
    let mut declared = Vec::new();
    let mut is_closed = false;
    let mut is_open = false;
    for view in views {
        let property = view.get("properties").and_then(|all| all.get(name));
        match (property, view.get("additionalProperties")) {
            (Some(schema), _) => declared.push(view.at(schema)),
            // `additionalProperties` ignores names that match a pattern.
            (None, _) if view.has_patterns() => is_open = true,
            // Whatever other schemas declare.
            (None, Some(Value::Bool(false))) => return None,
            (None, Some(schema)) => declared.push(view.at(schema)),
            (None, None) => is_closed |= view.get("properties").is_some(),
        }
    }
    if !declared.is_empty() {
        Some(Type::Schemas(declared))
    } else if is_closed && !is_open {
        None
    } else {
        Some(Type::Any)
    }
}

impl<'a> View<'a> {
    pub(super) fn kinds(&self) -> Kinds {
        /// Beyond these, a list says nothing about kinds.
        const MAX_LISTED: usize = 1_000;
        let named = match self.get("type") {
            _ if *self.schema == false => Kinds::NONE,
            Some(names) => Kinds::named(names),
            None => Kinds::ALL,
        };
        let lists = self.lists().filter(|list| list.len() <= MAX_LISTED);
        lists.fold(named, |all, list| {
            all.and(
                list.iter().fold(Kinds::NONE, |kinds, value| kinds.or(Kinds::from_value(value))),
            )
        })
    }

    /// The values of `const` and of `enum`: both must list a value.
    pub(super) fn lists(&self) -> impl Iterator<Item = &'a [Value]> + use<'a> {
        let constant = self.get("const").map(std::slice::from_ref);
        let listed = self.get("enum").and_then(Value::as_array).map(Vec::as_slice);
        constant.into_iter().chain(listed)
    }

    pub(super) fn required(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        let names = self.get("required").and_then(Value::as_array);
        names.into_iter().flatten().filter_map(Value::as_str)
    }

    pub(super) fn is_closed(&self) -> bool {
        self.get("additionalProperties").is_some_and(|extra| *extra == false)
            && !self.has_patterns()
    }

    pub(super) fn has_patterns(&self) -> bool {
        self.get("patternProperties").is_some()
    }

    /// Without an index, `None` if items differ.
    pub(super) fn item(&self, index: Option<usize>) -> Option<Self> {
        let first = self.get("prefixItems").and_then(Value::as_array);
        let schema = match (first, index) {
            (Some(first), Some(index)) if index < first.len() => first.get(index),
            (Some(_), None) => None,
            _ => self.get("items"),
        };
        schema.map(|schema| self.at(schema))
    }

    /// `None` if it isn't in the document.
    pub(super) fn referenced(&self, reference: &str) -> Option<Self> {
        Some(self.at(self.document.pointer(reference.strip_prefix('#')?)?))
    }
}
