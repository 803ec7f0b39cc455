//! Generates a struct for the arguments, and a closure for the typed constructor.

use proc_macro2::{Span, TokenStream, TokenTree};
use quote::{ToTokens as _, format_ident, quote, quote_spanned};
use syn::{Expr, ExprLit, Ident, Lit, Path};

use super::{
    function::{Function, SharedSelf},
    lints::quiet,
    options::DefaultValue,
    parameter::{Argument, Injected, Parameter, Passing},
};
use crate::attribute::bare;

/// An expression of type `Result<KernelFunction>`. `target` is the function's path, `shared` the
/// variable with the `Arc` of a method's value.
pub(super) fn constructor(
    function: &Function,
    kernel: &Path,
    target: &TokenStream,
    shared: Option<&Ident>,
) -> TokenStream {
    let defaults = function.arguments().filter_map(default_function);
    let arguments = arguments_struct(function, kernel);
    let made = typed_constructor(function, kernel, target, shared);
    let returns = function
        .returns
        .as_ref()
        .map(|returns| quote!(let made = made.map(|made| made.with_return_description(#returns));));
    quote! {{
        use #kernel::macro_support::IntoResult as _;
        #(#defaults)*
        #arguments
        let made = #made;
        #returns
        made
    }}
}

/// User code can't see it.
fn variable(name: &str) -> Ident {
    Ident::new(name, Span::mixed_site())
}

/// No user type has this name.
fn arguments_name() -> Ident {
    Ident::new("__KernelFunctionArguments", Span::call_site())
}

fn arguments_struct(function: &Function, kernel: &Path) -> TokenStream {
    let name = arguments_name();
    let quiet = quiet();
    let fields = function.arguments().map(field);
    let support = quote!(#kernel::macro_support);
    let serde = path_text(&support, "serde");
    let schemars = path_text(&support, "schemars");
    quote! {
        #[derive(#support::serde::Deserialize, #support::schemars::JsonSchema)]
        #[serde(crate = #serde)]
        #[schemars(crate = #schemars)]
        #quiet
        struct #name { #(#fields),* }
    }
}

fn path_text(support: &TokenStream, name: &str) -> String {
    format!("{support}::{name}").replace(' ', "")
}

fn field(argument: &Argument) -> TokenStream {
    let Argument { ident, owned, attributes, name, .. } = argument;
    let name = &name.text;
    let default = argument.default.as_ref().map(|default| match default {
        DefaultValue::OfType => quote!(#[serde(default)]),
        DefaultValue::Expression(_) => {
            let path = default_name(argument).to_string();
            quote!(#[serde(default = #path)])
        }
    });
    let minimum = argument.minimum.as_ref().map(|min| quote!(min = #min));
    let maximum = argument.maximum.as_ref().map(|max| quote!(max = #max));
    let bounds: Vec<TokenStream> = minimum.into_iter().chain(maximum).collect();
    let range = (!bounds.is_empty()).then(|| quote!(#[schemars(range(#(#bounds),*))]));
    quote! {
        #(#attributes)*
        #[serde(rename = #name)]
        #default
        #range
        #ident: #owned
    }
}

fn default_name(argument: &Argument) -> Ident {
    format_ident!("__default_of_{}", argument.ident)
}

fn default_function(argument: &Argument) -> Option<TokenStream> {
    let Some(DefaultValue::Expression(value)) = &argument.default else {
        return None;
    };
    let name = default_name(argument);
    let owned = &argument.owned;
    let value = match bare(value) {
        Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => {
            quote!(::core::convert::Into::into(#text))
        }
        other => other.to_token_stream(),
    };
    Some(quote!(fn #name() -> #owned { #value }))
}

fn typed_constructor(
    function: &Function,
    kernel: &Path,
    target: &TokenStream,
    shared: Option<&Ident>,
) -> TokenStream {
    let name = &function.name.text;
    let description = &function.description;
    let arguments = arguments_name();
    let with_invocation = function.is_injected();
    let method = if with_invocation { "from_fn_with_invocation" } else { "from_fn" };
    let method = Ident::new(method, function.ident.span());
    let values = variable("arguments");
    let invocation = variable("invocation");
    let invocation = with_invocation.then(|| quote!(, #invocation: #kernel::function::Invocation));
    let share = shared.map(|shared| quote!(let #shared = ::std::sync::Arc::clone(&#shared);));
    let call = call(function, target, shared);
    let returned = quote_spanned! { function.answer=>
        #kernel::macro_support::Returned(#call).into_result()
    };
    // Errors about the future point at the start of the called path: make that the function.
    let kernel = located_at(kernel, function.ident.span());
    quote_spanned! { function.ident.span()=>
        #kernel::KernelFunction::#method(#name, #description, move |#values: #arguments #invocation| {
            #share
            async move { #returned }
        })
    }
}

/// Names in `path` resolve as before.
fn located_at(path: &Path, place: Span) -> TokenStream {
    let moved = |mut token: TokenTree| {
        token.set_span(token.span().located_at(place));
        token
    };
    path.to_token_stream().into_iter().map(moved).collect()
}

fn call(function: &Function, target: &TokenStream, shared: Option<&Ident>) -> TokenStream {
    let receiver = function.receiver.zip(shared).map(|(receiver, shared)| match receiver {
        SharedSelf::Arc => quote!(#shared),
        SharedSelf::Borrowed => quote!(&*#shared),
    });
    let parameters = function.parameters.iter().map(|parameter| match parameter {
        Parameter::Injected(injected) => injected_value(*injected),
        Parameter::Argument(argument) => passed(argument),
    });
    let inputs = receiver.into_iter().chain(parameters);
    let wait = function.is_async.then(|| quote!(.await));
    quote!(#target(#(#inputs),*) #wait)
}

fn injected_value(injected: Injected) -> TokenStream {
    let invocation = variable("invocation");
    let (value, is_borrowed) = match injected {
        Injected::Kernel { is_borrowed } => (quote!(&#invocation.kernel), is_borrowed),
        Injected::Invocation { is_borrowed } => (quote!(&#invocation), is_borrowed),
    };
    if is_borrowed { value } else { quote!(::core::clone::Clone::clone(#value)) }
}

fn passed(argument: &Argument) -> TokenStream {
    let arguments = variable("arguments");
    let ident = &argument.ident;
    match argument.passing {
        Passing::Value => quote!(#arguments.#ident),
        Passing::Text => quote!(&*#arguments.#ident),
        Passing::OptionalText => quote!(#arguments.#ident.as_deref()),
    }
}
