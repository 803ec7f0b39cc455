//! The kind of a field.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Error, Expr, GenericArgument, LitStr, PathArguments, Result, Type, TypePath};

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    String,
    Integer,
    Number,
    Boolean,
    DateTime,
    Strings,
    Json,
}

#[derive(Clone, Copy)]
pub(super) enum KeyKind {
    String,
    Integer,
    Uuid,
}

const KINDS: [(&str, Kind); 7] = [
    ("string", Kind::String),
    ("integer", Kind::Integer),
    ("number", Kind::Number),
    ("boolean", Kind::Boolean),
    ("date_time", Kind::DateTime),
    ("strings", Kind::Strings),
    ("json", Kind::Json),
];

const UNSIGNED: [&str; 5] = ["u8", "u16", "u32", "u64", "usize"];

impl Kind {
    pub(super) fn named(name: &LitStr) -> Result<Self> {
        let value = name.value();
        let entry = KINDS.iter().find(|(known, _)| *known == value);
        entry.map(|(_, kind)| *kind).ok_or_else(|| {
            let known = KINDS.map(|(known, _)| known).join("`, `");
            Error::new_spanned(name, format!("unknown kind `{value}`: allowed are `{known}`"))
        })
    }

    /// JSON for unknown types.
    pub(super) fn from_type(ty: &Type) -> Self {
        let ty = inside("Option", ty).unwrap_or(ty);
        if is_text(ty) {
            return Self::String;
        }
        let is_list = ["Vec", "BTreeSet", "HashSet", "VecDeque"];
        if is_list.iter().any(|list| inside(list, ty).is_some_and(is_text)) {
            return Self::Strings;
        }
        match last_name(ty).as_deref() {
            Some("bool") => Self::Boolean,
            Some("f32" | "f64") => Self::Number,
            Some("i8" | "i16" | "i32" | "i64" | "isize") => Self::Integer,
            Some("DateTime") => Self::DateTime,
            Some(name) if UNSIGNED.contains(&name) => Self::Integer,
            _ => Self::Json,
        }
    }

    pub(super) fn is_text(self) -> bool {
        matches!(self, Self::String | Self::Strings | Self::Json)
    }

    pub(super) fn is_date(self) -> bool {
        matches!(self, Self::DateTime | Self::String)
    }

    pub(super) fn variant(self) -> TokenStream {
        match self {
            Self::String => quote!(String),
            Self::Integer => quote!(Integer),
            Self::Number => quote!(Number),
            Self::Boolean => quote!(Boolean),
            Self::DateTime => quote!(DateTime),
            Self::Strings => quote!(Strings),
            Self::Json => quote!(Json),
        }
    }
}

impl KeyKind {
    pub(super) fn read(named: Option<&LitStr>, ty: &Type) -> Result<Self> {
        match named.map(LitStr::value).as_deref() {
            Some("string") => Ok(Self::String),
            Some("integer") => Ok(Self::Integer),
            Some("uuid") => Ok(Self::Uuid),
            Some(other) => {
                let message =
                    format!("unknown kind `{other}`: a key is `string`, `integer` or `uuid`");
                Err(Error::new_spanned(named, message))
            }
            None => Self::from_type(ty).ok_or_else(|| {
                let message = "a key is a `String`, an unsigned integer or a `uuid::Uuid`: for another type say what it is \
                               written as, by `kind = \"string\"`, `\"integer\"` or `\"uuid\"`";
                Error::new_spanned(ty, message)
            }),
        }
    }

    fn from_type(ty: &Type) -> Option<Self> {
        if is_text(ty) {
            return Some(Self::String);
        }
        match last_name(ty)?.as_str() {
            "Uuid" => Some(Self::Uuid),
            name if UNSIGNED.contains(&name) => Some(Self::Integer),
            _ => None,
        }
    }

    pub(super) fn variant(self) -> TokenStream {
        match self {
            Self::String => quote!(String),
            Self::Integer => quote!(Integer),
            Self::Uuid => quote!(Uuid),
        }
    }
}

/// Behind any reference or smart pointer.
pub(super) fn is_text(ty: &Type) -> bool {
    match ungrouped(ty) {
        Type::Reference(reference) => is_text(&reference.elem),
        ty => match last_name(ty).as_deref() {
            Some("String" | "str") => true,
            Some(list @ ("Box" | "Arc" | "Cow")) => inside(list, ty).is_some_and(is_text),
            _ => false,
        },
    }
}

pub(super) fn inside_option(ty: &Type) -> Option<&Type> {
    inside("Option", ty)
}

pub(super) fn array_length(ty: &Type) -> Option<&Expr> {
    match ungrouped(inside("Option", ty).unwrap_or(ty)) {
        Type::Array(array) => Some(&array.len),
        _ => None,
    }
}

/// The last type argument: the only one, or `T` in `Cow<'a, T>`.
fn inside<'a>(name: &str, ty: &'a Type) -> Option<&'a Type> {
    let Type::Path(TypePath { qself: None, path, .. }) = ungrouped(ty) else { return None };
    let last = path.segments.last().filter(|segment| segment.ident == name)?;
    let PathArguments::AngleBracketed(arguments) = &last.arguments else { return None };
    let types = arguments.args.iter().filter_map(|argument| match argument {
        GenericArgument::Type(inside) => Some(inside),
        _ => None,
    });
    types.last()
}

/// Removes parentheses, also the invisible ones that a macro adds.
fn ungrouped(ty: &Type) -> &Type {
    match ty {
        Type::Group(group) => ungrouped(&group.elem),
        Type::Paren(group) => ungrouped(&group.elem),
        ty => ty,
    }
}

fn last_name(ty: &Type) -> Option<String> {
    match ungrouped(ty) {
        Type::Path(TypePath { qself: None, path, .. }) => {
            path.segments.last().map(|segment| segment.ident.to_string())
        }
        _ => None,
    }
}
