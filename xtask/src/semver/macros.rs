//! Compares the macros of two versions of a library, which cargo-semver-checks doesn't read.

use std::collections::BTreeSet;

use anyhow::Result;
use syn::Item;

/// Returns what `after` lacks: macros as users write them, and helper attributes of derive macros.
pub(super) fn removed(before: &str, after: &str) -> Result<Vec<String>> {
    let [before, after] = [macros(before)?, macros(after)?];
    Ok(before.difference(&after).cloned().collect())
}

/// Reads the file of the crate's root, because macros can't be declared elsewhere.
fn macros(library: &str) -> Result<BTreeSet<String>> {
    let mut macros = BTreeSet::new();
    for item in syn::parse_file(library)?.items {
        let Item::Fn(function) = item else { continue };
        let name = &function.sig.ident;
        for attribute in &function.attrs {
            let path = attribute.path();
            if path.is_ident("proc_macro") {
                macros.insert(format!("{name}!"));
            } else if path.is_ident("proc_macro_attribute") {
                macros.insert(format!("#[{name}]"));
            } else if path.is_ident("proc_macro_derive") {
                macros.extend(derive(attribute)?);
            }
        }
    }
    Ok(macros)
}

/// From `#[proc_macro_derive(Name, attributes(one, other))]`.
fn derive(attribute: &syn::Attribute) -> syn::Result<Vec<String>> {
    let mut macros = Vec::<String>::new();
    attribute.parse_nested_meta(|meta| {
        if !meta.path.is_ident("attributes") {
            macros.push(format!("#[derive({})]", meta.path.require_ident()?));
            return Ok(());
        }
        let derive = macros.concat();
        meta.parse_nested_meta(|helper| {
            macros.push(format!("#[{}] of {derive}", helper.path.require_ident()?));
            Ok(())
        })
    })?;
    Ok(macros)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIBRARY: &str = "#[proc_macro] pub fn record(_: TokenStream) -> TokenStream {}\n\
        #[proc_macro_attribute] pub fn plugin(_: TokenStream, _: TokenStream) -> TokenStream {}\n\
        #[proc_macro_derive(Record, attributes(key, result))] pub fn derive(_: TokenStream) {}\n\
        fn helper() {}\n";

    #[test]
    fn removed_macros_and_their_attributes_are_named() {
        assert_eq!(
            removed(LIBRARY, "").unwrap(),
            [
                "#[derive(Record)]",
                "#[key] of #[derive(Record)]",
                "#[plugin]",
                "#[result] of #[derive(Record)]",
                "record!"
            ]
        );
        let without_key = LIBRARY.replace("key, ", "");
        assert_eq!(removed(LIBRARY, &without_key).unwrap(), ["#[key] of #[derive(Record)]"]);
    }

    #[test]
    fn added_macros_and_renamed_functions_break_nobody() {
        let after = LIBRARY.replace("fn derive", "fn expand").replace("key,", "key, text,");
        assert!(removed(LIBRARY, &after).unwrap().is_empty());
    }

    #[test]
    fn our_own_macros_are_read() {
        let library = include_str!("../../../crates/textsearch-macros/src/lib.rs");
        let macros = removed(library, "").unwrap();
        for name in ["#[derive(VectorRecord)]", "#[kernel_function]"] {
            assert!(macros.contains(&name.to_owned()), "{macros:?}");
        }
    }
}
