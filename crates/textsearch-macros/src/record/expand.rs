//! Generates the definition, and the conversions of records.

use proc_macro2::TokenStream;
use quote::{format_ident, quote, quote_spanned};
use syn::{Path, spanned::Spanned as _};

use super::{
    field::{Data, Field, Role, Vector},
    full_text::FullTextOptions,
    kind::{inside_option, is_text},
    structure::Structure,
};

pub(super) fn expand(structure: &Structure<'_>, core: &Path) -> TokenStream {
    let ident = structure.ident;
    let definition = definition(structure, core);
    let conversions = conversions(structure, core);
    let readings = readings(structure, core);
    quote! {
        #[automatically_derived]
        #[allow(deprecated)]
        impl #core::vector::VectorRecord for #ident {
            fn definition() -> #core::vector::RecordDefinition {
                #definition
            }

            #conversions

            #readings
        }
    }
}

fn definition(structure: &Structure<'_>, core: &Path) -> TokenStream {
    let key = structure.key().map(|(field, kind)| {
        let name = &field.name;
        let kind = kind.variant();
        let unordered = (!field.has_text_order).then(|| quote!(.without_key_order()));
        quote! {
            #core::vector::RecordDefinition::new(#name).with_key_kind(#core::vector::KeyKind::#kind) #unordered
        }
    });
    let fields = structure.fields.iter().map(|field| match &field.role {
        Role::Key(_) => TokenStream::new(),
        Role::Data(data) => data_field(field, data, core),
        Role::Vector(vector) => vector_field(structure, field, vector, core),
    });
    let parts = structure.parts.iter().map(|(part, name)| {
        let setter = format_ident!("with_{part}_field");
        quote!(.#setter(#name))
    });
    let distribution = distribution(structure, core);
    quote!(#key #(#fields)* #(#parts)* #distribution)
}

fn data_field(field: &Field<'_>, data: &Data, core: &Path) -> TokenStream {
    let name = &field.name;
    let kind = data.kind.variant();
    let description = &data.description;
    let described = (!description.is_empty()).then(|| quote!(.with_description(#description)));
    let filterable = data.filterable.then(|| quote!(.filterable()));
    let unordered = (!field.has_text_order).then(|| quote!(.without_text_order()));
    let offered = data.offered_to_model.then(|| quote!(.offered_to_model()));
    let full_text = data.full_text.as_ref().map(FullTextOptions::calls);
    quote! {
        .with_data(
            #core::vector::DataField::new(#name, #core::vector::DataKind::#kind) #described #filterable #unordered #offered #full_text
        )
    }
}

fn vector_field(
    structure: &Structure<'_>,
    field: &Field<'_>,
    vector: &Vector,
    core: &Path,
) -> TokenStream {
    let name = &field.name;
    let dimensions = &vector.dimensions;
    let calls = vector.options.calls(core);
    let sources = &vector.options.embedded_from;
    let sources: Vec<String> =
        sources.iter().map(|source| structure.source(&source.name)).collect();
    let embedded = (!sources.is_empty()).then(|| quote!(.embedded_from([#(#sources),*])));
    quote!(.with_vector(#core::vector::VectorField::new(#name, #dimensions) #calls #embedded))
}

fn distribution(structure: &Structure<'_>, core: &Path) -> Option<TokenStream> {
    let options = &structure.options;
    let settings = [
        ("shards", &options.shards),
        ("replication_factor", &options.replication_factor),
        ("write_consistency_factor", &options.write_consistency_factor),
    ];
    if settings.iter().all(|(_, value)| value.is_none()) {
        return None;
    }
    let fields = settings.into_iter().map(|(name, value)| {
        let name = format_ident!("{name}");
        match value {
            Some(value) => quote!(#name: ::core::option::Option::Some(#value)),
            None => quote!(#name: ::core::option::Option::None),
        }
    });
    Some(quote!(.with_distribution(#core::vector::Distribution { #(#fields),* })))
}

/// Separate vectors from the rest. A record without vectors is written and read unchanged.
fn conversions(structure: &Structure<'_>, core: &Path) -> TokenStream {
    if structure.vectors().next().is_none() {
        return TokenStream::new();
    }
    let support = quote!(#core::macro_support);
    let value = |field: &Field<'_>| {
        let ty = field.ty;
        // Report a type that cannot hold a vector at its own location.
        quote_spanned!(ty.span()=> <#ty as #support::VectorValue>)
    };
    let taken = structure.vectors().map(|(field, _)| {
        let name = &field.name;
        let ident = field.ident;
        let value = value(field);
        quote!((#name, #value::take(&mut self.#ident)))
    });
    let taken: Vec<TokenStream> = taken.collect();
    let read = structure.vectors().filter(|(_, vector)| vector.is_read);
    let placeholders = read.map(|(field, _)| {
        let name = &field.name;
        let value = value(field);
        quote!((#name, #value::placeholder()))
    });
    let restored = structure.vectors().map(|(field, _)| {
        let name = &field.name;
        let ident = field.ident;
        let value = value(field);
        quote! {
            record.#ident = #value::of(vectors.remove(#name)).map_err(|expected| (#name, expected))?;
        }
    });
    quote! {
        fn into_stored(
            mut self,
            definition: &#core::vector::RecordDefinition,
        ) -> #core::Result<#core::vector::StoredRecord> {
            let vectors = [#(#taken),*];
            #support::into_stored(&self, vectors, definition)
        }

        fn split_vectors(
            mut self,
            _: &#core::vector::RecordDefinition,
        ) -> #core::Result<(Self, #core::vector::Vectors)> {
            let vectors = #support::present([#(#taken),*]);
            ::core::result::Result::Ok((self, vectors))
        }

        fn from_stored(stored: #core::vector::StoredRecord) -> #core::Result<Self> {
            #support::from_stored(stored, [#(#placeholders),*], |record: &mut Self, vectors| {
                #(#restored)*
                ::core::result::Result::Ok(())
            })
        }
    }
}

fn readings(structure: &Structure<'_>, core: &Path) -> TokenStream {
    let support = quote!(#core::macro_support);
    let fields = structure.fields.iter().filter(|field| field.plain);
    let arms = fields.filter_map(|field| {
        let name = &field.name;
        let ident = field.ident;
        let text = match &field.role {
            Role::Vector(_) => return None,
            _ if inside_option(field.ty).is_some_and(is_text) => {
                let text = quote!(::core::option::Option::as_ref(&self.#ident));
                // The type is explicit, so that a text inside several smart pointers is borrowed.
                let borrowed = quote!(|text| ::std::borrow::Cow::<str>::Borrowed(text));
                quote!(#support::FieldText::from(#text.map(#borrowed)))
            }
            _ if is_text(field.ty) => {
                quote!(#support::FieldText::Text(::std::borrow::Cow::Borrowed(&self.#ident)))
            }
            _ => quote!(#support::value_text(&self.#ident)),
        };
        Some(quote!(#name => #text))
    });
    let arms: Vec<TokenStream> = arms.collect();
    let read = quote! {
        |field| match field {
            #(#arms,)*
            _ => #support::FieldText::Elsewhere,
        }
    };
    quote! {
        fn text_by(&self, definition: &#core::vector::RecordDefinition) -> ::std::borrow::Cow<'_, str> {
            #support::text_of(self, definition, #read)
        }

        fn result_by(&self, definition: &#core::vector::RecordDefinition) -> #core::TextSearchResult {
            #support::result_of(self, definition, #read)
        }
    }
}
