//! Makes a plugin from the methods of an `impl` block.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens as _, quote, quote_spanned};
use syn::{
    Attribute, Error, Ident, ImplItem, ImplItemFn, ItemImpl, LitStr, Path, Result,
    spanned::Spanned as _,
};

use super::{
    constructor::constructor,
    default_crate,
    function::Function,
    lints::quiet,
    name::Name,
    options::{FunctionOptions, PluginOptions},
    parameter::take_attributes,
};
use crate::{
    documentation::description,
    errors::{Errors, or_compile_errors},
};

pub(crate) fn expand_plugin(options: TokenStream, item: TokenStream) -> TokenStream {
    let mut item: ItemImpl = match syn::parse2(item.clone()) {
        Ok(block) => block,
        Err(_) => return not_an_impl(&item),
    };
    // Remove our attributes even if the rest is invalid: rustc would reject them, too.
    let functions = take_functions(&mut item);
    let made = PluginOptions::read(options).and_then(|options| {
        refuse_trait(&item)?;
        methods(&item, &functions?, &options)
    });
    let made = or_compile_errors(made);
    quote! { #item #made }
}

fn not_an_impl(item: &TokenStream) -> TokenStream {
    let message =
        "`#[kernel_plugin]` goes on an `impl` block, and `#[kernel_function]` on a function";
    let error = Error::new_spanned(item, message).into_compile_error();
    quote! { #item #error }
}

fn refuse_trait(item: &ItemImpl) -> Result<()> {
    match &item.trait_ {
        Some((path, _)) => Err(Error::new_spanned(
            path,
            "`#[kernel_plugin]` goes on the methods of the type itself: call the trait's from there",
        )),
        None => Ok(()),
    }
}

fn take_functions(item: &mut ItemImpl) -> Result<Vec<Function>> {
    let mut errors = Errors::default();
    let mut functions = Vec::new();
    for member in &mut item.items {
        if let ImplItem::Fn(method) = member
            && let Some(read) = take_function(method)
        {
            functions.extend(errors.keep(read));
        }
    }
    let names: Vec<&Name> = functions.iter().map(|function| &function.name).collect();
    if let Some(repeated) = Name::first_repeated(&names) {
        let message = "is the name of two functions of the plugin: case does not tell them apart";
        errors.add(repeated.error(message));
    }
    errors.check()?;
    functions.iter_mut().for_each(|function| function.name_self(&item.self_ty));
    Ok(functions)
}

fn take_function(method: &mut ImplItemFn) -> Option<Result<Function>> {
    let marks: Vec<Attribute> =
        method.attrs.extract_if(.., |attribute| is_mark(attribute)).collect();
    let mark = marks.first()?;
    let of_parameters = take_attributes(&mut method.sig);
    let options = FunctionOptions::read_of_method(mark);
    Some(
        options.and_then(|options| {
            Function::read(&method.sig, &method.attrs, of_parameters, &options)
        }),
    )
}

fn is_mark(attribute: &Attribute) -> bool {
    attribute.path().segments.last().is_some_and(|last| last.ident == "kernel_function")
}

fn methods(
    item: &ItemImpl,
    functions: &[Function],
    options: &PluginOptions,
) -> Result<TokenStream> {
    if functions.is_empty() {
        let message = "a plugin needs functions: mark its methods with `#[kernel_function]`";
        return Err(Error::new_spanned(&item.self_ty, message));
    }
    let kernel = options.kernel.clone().unwrap_or_else(default_crate);
    let (generics, _, bounds) = item.generics.split_for_impl();
    let self_type = &item.self_ty;
    let quiet = quiet();
    let conditions = item.attrs.iter().filter(|attribute| attribute.path().is_ident("cfg"));
    let about =
        options.description.as_ref().map_or_else(|| description(&item.attrs), LitStr::value);
    let makers = makers(item, functions, &kernel);
    Ok(quote! {
        #(#conditions)*
        #quiet
        impl #generics #self_type #bounds {
            /// Makes the plugin called `name`, which owns the value.
            ///
            /// # Errors
            ///
            /// If a name is invalid, or the types of a function have no schema.
            pub fn into_plugin(
                self,
                name: impl ::core::convert::Into<::std::string::String>,
            ) -> #kernel::Result<#kernel::KernelPlugin> {
                let functions = ::std::sync::Arc::new(self).kernel_functions()?;
                #kernel::KernelPlugin::new(name, #about, functions)
            }

            #makers
        }
    })
}

fn makers(item: &ItemImpl, functions: &[Function], kernel: &Path) -> TokenStream {
    let shared = Ident::new("shared", Span::mixed_site());
    let makers = functions.iter().map(|function| {
        let ident = &function.ident;
        let target = quote_spanned!(ident.span().resolved_at(Span::call_site())=> Self::#ident);
        let made = constructor(function, kernel, &target, Some(&shared));
        quote! {{ let #shared = ::std::sync::Arc::clone(&#shared); #made? }}
    });
    let self_type = item.self_ty.to_token_stream();
    let is_shareable = quote_spanned! { self_type.span()=>
        #kernel::macro_support::assert_shareable::<Self>();
    };
    quote! {
        /// Makes the functions, which share the value.
        ///
        /// # Errors
        ///
        /// If a name is invalid, or the types of a function have no schema.
        pub fn kernel_functions(
            self: ::std::sync::Arc<Self>,
        ) -> #kernel::Result<::std::vec::Vec<#kernel::KernelFunction>> {
            #is_shareable
            let #shared = self;
            ::core::result::Result::Ok(::std::vec![#(#makers),*])
        }
    }
}
