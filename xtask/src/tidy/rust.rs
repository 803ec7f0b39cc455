//! Rust sources, as the rules read them.

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens as _;
use syn::{Attribute, Item};

/// The items of a file. A file with a mistake has none: the compiler reports it.
pub(super) fn items(text: &str) -> Vec<Item> {
    syn::parse_file(text).map_or_else(|_| Vec::new(), |file| file.items)
}

/// Whether one of the attributes is written so, with spaces between all tokens.
pub(super) fn has_attribute(attributes: &[Attribute], tokens: &str) -> bool {
    attributes.iter().any(|attribute| attribute.meta.to_token_stream().to_string() == tokens)
}

/// Whether these names follow each other among the tokens, at any depth.
pub(super) fn has_names(tokens: TokenStream, names: &[&str]) -> bool {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let is_named =
        |token: &TokenTree, name: &str| matches!(token, TokenTree::Ident(ident) if ident == name);
    let mut places = tokens.windows(names.len());
    places.any(|place| place.iter().zip(names).all(|(token, name)| is_named(token, name)))
        || tokens.into_iter().any(
            |token| matches!(token, TokenTree::Group(group) if has_names(group.stream(), names)),
        )
}
