//! `#[derive(TextSearchRecord)]`.

use std::collections::BTreeMap;

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::{
    Attribute, DeriveInput, Error, FieldsNamed, Ident, Path, Result, Type, meta::ParseNestedMeta,
    spanned::Spanned as _,
};

use crate::{
    attribute::{crate_path, read_all, set, unknown_key},
    errors::{Errors, or_compile_errors},
    record::{default_core, named_fields},
    schema,
    serde_names::{ContainerNames, FieldSerde, SerdeDirection},
};

/// In the order of assignment.
const PARTS: [&str; 7] = ["value", "name", "link", "id", "published", "score", "metadata"];

const OF_STRUCT: [&str; 2] = ["without_schema", "crate"];

struct StructOptions {
    core: Path,
    has_own_schema: bool,
}

struct Record<'a> {
    options: StructOptions,
    parts: BTreeMap<&'static str, Part<'a>>,
    metadata: Vec<(String, &'a Ident)>,
}

struct Part<'a> {
    ident: &'a Ident,
    ty: &'a Type,
}

pub(crate) fn expand(input: TokenStream) -> TokenStream {
    let made = syn::parse2(input).and_then(|input: DeriveInput| {
        let fields = named_fields(&input, "TextSearchRecord")?;
        let record = Record::read(&input, fields)?;
        let schema = record.schema(&input, fields).transpose()?;
        let implementation = record.implementation(&input);
        Ok(quote!(#implementation #schema))
    });
    or_compile_errors(made)
}

impl<'a> Record<'a> {
    fn read(input: &'a DeriveInput, fields: &'a FieldsNamed) -> Result<Self> {
        let mut errors = Errors::default();
        let options = errors.keep(StructOptions::read(&input.attrs)).unwrap_or_default();
        let names = errors
            .keep(ContainerNames::read(&input.attrs, SerdeDirection::Written))
            .unwrap_or_default();
        let mut record = Self { options, parts: BTreeMap::new(), metadata: Vec::new() };
        for field in &fields.named {
            let Some(ident) = &field.ident else { continue };
            let read =
                read_all(&field.attrs, "result", |meta| record.add(&meta, ident, field, &names));
            errors.keep(read);
        }
        errors.check()?;
        if !record.parts.contains_key("value") {
            let message =
                "a record needs a text: mark the field that holds it with `#[result(value)]`";
            return Err(Error::new_spanned(&input.ident, message));
        }
        Ok(record)
    }

    fn add(
        &mut self,
        meta: &ParseNestedMeta<'_>,
        ident: &'a Ident,
        field: &'a syn::Field,
        names: &ContainerNames,
    ) -> Result<()> {
        let key = meta.path.get_ident().map(ToString::to_string).unwrap_or_default();
        if OF_STRUCT.contains(&key.as_str()) {
            return Err(meta.error(format!("`{key}` goes on the struct")));
        }
        let Some(part) = PARTS.into_iter().find(|part| *part == key) else {
            return Err(unknown_key(meta, &PARTS));
        };
        if part == "metadata" {
            let serde = FieldSerde::read(&field.attrs, SerdeDirection::Written)?;
            if serde.written_by_hand {
                let message = "a fact is written as its type is, and serde writes this field in another way: give it a \
                               type that is written so, or implement `TextSearchRecord` by hand";
                return Err(meta.error(message));
            }
            self.metadata.push((names.name_of(ident, &serde), ident));
            return Ok(());
        }
        if self.parts.values().any(|other| other.ident == ident) {
            return Err(meta.error("a field is one part of a result"));
        }
        match self.parts.insert(part, Part { ident, ty: &field.ty }) {
            None => Ok(()),
            Some(other) => {
                let message = format!(
                    "one field is the `{part}` of a result: `{}` is it already",
                    other.ident
                );
                Err(meta.error(message))
            }
        }
    }

    /// `None` if the type has its own, or `#[record(…)]` shows that `VectorRecord` makes it.
    fn schema(&self, input: &DeriveInput, fields: &FieldsNamed) -> Option<Result<TokenStream>> {
        let mut attributes = fields.named.iter().flat_map(|field| &field.attrs);
        let is_vector_record = attributes.any(|attribute| attribute.path().is_ident("record"));
        (!self.options.has_own_schema && !is_vector_record)
            .then(|| schema::implementation(input, fields, &self.options.core))
    }

    fn implementation(&self, input: &DeriveInput) -> TokenStream {
        let core = &self.options.core;
        let ident = &input.ident;
        let (generics, arguments, bounds) = input.generics.split_for_impl();
        let [borrowed, owned] =
            ["text", "into_text"].map(|method| self.part("value", "ResultText", method));
        let [to_result, into_result] = [false, true].map(|is_owned| self.result(is_owned));
        quote! {
            #[automatically_derived]
            #[allow(deprecated)]
            impl #generics #core::TextSearchRecord for #ident #arguments #bounds {
                fn text(&self) -> ::std::borrow::Cow<'_, str> {
                    #borrowed.unwrap_or_default()
                }

                fn to_result(&self) -> #core::TextSearchResult {
                    #to_result
                }

                fn into_text(self) -> ::std::string::String {
                    #owned.unwrap_or_default()
                }

                fn into_result(self) -> #core::TextSearchResult {
                    #into_result
                }
            }
        }
    }

    /// `trait_name` names the trait that makes the part.
    fn part(&self, part: &str, trait_name: &str, method: &str) -> TokenStream {
        let Some(Part { ident, ty }) = self.parts.get(part) else {
            return quote!(::core::option::Option::None);
        };
        let core = &self.options.core;
        let [trait_name, method_name] =
            [trait_name, method].map(|name| Ident::new(name, ty.span()));
        let value = if method == "into_text" { quote!(self.#ident) } else { quote!(&self.#ident) };
        // Report a type that cannot be that part at its own location.
        quote_spanned!(ty.span()=> <#ty as #core::macro_support::#trait_name>::#method_name(#value))
    }

    fn result(&self, is_owned: bool) -> TokenStream {
        let core = &self.options.core;
        let text = |part| {
            if is_owned {
                self.part(part, "ResultText", "into_text")
            } else {
                let text = self.part(part, "ResultText", "text");
                quote!(#text.map(::std::borrow::Cow::into_owned))
            }
        };
        let texts = ["name", "link", "id"].into_iter().filter(|part| self.parts.contains_key(part));
        let texts = texts.map(|part| {
            let field = Ident::new(part, proc_macro2::Span::call_site());
            let text = text(part);
            // As `TextSearchResult::with_link`.
            let kept = (part == "link").then(|| quote!(.filter(|link| !link.trim().is_empty())));
            quote!(result.#field = #text #kept;)
        });
        let published = self.part("published", "ResultDate", "date");
        let score = self.part("score", "ResultScore", "score");
        let metadata = self.metadata.iter().map(|(name, ident)| {
            quote!(#core::macro_support::add_metadata(&mut result, #name, &self.#ident);)
        });
        let value = text("value");
        quote! {
            let mut result = <#core::TextSearchResult as ::core::default::Default>::default();
            // Copy metadata first: later lines move fields.
            #(#metadata)*
            result.published = #published;
            result.score = #score;
            result.value = #value.unwrap_or_default();
            #(#texts)*
            result
        }
    }
}

impl StructOptions {
    fn read(attributes: &[Attribute]) -> Result<Self> {
        let mut core = None;
        let mut without_schema = None;
        read_all(attributes, "result", |meta| {
            let key = meta.path.get_ident().map(ToString::to_string).unwrap_or_default();
            match key.as_str() {
                "without_schema" => set(&mut without_schema, &meta, ()),
                "crate" => set(&mut core, &meta, crate_path(&meta)?),
                part if PARTS.contains(&part) => {
                    Err(meta.error(format!("`{part}` goes on a field")))
                }
                _ => Err(unknown_key(&meta, &OF_STRUCT)),
            }
        })?;
        Ok(Self {
            core: core.unwrap_or_else(default_core),
            has_own_schema: without_schema.is_some(),
        })
    }
}

impl Default for StructOptions {
    fn default() -> Self {
        Self { core: default_core(), has_own_schema: false }
    }
}
