//! Lints of generated code.

use proc_macro2::TokenStream;
use quote::quote;

/// Users can't fix lints in generated code.
pub(super) fn quiet() -> TokenStream {
    quote! {
        #[allow(
            deprecated, missing_debug_implementations, non_camel_case_types, unreachable_pub, unused,
            clippy::exhaustive_enums, clippy::impl_trait_in_params
        )]
    }
}
