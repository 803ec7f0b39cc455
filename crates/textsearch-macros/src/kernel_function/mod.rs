//! Makes kernel functions from functions and methods.

mod constructor;
mod function;
mod lints;
mod name;
mod options;
mod parameter;
mod plugin;
mod self_type;

pub(crate) use self::plugin::expand_plugin;

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Attribute, Error, ItemFn, Path, Result, parse_quote};

use self::{constructor::constructor, function::Function, lints::quiet, options::FunctionOptions};
use crate::errors::or_compile_errors;

fn default_crate() -> Path {
    parse_quote!(::textsearch_kernel)
}

/// Adds a type of the same name, which makes the kernel function.
pub(crate) fn expand_function(options: TokenStream, item: TokenStream) -> TokenStream {
    let mut item: ItemFn = match syn::parse2(item.clone()) {
        Ok(function) => function,
        Err(_) => return not_a_function(&item),
    };
    // Remove our attributes even if the rest is invalid: rustc would reject them, too.
    let parameters = parameter::take_attributes(&mut item.sig);
    let made = made_function(&item, parameters, options);
    let made = or_compile_errors(made);
    quote! { #item #made }
}

fn not_a_function(item: &TokenStream) -> TokenStream {
    let message = "`#[kernel_function]` goes on a function, or on a method in an `impl` block that is marked \
                   `#[kernel_plugin]`";
    let error = Error::new_spanned(item, message).into_compile_error();
    quote! { #item #error }
}

fn made_function(
    item: &ItemFn,
    of_parameters: Vec<Vec<Attribute>>,
    options: TokenStream,
) -> Result<TokenStream> {
    if let Some(receiver) = item.sig.receiver() {
        let message =
            "a method becomes a kernel function by `#[kernel_plugin]` on its `impl` block";
        return Err(Error::new_spanned(receiver, message));
    }
    let options = FunctionOptions::read(options)?;
    let function = Function::read(&item.sig, &item.attrs, of_parameters, &options)?;
    Ok(maker(item, &function, &options))
}

fn maker(item: &ItemFn, function: &Function, options: &FunctionOptions) -> TokenStream {
    let kernel = options.kernel.clone().unwrap_or_else(default_crate);
    let visibility = &item.vis;
    let ident = &item.sig.ident;
    let quiet = quiet();
    let conditions = item.attrs.iter().filter(|attribute| attribute.path().is_ident("cfg"));
    let conditions: Vec<_> = conditions.collect();
    let constructor = constructor(function, &kernel, &quote!(#ident), None);
    let about =
        format!("The function [`{ident}()`](fn@{ident}) as something that a model can call.");
    quote! {
        #(#conditions)*
        #[doc = #about]
        #quiet
        #visibility enum #ident {}

        #(#conditions)*
        #quiet
        impl #ident {
            /// Makes the kernel function.
            ///
            /// # Errors
            ///
            /// If a name is invalid or the types have no schema: see `KernelFunction::from_fn`.
            #visibility fn kernel_function() -> #kernel::Result<#kernel::KernelFunction> {
                #constructor
            }
        }
    }
}
