//! Keys and values in an attribute's parentheses.

use quote::ToTokens;
use syn::{
    Attribute, Error, Expr, LitStr, Path, Result,
    meta::ParseNestedMeta,
    parse::{Parse, Parser as _},
};

/// Reads every attribute called `name`, key by key.
pub(crate) fn read_all(
    attributes: &[Attribute],
    name: &str,
    mut read: impl FnMut(ParseNestedMeta<'_>) -> Result<()>,
) -> Result<()> {
    let ours = attributes.iter().filter(|attribute| attribute.path().is_ident(name));
    ours.into_iter().try_for_each(|attribute| attribute.parse_nested_meta(&mut read))
}

pub(crate) fn read_own(
    options: proc_macro2::TokenStream,
    read: impl FnMut(ParseNestedMeta<'_>) -> Result<()>,
) -> Result<()> {
    syn::meta::parser(read).parse2(options)
}

pub(crate) fn set<T>(option: &mut Option<T>, meta: &ParseNestedMeta<'_>, value: T) -> Result<()> {
    if option.replace(value).is_some() {
        return Err(meta.error(format!("`{}` is given twice", key(meta))));
    }
    Ok(())
}

pub(crate) fn value<T: Parse>(meta: &ParseNestedMeta<'_>) -> Result<T> {
    meta.value()?.parse()
}

/// Removes parentheses, also the invisible ones around an `$expr` of a `macro_rules!` macro.
pub(crate) fn bare(expression: &Expr) -> &Expr {
    match expression {
        Expr::Group(group) => bare(&group.expr),
        Expr::Paren(parentheses) => bare(&parentheses.expr),
        other => other,
    }
}

pub(crate) fn crate_path(meta: &ParseNestedMeta<'_>) -> Result<Path> {
    value::<LitStr>(meta)?.parse()
}

pub(crate) fn unknown_key(meta: &ParseNestedMeta<'_>, allowed: &[&str]) -> Error {
    let allowed = allowed.join("`, `");
    meta.error(format!("unknown key `{}`: allowed are `{allowed}`", key(meta)))
}

fn key(meta: &ParseNestedMeta<'_>) -> String {
    meta.path.to_token_stream().to_string()
}
