//! A field of the struct.

use proc_macro2::Span;
use syn::{Error, Expr, Ident, LitStr, Result, Type};

use super::{
    full_text::FullTextOptions,
    kind::{KeyKind, Kind},
    options::FieldOptions,
    vector::VectorOptions,
};
use crate::{
    documentation::description,
    errors::Errors,
    serde_names::{ContainerNames, FieldSerde, SerdeDirection},
};

pub(super) struct Field<'a> {
    pub(super) ident: &'a Ident,
    pub(super) ty: &'a Type,
    /// The name in the store.
    pub(super) name: String,
    pub(super) role: Role,
    pub(super) has_text_order: bool,
    /// Whether serde writes the field like its type.
    pub(super) plain: bool,
}

pub(super) enum Role {
    Key(KeyKind),
    Data(Box<Data>),
    Vector(Box<Vector>),
}

pub(super) struct Data {
    pub(super) kind: Kind,
    pub(super) description: String,
    pub(super) filterable: bool,
    pub(super) offered_to_model: bool,
    pub(super) full_text: Option<FullTextOptions>,
}

pub(super) struct Vector {
    pub(super) dimensions: Expr,
    pub(super) options: VectorOptions,
    pub(super) is_read: bool,
}

impl<'a> Field<'a> {
    /// `None` if it isn't part of the record.
    pub(super) fn read(
        field: &'a syn::Field,
        ident: &'a Ident,
        names: &ContainerNames,
        options: &mut FieldOptions,
    ) -> Result<Option<Self>> {
        let serde = FieldSerde::read(&field.attrs, SerdeDirection::Both)?;
        let name = names.name_of(ident, &serde);
        let has_text_order = options.without_text_order.is_none();
        let made = |role| Self {
            ident,
            ty: &field.ty,
            name,
            role,
            has_text_order,
            plain: !serde.written_by_hand,
        };
        if options.vector.is_some() {
            return Ok(Some(made(vector(field, &serde, options)?)));
        }
        if options.key.is_none() && (serde.is_skipped() || serde.flattened) {
            refuse_all(options, if serde.is_skipped() { "skips" } else { "flattens" })?;
            return Ok(None);
        }
        if let Some(key) = options.key {
            if serde.is_skipped() || serde.flattened {
                return Err(Error::new(
                    key,
                    "a key is written with the record: serde may not skip or flatten it",
                ));
            }
            let wrong = options.of_data().find(|(key, _)| is_of_data_alone(key));
            if let Some((wrong, span)) = wrong {
                let message =
                    format!("`{wrong}` goes on other fields: filters may name the key anyway");
                return Err(Error::new(span, message));
            }
            return Ok(Some(made(Role::Key(KeyKind::read(options.kind.as_ref(), &field.ty)?))));
        }
        Ok(Some(made(data(field, options)?)))
    }
}

fn is_of_data_alone(key: &str) -> bool {
    ["filterable", "offered_to_model", "full_text", "published"].contains(&key)
}

/// For a field that stores don't see.
fn refuse_all(options: &FieldOptions, does: &str) -> Result<()> {
    match options.of_data().next() {
        Some((key, span)) => {
            let message = format!(
                "serde {does} this field, so a store has nothing under its name to be `{key}`"
            );
            Err(Error::new(span, message))
        }
        None => Ok(()),
    }
}

fn data(field: &syn::Field, options: &mut FieldOptions) -> Result<Role> {
    let kind = match &options.kind {
        Some(kind) => Kind::named(kind)?,
        None => Kind::from_type(&field.ty),
    };
    let mut errors = Errors::default();
    if let Some((span, _)) = &options.full_text
        && !kind.is_text()
    {
        errors.add(Error::new(*span, "words are searched in texts, lists of texts and JSON"));
    }
    if let Some(span) = options.published
        && !kind.is_date()
    {
        let message = "a date is a `DateTime`, or a text in RFC 3339: for another type that is written so, add \
                       `kind = \"date_time\"`";
        errors.add(Error::new(span, message));
    }
    errors.check()?;
    let described = options.description.as_ref().map(LitStr::value);
    Ok(Role::Data(Box::new(Data {
        kind,
        description: described.unwrap_or_else(|| description(&field.attrs)),
        filterable: options.filterable.is_some(),
        offered_to_model: options.offered_to_model.is_some(),
        full_text: options.full_text.take().map(|(_, full_text)| full_text),
    })))
}

fn vector(field: &syn::Field, serde: &FieldSerde, options: &mut FieldOptions) -> Result<Role> {
    let mut errors = Errors::default();
    for (key, span) in options.of_data() {
        let message =
            format!("a vector is compared, and neither filtered nor read: it cannot be `{key}`");
        errors.add(Error::new(span, message));
    }
    if let Some(span) = options.key {
        errors.add(Error::new(span, "a vector cannot be a key"));
    }
    if let Some(kind) = &options.kind {
        errors.at(kind, "a vector has no kind: its type is a list of `f32`");
    }
    if serde.flattened {
        errors.at(&field.ty, "a vector has a name of its own: serde may not flatten it");
    }
    if serde.read_by_hand && !serde.unread {
        let message = "a vector is stored apart from what serde writes, so serde cannot read it in a way of its own: \
                       use `#[serde(skip)]`, and it is stored all the same";
        errors.at(&field.ty, message);
    }
    let (_, vector) =
        options.vector.take().unwrap_or_else(|| (Span::call_site(), VectorOptions::default()));
    let dimensions = errors.keep(vector.dimensions(&field.ty));
    errors.check()?;
    let missing = || Error::new_spanned(&field.ty, "a vector needs its number of elements");
    Ok(Role::Vector(Box::new(Vector {
        dimensions: dimensions.ok_or_else(missing)?,
        options: vector,
        is_read: !serde.unread,
    })))
}
