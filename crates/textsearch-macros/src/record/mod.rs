//! Records: `#[derive(VectorRecord)]`.

mod expand;
mod field;
mod full_text;
mod kind;
mod options;
mod structure;
mod vector;

use proc_macro2::TokenStream;
use syn::{Data, DeriveInput, Error, Fields, FieldsNamed, Path, Result, parse_quote};

use self::structure::Structure;
use crate::errors::or_compile_errors;

pub(crate) fn expand_vector_record(input: TokenStream) -> TokenStream {
    let made = syn::parse2(input).and_then(|input: DeriveInput| {
        let structure = Structure::read(&input)?;
        Ok(expand::expand(&structure))
    });
    or_compile_errors(made)
}

/// Where the core is, unless an attribute says otherwise.
pub(crate) fn default_core() -> Path {
    parse_quote!(::textsearch_core)
}

/// The fields of a struct that has names for them.
pub(crate) fn named_fields<'a>(input: &'a DeriveInput, derive: &str) -> Result<&'a FieldsNamed> {
    let wanted = format!("`#[derive({derive})]` goes on a struct with named fields");
    match &input.data {
        Data::Struct(data) => match &data.fields {
            Fields::Named(fields) => Ok(fields),
            _ => Err(Error::new_spanned(&input.ident, wanted)),
        },
        Data::Enum(data) => Err(Error::new_spanned(data.enum_token, wanted)),
        Data::Union(data) => Err(Error::new_spanned(data.union_token, wanted)),
    }
}
