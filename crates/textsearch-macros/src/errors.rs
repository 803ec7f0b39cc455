//! Collects all errors of a macro call, so users can fix them in one go.

use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::{Error, Result};

#[derive(Default)]
pub(crate) struct Errors {
    all: Option<Error>,
}

impl Errors {
    pub(crate) fn at(&mut self, tokens: impl ToTokens, message: &str) {
        self.add(Error::new_spanned(tokens, message));
    }

    pub(crate) fn add(&mut self, error: Error) {
        match &mut self.all {
            Some(all) => all.combine(error),
            None => self.all = Some(error),
        }
    }

    pub(crate) fn keep<T>(&mut self, result: Result<T>) -> Option<T> {
        result.map_err(|error| self.add(error)).ok()
    }

    pub(crate) fn check(self) -> Result<()> {
        self.all.map_or(Ok(()), Err)
    }
}

pub(crate) fn or_compile_errors(made: Result<TokenStream>) -> TokenStream {
    made.unwrap_or_else(Error::into_compile_error)
}
