//! Names that the kernel accepts.

use proc_macro2::Span;
use syn::{Error, Ident, LitStr, Result, ext::IdentExt as _};

/// The plugin's name (at least one letter) and a `-` precede it.
const LONGEST_FUNCTION: usize = 62;
const LONGEST_PARAMETER: usize = 64;

#[derive(Clone)]
pub(super) struct Name {
    pub(super) text: String,
    pub(super) span: Span,
}

impl Name {
    pub(super) fn of_function(literal: Option<&LitStr>, ident: &Ident) -> Result<Self> {
        let rule = "is not the name of a kernel function: 1 to 62 of the characters a-z, A-Z, 0-9, `_` and `-` are \
                    allowed";
        Self::new(literal, ident).checked("_-", LONGEST_FUNCTION, rule)
    }

    pub(super) fn of_parameter(literal: Option<&LitStr>, ident: &Ident) -> Result<Self> {
        let rule = "is not the name of a parameter: 1 to 64 of the characters a-z, A-Z, 0-9, `_`, `.` and `-` are \
                    allowed";
        Self::new(literal, ident).checked("_.-", LONGEST_PARAMETER, rule)
    }

    /// Ignores ASCII case.
    pub(super) fn first_repeated<'a>(names: &[&'a Self]) -> Option<&'a Self> {
        let is_repeated = |position: usize, name: &Self| {
            let mut before = names.iter().take(position);
            before.any(|other| other.text.eq_ignore_ascii_case(&name.text))
        };
        let mut all = names.iter().copied().enumerate();
        all.find(|(position, name)| is_repeated(*position, name)).map(|(_, name)| name)
    }

    pub(super) fn error(&self, message: &str) -> Error {
        Error::new(self.span, format!("`{}` {message}", self.text))
    }

    fn new(literal: Option<&LitStr>, ident: &Ident) -> Self {
        match literal {
            Some(literal) => Self { text: literal.value(), span: literal.span() },
            None => Self { text: ident.unraw().to_string(), span: ident.span() },
        }
    }

    fn checked(self, also_allowed: &str, longest: usize, rule: &str) -> Result<Self> {
        let is_allowed = |c: char| c.is_ascii_alphanumeric() || also_allowed.contains(c);
        if (1..=longest).contains(&self.text.len()) && self.text.chars().all(is_allowed) {
            return Ok(self);
        }
        Err(self.error(rule))
    }
}
