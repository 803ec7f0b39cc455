//! The attributes' options.

use proc_macro2::TokenStream;
use syn::{Attribute, Expr, LitStr, Path, Result, Token, meta::ParseNestedMeta};

use crate::attribute::{crate_path, read_all, read_own, set, unknown_key, value};

#[derive(Default)]
pub(super) struct FunctionOptions {
    pub(super) name: Option<LitStr>,
    pub(super) description: Option<LitStr>,
    pub(super) returns: Option<LitStr>,
    pub(super) kernel: Option<Path>,
}

#[derive(Default)]
pub(super) struct PluginOptions {
    pub(super) description: Option<LitStr>,
    pub(super) kernel: Option<Path>,
}

#[derive(Default)]
pub(super) struct ParameterOptions {
    pub(super) name: Option<LitStr>,
    pub(super) description: Option<LitStr>,
    pub(super) default: Option<DefaultValue>,
    pub(super) minimum: Option<Expr>,
    pub(super) maximum: Option<Expr>,
}

pub(super) enum DefaultValue {
    OfType,
    Expression(Box<Expr>),
}

impl FunctionOptions {
    pub(super) fn read(tokens: TokenStream) -> Result<Self> {
        let mut options = Self::default();
        read_own(tokens, |meta| options.read_key(&meta))?;
        Ok(options)
    }

    /// A method's crate is set on the plugin.
    pub(super) fn read_of_method(mark: &Attribute) -> Result<Self> {
        let mut options = Self::default();
        if matches!(mark.meta, syn::Meta::Path(_)) {
            return Ok(options);
        }
        mark.parse_nested_meta(|meta| {
            if meta.path.is_ident("crate") {
                return Err(
                    meta.error("`crate` goes on the `#[kernel_plugin]` of the `impl` block")
                );
            }
            options.read_key(&meta)
        })?;
        Ok(options)
    }

    fn read_key(&mut self, meta: &ParseNestedMeta<'_>) -> Result<()> {
        if meta.path.is_ident("name") {
            set(&mut self.name, meta, value(meta)?)
        } else if meta.path.is_ident("description") {
            set(&mut self.description, meta, value(meta)?)
        } else if meta.path.is_ident("returns") {
            set(&mut self.returns, meta, value(meta)?)
        } else if meta.path.is_ident("crate") {
            set(&mut self.kernel, meta, crate_path(meta)?)
        } else {
            Err(unknown_key(meta, &["name", "description", "returns", "crate"]))
        }
    }
}

impl PluginOptions {
    pub(super) fn read(tokens: TokenStream) -> Result<Self> {
        let mut options = Self::default();
        read_own(tokens, |meta| {
            if meta.path.is_ident("description") {
                set(&mut options.description, &meta, value(&meta)?)
            } else if meta.path.is_ident("crate") {
                set(&mut options.kernel, &meta, crate_path(&meta)?)
            } else {
                Err(unknown_key(&meta, &["description", "crate"]))
            }
        })?;
        Ok(options)
    }
}

impl ParameterOptions {
    pub(super) fn read(attributes: &[Attribute]) -> Result<Self> {
        let mut options = Self::default();
        read_all(attributes, "parameter", |meta| options.read_key(&meta))?;
        Ok(options)
    }

    fn read_key(&mut self, meta: &ParseNestedMeta<'_>) -> Result<()> {
        if meta.path.is_ident("name") {
            set(&mut self.name, meta, value(meta)?)
        } else if meta.path.is_ident("description") {
            set(&mut self.description, meta, value(meta)?)
        } else if meta.path.is_ident("default") {
            set(&mut self.default, meta, DefaultValue::read(meta)?)
        } else if meta.path.is_ident("minimum") {
            set(&mut self.minimum, meta, value(meta)?)
        } else if meta.path.is_ident("maximum") {
            set(&mut self.maximum, meta, value(meta)?)
        } else {
            Err(unknown_key(meta, &["name", "description", "default", "minimum", "maximum"]))
        }
    }
}

impl DefaultValue {
    fn read(meta: &ParseNestedMeta<'_>) -> Result<Self> {
        if meta.input.peek(Token![=]) {
            return Ok(Self::Expression(value(meta)?));
        }
        Ok(Self::OfType)
    }
}
