//! The whole struct: one key, one field per result part, and existing sources.

use std::collections::BTreeMap;

use proc_macro2::Span;
use syn::{DeriveInput, Error, FieldsNamed, Ident, Result};

use super::{
    field::{Field, Role},
    options::{FieldOptions, StructOptions},
};
use crate::{
    errors::Errors,
    serde_names::{ContainerNames, SerdeDirection},
};

pub(super) struct Structure<'a> {
    pub(super) ident: &'a Ident,
    pub(super) options: StructOptions,
    pub(super) fields: Vec<Field<'a>>,
    /// The fields' names, by part of a result.
    pub(super) parts: BTreeMap<&'static str, String>,
}

impl<'a> Structure<'a> {
    pub(super) fn read(input: &'a DeriveInput, fields: &'a FieldsNamed) -> Result<Self> {
        if let Some(parameter) = input.generics.params.first() {
            let message = "a record is read from a store, which knows one definition of it: it has no generics or lifetimes";
            return Err(Error::new_spanned(parameter, message));
        }
        let mut errors = Errors::default();
        let options = errors.keep(StructOptions::read(&input.attrs));
        let names = errors
            .keep(ContainerNames::read(&input.attrs, SerdeDirection::Both))
            .unwrap_or_default();
        let mut reader =
            Reader { errors, names, keys: Vec::new(), parts: BTreeMap::new(), fields: Vec::new() };
        fields.named.iter().for_each(|field| reader.add(field));
        reader.check_key(&input.ident);
        reader.check_sources();
        let Reader { errors, parts, fields, .. } = reader;
        errors.check()?;
        Ok(Self { ident: &input.ident, options: options.unwrap_or_default(), fields, parts })
    }

    pub(super) fn key(&self) -> Option<(&Field<'a>, super::kind::KeyKind)> {
        self.fields.iter().find_map(|field| match &field.role {
            Role::Key(kind) => Some((field, *kind)),
            _ => None,
        })
    }

    pub(super) fn vectors(&self) -> impl Iterator<Item = (&Field<'a>, &super::field::Vector)> {
        self.fields.iter().filter_map(|field| match &field.role {
            Role::Vector(vector) => Some((field, vector.as_ref())),
            _ => None,
        })
    }

    /// The store's name for `source` in the code.
    pub(super) fn source(&self, source: &str) -> String {
        named(&self.fields, source).map_or_else(|| source.to_owned(), |field| field.name.clone())
    }
}

struct Reader<'a> {
    errors: Errors,
    names: ContainerNames,
    keys: Vec<Span>,
    parts: BTreeMap<&'static str, String>,
    fields: Vec<Field<'a>>,
}

impl<'a> Reader<'a> {
    fn add(&mut self, field: &'a syn::Field) {
        let Some(ident) = &field.ident else { return };
        let Some(mut options) = self.errors.keep(FieldOptions::read(&field.attrs)) else {
            // Count a field of unknown role as a key, to avoid a second error about a missing key.
            self.keys.push(ident.span());
            return;
        };
        self.keys.extend(options.key);
        if self.keys.len() > 1
            && let Some(key) = options.key
        {
            self.errors.add(Error::new(key, "a record has one key: another field has it already"));
        }
        let parts: Vec<(&'static str, Span)> =
            options.of_data().filter(|(part, _)| is_part(part)).collect();
        let read = Field::read(field, ident, &self.names, &mut options);
        let Some(Some(read)) = self.errors.keep(read) else { return };
        for (part, span) in parts {
            if self.parts.insert(part, read.name.clone()).is_some() {
                let message =
                    format!("one field is the `{part}` of a result: another is it already");
                self.errors.add(Error::new(span, message));
            }
        }
        self.fields.push(read);
    }

    fn check_key(&mut self, ident: &Ident) {
        if self.keys.is_empty() {
            let message =
                "a record needs a key: mark the field that identifies it with `#[record(key)]`";
            self.errors.at(ident, message);
        }
    }

    fn check_sources(&mut self) {
        let vectors = self.fields.iter().filter_map(|field| match &field.role {
            Role::Vector(vector) => Some(vector),
            _ => None,
        });
        let sources = vectors.flat_map(|vector| &vector.options.embedded_from);
        let is_readable = |field: &Field<'_>| !matches!(field.role, Role::Vector(_));
        for source in sources {
            if named(&self.fields, &source.name).is_some_and(is_readable) {
                continue;
            }
            let known = self.fields.iter().filter(|field| is_readable(field));
            let known: Vec<String> = known.map(|field| field.ident.to_string()).collect();
            let message = format!(
                "no field to embed is called `{}`: there are `{}`",
                source.name,
                known.join("`, `")
            );
            self.errors.at(&source.tokens, &message);
        }
    }
}

/// By its name in the code, or else in the store.
fn named<'b, 'a>(fields: &'b [Field<'a>], name: &str) -> Option<&'b Field<'a>> {
    use syn::ext::IdentExt as _;
    let in_code = fields.iter().find(|field| field.ident.unraw() == name);
    in_code.or_else(|| fields.iter().find(|field| field.name == name))
}

fn is_part(key: &str) -> bool {
    ["name", "value", "link", "published"].contains(&key)
}
