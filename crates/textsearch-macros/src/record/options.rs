//! The options of `#[record(…)]`.

use proc_macro2::Span;
use syn::{Attribute, Expr, LitStr, Path, Result, meta::ParseNestedMeta, spanned::Spanned as _};

use super::{full_text::FullTextOptions, vector::VectorOptions};
use crate::attribute::{crate_path, read_all, set, unknown_key, value};

const OF_STRUCT: [&str; 5] =
    ["shards", "replication_factor", "write_consistency_factor", "without_schema", "crate"];

const OF_FIELD: [&str; 12] = [
    "key",
    "kind",
    "description",
    "filterable",
    "without_text_order",
    "offered_to_model",
    "full_text",
    "name",
    "value",
    "link",
    "published",
    "vector",
];

#[derive(Default)]
pub(super) struct StructOptions {
    pub(super) shards: Option<Expr>,
    pub(super) replication_factor: Option<Expr>,
    pub(super) write_consistency_factor: Option<Expr>,
    /// The type implements `JsonSchema` itself.
    pub(super) without_schema: Option<Span>,
    pub(super) core: Option<Path>,
}

/// Each role has its location.
#[derive(Default)]
pub(super) struct FieldOptions {
    pub(super) key: Option<Span>,
    pub(super) kind: Option<LitStr>,
    pub(super) description: Option<LitStr>,
    pub(super) filterable: Option<Span>,
    pub(super) without_text_order: Option<Span>,
    pub(super) offered_to_model: Option<Span>,
    pub(super) full_text: Option<(Span, FullTextOptions)>,
    pub(super) name: Option<Span>,
    pub(super) value: Option<Span>,
    pub(super) link: Option<Span>,
    pub(super) published: Option<Span>,
    pub(super) vector: Option<(Span, VectorOptions)>,
}

impl StructOptions {
    pub(super) fn read(attributes: &[Attribute]) -> Result<Self> {
        let mut options = Self::default();
        read_all(attributes, "record", |meta| {
            let key = meta.path.get_ident().map(ToString::to_string).unwrap_or_default();
            match key.as_str() {
                "shards" => set(&mut options.shards, &meta, value(&meta)?),
                "replication_factor" => set(&mut options.replication_factor, &meta, value(&meta)?),
                "write_consistency_factor" => {
                    set(&mut options.write_consistency_factor, &meta, value(&meta)?)
                }
                "without_schema" => set(&mut options.without_schema, &meta, meta.path.span()),
                "crate" => set(&mut options.core, &meta, crate_path(&meta)?),
                other if OF_FIELD.contains(&other) => {
                    Err(meta.error(format!("`{other}` goes on a field")))
                }
                _ => Err(unknown_key(&meta, &OF_STRUCT)),
            }
        })?;
        Ok(options)
    }
}

impl FieldOptions {
    pub(super) fn read(attributes: &[Attribute]) -> Result<Self> {
        let mut options = Self::default();
        read_all(attributes, "record", |meta| options.read_key(&meta))?;
        Ok(options)
    }

    fn read_key(&mut self, meta: &ParseNestedMeta<'_>) -> Result<()> {
        let key = meta.path.get_ident().map(ToString::to_string);
        let span = meta.path.span();
        match key.unwrap_or_default().as_str() {
            "key" => set(&mut self.key, meta, span),
            "kind" => set(&mut self.kind, meta, value(meta)?),
            "description" => set(&mut self.description, meta, value(meta)?),
            "filterable" => set(&mut self.filterable, meta, span),
            "without_text_order" => set(&mut self.without_text_order, meta, span),
            "offered_to_model" => set(&mut self.offered_to_model, meta, span),
            "full_text" => set(&mut self.full_text, meta, (span, FullTextOptions::read(meta)?)),
            "name" => set(&mut self.name, meta, span),
            "value" => set(&mut self.value, meta, span),
            "link" => set(&mut self.link, meta, span),
            "published" => set(&mut self.published, meta, span),
            "vector" => set(&mut self.vector, meta, (span, VectorOptions::read(meta)?)),
            other if OF_STRUCT.contains(&other) => {
                Err(meta.error(format!("`{other}` goes on the struct")))
            }
            _ => Err(unknown_key(meta, &OF_FIELD)),
        }
    }

    /// The options that only data fields may have.
    pub(super) fn of_data(&self) -> impl Iterator<Item = (&'static str, Span)> {
        let full_text = self.full_text.as_ref().map(|(span, _)| *span);
        let all = [
            ("filterable", self.filterable),
            ("without_text_order", self.without_text_order),
            ("offered_to_model", self.offered_to_model),
            ("full_text", full_text),
            ("name", self.name),
            ("value", self.value),
            ("link", self.link),
            ("published", self.published),
        ];
        all.into_iter().filter_map(|(key, span)| Some((key, span?)))
    }
}
