//! Parses Rust sources for the rules.

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens as _;
use syn::{Attribute, Item};

/// None if the file does not parse: the compiler reports that.
pub(super) fn items(text: &str) -> Vec<Item> {
    syn::parse_file(text).map_or_else(|_| Vec::new(), |file| file.items)
}

/// `tokens` are separated by single spaces.
pub(super) fn has_attribute(attributes: &[Attribute], tokens: &str) -> bool {
    attributes.iter().any(|attribute| attribute.meta.to_token_stream().to_string() == tokens)
}

/// In this order and next to each other, at any depth.
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
