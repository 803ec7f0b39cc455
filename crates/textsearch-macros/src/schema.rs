//! Generates a record's JSON schema.

use proc_macro2::TokenStream;
use quote::{ToTokens as _, quote};
use syn::{
    Attribute, DeriveInput, FieldsNamed, GenericParam, Meta, Path, Result, Token, TypeParam,
    parse_quote, punctuated::Punctuated,
};

/// Read by `JsonSchema`.
const READ: [&str; 6] = ["doc", "deprecated", "serde", "schemars", "validate", "garde"];

/// A derive can't apply another derive to its own input, so schemars derives for a copy of the
/// struct. The copy keeps the name, which is part of the schema, and is in a separate block.
pub(crate) fn implementation(
    input: &DeriveInput,
    fields: &FieldsNamed,
    core: &Path,
) -> Result<TokenStream> {
    let ident = &input.ident;
    let schemars = quote!(#core::schemars);
    let path = schemars.to_string().replace(' ', "");
    let attributes = of_copy(input)?;
    let copied = fields.named.iter().map(|field| {
        let attributes = read_by_schemars(&field.attrs);
        let ident = &field.ident;
        let ty = &field.ty;
        quote!(#(#attributes)* #ident: #ty)
    });
    let (parameters, arguments, bounds) = input.generics.split_for_impl();
    let unbounded = unbounded(input);
    let mut bounded = input.generics.clone();
    for TypeParam { ident, .. } in input.generics.type_params() {
        bounded.make_where_clause().predicates.push(parse_quote!(#ident: #schemars::JsonSchema));
    }
    let (_, _, bounds_of_schema) = bounded.split_for_impl();
    let copy = quote!(<#ident #arguments as #schemars::JsonSchema>);
    Ok(quote! {
        const _: () = {
            type __Record #unbounded = #ident #arguments;
            const _: () = {
                #[derive(#schemars::JsonSchema)]
                #(#attributes)*
                #[schemars(crate = #path)]
                #[allow(dead_code, deprecated, clippy::all, clippy::pedantic)]
                struct #ident #parameters #bounds { #(#copied),* }

                #[automatically_derived]
                impl #parameters #schemars::JsonSchema for __Record #arguments #bounds_of_schema {
                    fn inline_schema() -> bool {
                        #copy::inline_schema()
                    }

                    fn schema_name() -> ::std::borrow::Cow<'static, str> {
                        #copy::schema_name()
                    }

                    fn schema_id() -> ::std::borrow::Cow<'static, str> {
                        #copy::schema_id()
                    }

                    fn json_schema(generator: &mut #schemars::SchemaGenerator) -> #schemars::Schema {
                        #copy::json_schema(generator)
                    }
                }
            };
        };
    })
}

fn read_by_schemars(attributes: &[Attribute]) -> impl Iterator<Item = &Attribute> {
    attributes.iter().filter(|attribute| READ.iter().any(|name| attribute.path().is_ident(name)))
}

/// An alias doesn't check bounds and defaults.
fn unbounded(input: &DeriveInput) -> TokenStream {
    let parameters = input.generics.params.iter().map(|parameter| match parameter {
        GenericParam::Lifetime(lifetime) => lifetime.lifetime.to_token_stream(),
        GenericParam::Type(of_type) => of_type.ident.to_token_stream(),
        GenericParam::Const(constant) => {
            let ident = &constant.ident;
            let ty = &constant.ty;
            quote!(const #ident: #ty)
        }
    });
    let parameters: Punctuated<TokenStream, Token![,]> = parameters.collect();
    quote!(<#parameters>)
}

/// The copy takes defaults from the struct itself.
fn of_copy(input: &DeriveInput) -> Result<Vec<Attribute>> {
    let (_, arguments, _) = input.generics.split_for_impl();
    let default = quote!(<__Record #arguments as ::core::default::Default>::default).to_string();
    let attributes = read_by_schemars(&input.attrs).cloned().map(|mut attribute| {
        if attribute.path().is_ident("serde")
            && let Meta::List(list) = &mut attribute.meta
        {
            let keys = list.parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated)?;
            let keys = keys.into_iter().map(|key| match key {
                Meta::Path(path) if path.is_ident("default") => quote!(#path = #default),
                other => other.into_token_stream(),
            });
            list.tokens = quote!(#(#keys),*);
        }
        Ok(attribute)
    });
    attributes.collect()
}
