//! `#[derive(VectorRecord)]`.

mod expand;
mod field;
mod full_text;
mod kind;
mod options;
mod structure;
mod vector;

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Data, DeriveInput, Error, Fields, FieldsNamed, Path, Result, parse_quote};

use self::structure::Structure;
use crate::{errors::or_compile_errors, schema};

pub(crate) fn expand_vector_record(input: TokenStream) -> TokenStream {
    let made = syn::parse2(input).and_then(|input: DeriveInput| {
        let fields = named_fields(&input, "VectorRecord")?;
        let structure = Structure::read(&input, fields)?;
        let core = structure.options.core.clone().unwrap_or_else(default_core);
        let record = expand::expand(&structure, &core);
        let has_own_schema = structure.options.without_schema.is_some();
        let schema =
            (!has_own_schema).then(|| schema::implementation(&input, fields, &core)).transpose()?;
        Ok(quote!(#record #schema))
    });
    or_compile_errors(made)
}

pub(crate) fn default_core() -> Path {
    parse_quote!(::textsearch_core)
}

pub(crate) fn named_fields<'a>(input: &'a DeriveInput, derive: &str) -> Result<&'a FieldsNamed> {
    let message = format!("`#[derive({derive})]` goes on a struct with named fields");
    match &input.data {
        Data::Struct(data) => match &data.fields {
            Fields::Named(fields) => Ok(fields),
            _ => Err(Error::new_spanned(&input.ident, message)),
        },
        Data::Enum(data) => Err(Error::new_spanned(data.enum_token, message)),
        Data::Union(data) => Err(Error::new_spanned(data.union_token, message)),
    }
}
