//! The options of `#[record(vector(…))]`.

use proc_macro2::TokenStream;
use quote::{ToTokens as _, quote};
use syn::{
    Error, Expr, ExprLit, Ident, Lit, LitStr, Path, Result, Token, Type, ext::IdentExt as _,
    meta::ParseNestedMeta, parse::ParseStream, punctuated::Punctuated, token::Paren,
};

use super::kind::array_length;
use crate::attribute::{bare, set, unknown_key, value};

const KEYS: [&str; 9] = [
    "dimensions",
    "distance",
    "index",
    "connections",
    "ef_construction",
    "ef_search",
    "quantization",
    "on_disk",
    "embedded_from",
];

const DISTANCES: [(&str, &str); 9] = [
    ("cosine_similarity", "CosineSimilarity"),
    ("cosine_distance", "CosineDistance"),
    ("dot_product", "DotProduct"),
    ("negative_dot_product", "NegativeDotProduct"),
    ("euclidean", "Euclidean"),
    ("euclidean_squared", "EuclideanSquared"),
    ("manhattan", "Manhattan"),
    ("hamming", "Hamming"),
    ("jaccard", "Jaccard"),
];

const QUANTIZATIONS: [(&str, &str); 3] =
    [("scalar", "Scalar"), ("binary", "Binary"), ("product", "Product")];

#[derive(Default)]
pub(super) struct VectorOptions {
    dimensions: Option<Expr>,
    distance: Option<Choice>,
    index: Option<LitStr>,
    connections: Option<Expr>,
    ef_construction: Option<Expr>,
    ef_search: Option<Expr>,
    quantization: Option<Choice>,
    on_disk: Option<()>,
    pub(super) embedded_from: Vec<Source>,
}

pub(super) struct Source {
    pub(super) name: String,
    pub(super) tokens: TokenStream,
}

impl VectorOptions {
    pub(super) fn read(meta: &ParseNestedMeta<'_>) -> Result<Self> {
        let mut options = Self::default();
        if meta.input.peek(Paren) {
            meta.parse_nested_meta(|meta| options.read_key(&meta))?;
        }
        options.check_index()?;
        Ok(options)
    }

    fn read_key(&mut self, meta: &ParseNestedMeta<'_>) -> Result<()> {
        match meta.path.get_ident().map(ToString::to_string).unwrap_or_default().as_str() {
            "dimensions" => set(&mut self.dimensions, meta, value(meta)?),
            "distance" => {
                let distance = named(meta, &DISTANCES, "Distance")?;
                set(&mut self.distance, meta, distance)
            }
            "index" => set(&mut self.index, meta, index(meta)?),
            "connections" => set(&mut self.connections, meta, value(meta)?),
            "ef_construction" => set(&mut self.ef_construction, meta, value(meta)?),
            "ef_search" => set(&mut self.ef_search, meta, value(meta)?),
            "quantization" => {
                let quantization = named(meta, &QUANTIZATIONS, "Quantization")?;
                set(&mut self.quantization, meta, quantization)
            }
            "on_disk" => set(&mut self.on_disk, meta, ()),
            "embedded_from" => {
                let content;
                syn::parenthesized!(content in meta.input);
                let sources = Punctuated::<Source, Token![,]>::parse_terminated_with(
                    &content,
                    Source::parse,
                )?;
                self.embedded_from.extend(sources);
                Ok(())
            }
            _ => Err(unknown_key(meta, &KEYS)),
        }
    }

    fn parameters(&self) -> [(&'static str, Option<&Expr>); 3] {
        [
            ("connections", self.connections.as_ref()),
            ("ef_construction", self.ef_construction.as_ref()),
            ("ef_search", self.ef_search.as_ref()),
        ]
    }

    fn check_index(&self) -> Result<()> {
        let is_graph = self.index.as_ref().is_some_and(|index| index.value() == "hnsw");
        let parameters = self.parameters();
        let parameter = parameters.iter().find_map(|(name, value)| Some((name, (*value)?)));
        match parameter {
            Some((name, value)) if !is_graph => {
                let message =
                    format!("`{name}` is a parameter of the graph: add `index = \"hnsw\"`");
                Err(Error::new_spanned(value, message))
            }
            _ => Ok(()),
        }
    }

    /// From the option, or the array's length.
    pub(super) fn dimensions(&self, ty: &Type) -> Result<Expr> {
        match (&self.dimensions, array_length(ty)) {
            (Some(dimensions), Some(_)) => Err(Error::new_spanned(
                dimensions,
                "the length of the array says it: leave `dimensions` out",
            )),
            (Some(dimensions), None) if is_zero(dimensions) => {
                Err(Error::new_spanned(dimensions, "a vector has at least 1 dimension"))
            }
            (Some(dimensions), None) => Ok(dimensions.clone()),
            (None, Some(length)) => Ok(length.clone()),
            (None, None) => Err(Error::new_spanned(
                ty,
                "a vector needs its number of elements: `vector(dimensions = 384)`",
            )),
        }
    }

    pub(super) fn calls(&self, core: &Path) -> TokenStream {
        let distance = self.distance.as_ref().map(|distance| {
            let distance = distance.path(core);
            quote!(.with_distance(#distance))
        });
        let index = self.index.as_ref().filter(|index| index.value() == "hnsw").map(|_| {
            let parameters = self.parameters();
            // Clippy warns of a rest without fields.
            let rest = parameters.iter().any(|(_, value)| value.is_none());
            let rest = rest.then(|| quote!(..::core::default::Default::default()));
            let fields = parameters.into_iter().filter_map(|(name, value)| {
                let name = quote::format_ident!("{name}");
                value.map(|value| quote!(#name: #value,))
            });
            quote!(.with_index(#core::vector::HnswParameters { #(#fields)* #rest }))
        });
        let quantization = self.quantization.as_ref().map(|quantization| {
            let quantization = quantization.path(core);
            quote!(.with_quantization(#quantization))
        });
        let on_disk = self.on_disk.map(|()| quote!(.on_disk()));
        quote!(#distance #index #quantization #on_disk)
    }
}

enum Choice {
    /// A path below the core's module `vector`.
    Named(TokenStream),
    Given(Box<Expr>),
}

impl Choice {
    fn path(&self, core: &Path) -> TokenStream {
        match self {
            Self::Named(path) => quote!(#core::vector::#path),
            Self::Given(path) => path.to_token_stream(),
        }
    }
}

fn is_zero(value: &Expr) -> bool {
    matches!(value, Expr::Lit(ExprLit { lit: Lit::Int(number), .. }) if number.base10_digits() == "0")
}

fn index(meta: &ParseNestedMeta<'_>) -> Result<LitStr> {
    let index: LitStr = value(meta)?;
    match index.value().as_str() {
        "exact" | "hnsw" => Ok(index),
        other => {
            let message = format!("unknown index `{other}`: allowed are `exact`, `hnsw`");
            Err(Error::new_spanned(index, message))
        }
    }
}

fn named(meta: &ParseNestedMeta<'_>, known: &[(&str, &str)], type_name: &str) -> Result<Choice> {
    let expression: Expr = value(meta)?;
    let Expr::Lit(ExprLit { lit: Lit::Str(name), .. }) = bare(&expression) else {
        return Ok(Choice::Given(Box::new(expression)));
    };
    match known.iter().find(|(known, _)| *known == name.value()) {
        Some((_, variant)) => {
            let type_name = Ident::new(type_name, name.span());
            let variant = Ident::new(variant, name.span());
            Ok(Choice::Named(quote!(#type_name::#variant)))
        }
        None => {
            let names: Vec<&str> = known.iter().map(|(known, _)| *known).collect();
            let key = meta.path.to_token_stream();
            let message =
                format!("unknown {key} `{}`: allowed are `{}`", name.value(), names.join("`, `"));
            Err(Error::new_spanned(name, message))
        }
    }
}

impl Source {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        if input.peek(LitStr) {
            let name: LitStr = input.parse()?;
            return Ok(Self { name: name.value(), tokens: name.into_token_stream() });
        }
        let name: Ident = input.parse()?;
        Ok(Self { name: name.unraw().to_string(), tokens: name.into_token_stream() })
    }
}
