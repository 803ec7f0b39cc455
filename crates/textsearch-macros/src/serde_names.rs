//! Serde's names for fields.

use quote::ToTokens as _;
use syn::{
    Attribute, Error, Ident, LitStr, Result, Token, ext::IdentExt as _, meta::ParseNestedMeta,
    parse::ParseStream,
};

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum SerdeDirection {
    Both,
    Written,
}

#[derive(Default)]
pub(crate) struct ContainerNames {
    rename_all: Option<LitStr>,
}

#[derive(Default)]
pub(crate) struct FieldSerde {
    rename: Option<LitStr>,
    pub(crate) unwritten: bool,
    pub(crate) unread: bool,
    /// Its own fields replace the field.
    pub(crate) flattened: bool,
    /// The field serializes differently from its type.
    pub(crate) written_by_hand: bool,
    /// The field deserializes differently from its type.
    pub(crate) read_by_hand: bool,
}

impl ContainerNames {
    pub(crate) fn read(attributes: &[Attribute], direction: SerdeDirection) -> Result<Self> {
        let mut names = Self::default();
        read_serde(attributes, |meta| {
            let key = meta.path.to_token_stream().to_string();
            match key.as_str() {
                "rename_all" => names.rename_all = name(meta, "rename_all", direction)?,
                key if direction == SerdeDirection::Both && OTHER_SHAPES.contains(&key) => {
                    let message = format!(
                        "a record is written as an object of its fields: `{key}` is something else"
                    );
                    return Err(meta.error(message));
                }
                _ => ignore(meta)?,
            }
            Ok(())
        })?;
        if let Some(rule) = &names.rename_all
            && apply(&rule.value(), "a").is_none()
        {
            let message = format!("serde knows no such rule: there are `{}`", RULES.join("`, `"));
            return Err(Error::new_spanned(rule, message));
        }
        Ok(names)
    }

    pub(crate) fn name_of(&self, ident: &Ident, field: &FieldSerde) -> String {
        let plain = ident.unraw().to_string();
        match (&field.rename, &self.rename_all) {
            (Some(name), _) => name.value(),
            (None, Some(rule)) => apply(&rule.value(), &plain).unwrap_or(plain),
            (None, None) => plain,
        }
    }
}

impl FieldSerde {
    pub(crate) fn is_skipped(&self) -> bool {
        self.unwritten || self.unread
    }

    pub(crate) fn read(attributes: &[Attribute], direction: SerdeDirection) -> Result<Self> {
        let mut field = Self::default();
        read_serde(attributes, |meta| {
            match meta.path.to_token_stream().to_string().as_str() {
                "rename" => field.rename = name(meta, "rename", direction)?,
                "skip" => (field.unwritten, field.unread) = (true, true),
                "skip_serializing" => field.unwritten = true,
                "skip_deserializing" => field.unread = true,
                "flatten" => field.flattened = true,
                key @ ("with" | "serialize_with" | "deserialize_with") => {
                    field.written_by_hand |= key != "deserialize_with";
                    field.read_by_hand |= key != "serialize_with";
                    ignore(meta)?;
                }
                _ => ignore(meta)?,
            }
            Ok(())
        })?;
        Ok(field)
    }
}

fn read_serde(
    attributes: &[Attribute],
    mut read: impl FnMut(&ParseNestedMeta<'_>) -> Result<()>,
) -> Result<()> {
    let serde = attributes.iter().filter(|attribute| attribute.path().is_ident("serde"));
    serde.into_iter().try_for_each(|attribute| attribute.parse_nested_meta(|meta| read(&meta)))
}

/// The value may differ for writing and reading, unless records go both ways.
fn name(
    meta: &ParseNestedMeta<'_>,
    key: &str,
    direction: SerdeDirection,
) -> Result<Option<LitStr>> {
    if meta.input.peek(Token![=]) {
        return meta.value()?.parse().map(Some);
    }
    let (mut written, mut read): (Option<LitStr>, Option<LitStr>) = (None, None);
    meta.parse_nested_meta(|inner| {
        let is_written = inner.path.is_ident("serialize");
        let name = inner.value()?.parse()?;
        *(if is_written { &mut written } else { &mut read }) = Some(name);
        Ok(())
    })?;
    match (&written, &read) {
        _ if direction == SerdeDirection::Written => Ok(written),
        (Some(name), Some(other)) if name.value() == other.value() => Ok(written),
        _ => {
            let message =
                format!("what is stored is read back: write `{key} = \"…\"`, one name for both");
            Err(meta.error(message))
        }
    }
}

/// Skips a value that doesn't matter here.
fn ignore(meta: &ParseNestedMeta<'_>) -> Result<()> {
    if meta.input.peek(Token![=]) {
        let _: syn::Expr = meta.value()?.parse()?;
    } else if meta.input.peek(syn::token::Paren) {
        let inside;
        syn::parenthesized!(inside in meta.input);
        skip_all(&inside)?;
    }
    Ok(())
}

fn skip_all(input: ParseStream<'_>) -> Result<()> {
    let _: proc_macro2::TokenStream = input.parse()?;
    Ok(())
}

/// They serialize a struct as something other than an object of its fields.
const OTHER_SHAPES: [&str; 6] = ["transparent", "remote", "untagged", "into", "from", "try_from"];

const RULES: [&str; 8] = [
    "lowercase",
    "UPPERCASE",
    "PascalCase",
    "camelCase",
    "snake_case",
    "SCREAMING_SNAKE_CASE",
    "kebab-case",
    "SCREAMING-KEBAB-CASE",
];

fn apply(rule: &str, name: &str) -> Option<String> {
    Some(match rule {
        "lowercase" | "snake_case" => name.to_owned(),
        "UPPERCASE" | "SCREAMING_SNAKE_CASE" => name.to_ascii_uppercase(),
        "PascalCase" => pascal(name),
        "camelCase" => {
            let name = pascal(name);
            let first = name.chars().next().map(|first| first.to_ascii_lowercase());
            first.into_iter().chain(name.chars().skip(1)).collect()
        }
        "kebab-case" => name.replace('_', "-"),
        "SCREAMING-KEBAB-CASE" => name.to_ascii_uppercase().replace('_', "-"),
        _ => return None,
    })
}

fn pascal(name: &str) -> String {
    let mut is_start = true;
    let mut made = String::new();
    for letter in name.chars() {
        if letter == '_' {
            is_start = true;
        } else if is_start {
            made.push(letter.to_ascii_uppercase());
            is_start = false;
        } else {
            made.push(letter);
        }
    }
    made
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Made by serde's own derive, in the order of [`RULES`].
    #[test]
    fn rename_rules_match_serde() {
        let expected = [
            "is_new2_page",
            "IS_NEW2_PAGE",
            "IsNew2Page",
            "isNew2Page",
            "is_new2_page",
            "IS_NEW2_PAGE",
            "is-new2-page",
            "IS-NEW2-PAGE",
        ];
        let made: Vec<_> = RULES.iter().map(|rule| apply(rule, "is_new2_page")).collect();
        assert_eq!(made, expected.map(|name| Some(name.to_owned())));
        assert_eq!(apply("Title Case", "a"), None);
    }
}
