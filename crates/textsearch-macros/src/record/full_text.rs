//! The options of `#[record(full_text)]`.

use proc_macro2::TokenStream;
use quote::{ToTokens as _, quote};
use syn::{Error, Expr, ExprLit, Lit, LitStr, Result, Token, meta::ParseNestedMeta, token::Paren};

use crate::attribute::{bare, set, unknown_key, value};

const KEYS: [&str; 3] = ["language", "mean_length", "weight"];

const MEAN_LENGTH: &str =
    "the mean length is a number of terms above 0: `full_text(mean_length = 50)`";
const WEIGHT: &str = "the weight is a number above 0: `full_text(weight = 2)`";

#[derive(Default)]
pub(super) struct FullTextOptions {
    language: Option<LitStr>,
    mean_length: Option<TokenStream>,
    weight: Option<TokenStream>,
}

impl FullTextOptions {
    /// A language after `=`, or settings in parentheses.
    pub(super) fn read(meta: &ParseNestedMeta<'_>) -> Result<Self> {
        let mut options = Self::default();
        if meta.input.peek(Token![=]) {
            options.language = Some(value(meta)?);
        } else if meta.input.peek(Paren) {
            meta.parse_nested_meta(|meta| options.read_key(&meta))?;
        }
        Ok(options)
    }

    fn read_key(&mut self, meta: &ParseNestedMeta<'_>) -> Result<()> {
        match meta.path.get_ident().map(ToString::to_string).unwrap_or_default().as_str() {
            "language" => set(&mut self.language, meta, value(meta)?),
            "mean_length" => {
                set(&mut self.mean_length, meta, positive(&value(meta)?, MEAN_LENGTH)?)
            }
            "weight" => set(&mut self.weight, meta, positive(&value(meta)?, WEIGHT)?),
            _ => Err(unknown_key(meta, &KEYS)),
        }
    }

    pub(super) fn calls(&self) -> TokenStream {
        let read = match &self.language {
            Some(language) => quote!(.full_text_in(#language)),
            None => quote!(.full_text()),
        };
        let mean_length = self.mean_length.as_ref().map(|terms| quote!(.with_mean_length(#terms)));
        let weight = self.weight.as_ref().map(|weight| quote!(.with_weight(#weight)));
        quote!(#read #mean_length #weight)
    }
}

/// Whole or not. The definition checks expressions other than literals.
fn positive(expression: &Expr, message: &str) -> Result<TokenStream> {
    let number = match bare(expression) {
        Expr::Lit(ExprLit { lit: Lit::Int(number), .. }) => number.base10_parse::<f64>().ok(),
        Expr::Lit(ExprLit { lit: Lit::Float(number), .. }) => number.base10_parse::<f64>().ok(),
        Expr::Lit(_) | Expr::Unary(_) => None,
        constant => return Ok(constant.to_token_stream()),
    };
    match number.filter(|number| number.is_finite() && *number > 0.0) {
        Some(number) => Ok(quote!(#number)),
        None => Err(Error::new_spanned(expression, message)),
    }
}
