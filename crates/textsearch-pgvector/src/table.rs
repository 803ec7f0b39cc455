//! The table of a collection, as SQL.

use std::sync::Arc;

use textsearch_core::{
    Error, Result,
    text_analysis::SparseFields,
    vector::{DataField, DataKind, KeyKind, RecordDefinition, VectorField},
};
use tokio_postgres::error::SqlState;

use crate::{
    CONNECTOR, FullTextRanking, PgVectorTable,
    columns::{TEXT, columns, has_column, quoted, sql_type},
    error::{class, failure},
    existing::Existing,
    ts_vector,
    vectors::VectorColumn,
};

/// The column with the whole record except its vectors, as JSON. The type `json` keeps each
/// character; `jsonb` would rewrite numbers.
pub(crate) const DATA: &str = "\"textsearch_data\"";

/// The columns with the terms of a record's full-text fields, as sorted numbers, and their weights.
/// Null without any term.
pub(crate) const TERMS: &str = "\"textsearch_terms\"";
pub(crate) const WEIGHTS: &str = "\"textsearch_weights\"";

/// The part of a record to read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    Key,
    Data,
    DataAndVectors,
}

impl Part {
    pub(crate) fn new(include_vectors: bool) -> Self {
        if include_vectors { Self::DataAndVectors } else { Self::Data }
    }
}

#[derive(Debug)]
pub(crate) struct Table {
    pub(crate) schema: String,
    pub(crate) name: String,
    pub(crate) definition: Arc<RecordDefinition>,
    /// Schema and name, in quotes.
    pub(crate) sql: String,
    /// The column of the key, in quotes.
    pub(crate) key: String,
    /// The columns, if another program created the table.
    pub(crate) existing: Option<Existing>,
    /// In the order of the definition's vectors.
    pub(crate) vectors: Vec<VectorColumn>,
    pub(crate) texts: SparseFields,
    pub(crate) ranking: FullTextRanking,
}

impl Table {
    pub(crate) fn new(
        schema: &str,
        name: &str,
        definition: Arc<RecordDefinition>,
        ranking: FullTextRanking,
        settings: &PgVectorTable,
    ) -> Self {
        let vectors = definition.vectors.iter();
        let relation = settings.existing.as_ref().map_or(name, |existing| &existing.name);
        Self {
            schema: schema.to_owned(),
            name: name.to_owned(),
            sql: format!("{}.{}", quoted(schema), quoted(relation)),
            key: quoted(settings.column(&definition.key.name)),
            existing: None,
            vectors: vectors.map(|field| VectorColumn::new(field, settings)).collect(),
            texts: SparseFields::new(&definition),
            definition,
            ranking,
        }
    }

    pub(crate) fn with_existing(mut self, existing: Existing) -> Self {
        self.existing = Some(existing);
        self
    }

    /// Returns the error of a call on this collection.
    pub(crate) fn error(&self, error: tokio_postgres::Error) -> Error {
        if error.code() == Some(&SqlState::UNDEFINED_TABLE) {
            return match &self.existing {
                Some(existing) => existing.missing(&self.name),
                None => Error::collection_not_found(CONNECTOR, &self.name),
            };
        }
        // Unknown columns, other types, other dimensions.
        let is_mismatch = class(&error).is_some_and(|class| ["22", "42"].contains(&class));
        let advice = "call ensure_exists to compare the definition with the table";
        let query = format!("a query of the collection `{}`", self.name);
        failure(&query, error, is_mismatch.then_some(advice))
    }

    /// Returns an order of keys like the core's. `column` holds keys.
    pub(crate) fn by_key(&self, column: &str) -> String {
        let is_text = self.definition.key.kind == KeyKind::String;
        let collation = if self.existing.is_some() && is_text { " COLLATE \"C\"" } else { "" };
        format!("{column}{collation}")
    }

    /// Returns the condition of the rows whose keys records can have. A table of another program may
    /// hold other rows. No comparison is true for null.
    pub(crate) fn valid_keys(&self) -> Option<String> {
        self.existing.as_ref()?;
        let valid = match self.definition.key.kind {
            KeyKind::Integer => ">= 0",
            KeyKind::String => "<> ''",
            _ => "IS NOT NULL",
        };
        Some(format!("{} {valid}", self.key))
    }

    /// Returns the column of a data field for `ORDER BY`, if Postgres can order by it as scans do.
    pub(crate) fn ordered(&self, field: &DataField) -> Option<String> {
        match &self.existing {
            Some(existing) => existing.column(&field.name)?.ordered(),
            None => {
                let rounds = matches!(field.kind, DataKind::Number | DataKind::DateTime);
                (has_column(field) && !rounds).then(|| quoted(&field.name))
            }
        }
    }

    /// Returns whether the table has columns of terms.
    pub(crate) fn has_terms(&self) -> bool {
        self.ranking == FullTextRanking::Terms
            && self.definition.full_text_fields().next().is_some()
    }

    /// Returns the full-text fields with a column of their own.
    pub(crate) fn ts_fields(&self) -> impl Iterator<Item = &DataField> {
        let has_columns = self.ranking == FullTextRanking::TsRank;
        self.definition.full_text_fields().filter(move |_| has_columns)
    }

    /// Creates the table, and the indexes of its words.
    pub(crate) fn create(&self) -> String {
        let data = columns(&self.definition)
            .filter_map(|field| Some(format!("{} {}", quoted(&field.name), sql_type(field.kind)?)));
        let vectors = self.vectors.iter();
        let vectors = vectors.map(|column| format!("{} {}", column.sql, column.sql_type()));
        let key = format!("{} {} PRIMARY KEY", self.key, self.key_type());
        let data = [key, format!("{DATA} json NOT NULL")].into_iter().chain(data);
        let mut all: Vec<_> = data.chain(vectors).collect();
        let mut indexed: Vec<String> = Vec::new();
        if self.has_terms() {
            all.extend([format!("{TERMS} integer[]"), format!("{WEIGHTS} real[]")]);
            indexed.push(TERMS.to_owned());
        }
        for field in self.ts_fields() {
            let column = quoted(&ts_vector::column(field));
            all.push(format!("{column} tsvector"));
            indexed.push(column);
        }
        let table = format!("CREATE TABLE {} ({})", self.sql, all.join(", "));
        let indexes = indexed
            .into_iter()
            .map(|column| format!("CREATE INDEX ON {} USING gin ({column})", self.sql));
        [table].into_iter().chain(indexes).collect::<Vec<_>>().join("; ")
    }

    /// Stores rows. The parameters are arrays: keys, data, a column each, vectors, and the texts of
    /// each field with a `tsvector`; for terms instead, the first and the last place of each row's
    /// terms, and the terms and the weights of all rows.
    ///
    /// # Errors
    /// Returns `InvalidOptions` if Postgres has no configuration for a language.
    pub(crate) fn upsert(&self) -> Result<String> {
        let key = match self.definition.key.kind {
            KeyKind::Integer => "numeric",
            _ => "text",
        };
        if let Some(existing) = &self.existing {
            return Ok(self.upsert_existing(existing));
        }
        let mut names = vec![self.key.clone(), DATA.to_owned()];
        let mut types = vec!["text", "text"];
        let mut values = vec![format!("c1::{key}"), "c2::json".to_owned()];
        let data = columns(&self.definition).filter_map(|field| {
            let kind = sql_type(field.kind)?.split(' ').next()?;
            Some((&field.name, if kind == "double" { "double precision" } else { kind }))
        });
        for (name, kind) in data {
            names.push(quoted(name));
            types.push(kind);
            values.push(format!("c{}", types.len()));
        }
        for column in &self.vectors {
            let (kind, value) = column.written(&format!("c{}", types.len() + 1));
            names.push(column.sql.clone());
            types.push(kind);
            values.push(value);
        }
        for field in self.ts_fields() {
            names.push(quoted(&ts_vector::column(field)));
            types.push("text");
            values.push(ts_vector::vector(field, &format!("c{}", types.len()))?);
        }
        if self.has_terms() {
            let first = types.len() + 1;
            types.extend(["integer", "integer"]);
            names.extend([TERMS.to_owned(), WEIGHTS.to_owned()]);
            let slice = |kind: &str, place: usize| {
                format!("NULLIF((${place}::{kind}[])[c{first}:c{}], '{{}}')", first + 1)
            };
            values.extend([slice("integer", first + 2), slice("real", first + 3)]);
        }
        Ok(self.insert(&names, &types, &values))
    }

    /// Stores rows in the columns of a table that another program created. The parameters are
    /// arrays of texts, for the key and each field, and of vectors.
    fn upsert_existing(&self, existing: &Existing) -> String {
        let (mut names, mut values): (Vec<_>, Vec<_>) = existing.written().into_iter().unzip();
        let mut types = vec!["text"; names.len()];
        for column in &self.vectors {
            let (kind, value) = column.written(&format!("c{}", types.len() + 1));
            names.push(column.sql.clone());
            types.push(kind);
            values.push(value);
        }
        self.insert(&names, &types, &values)
    }

    /// Inserts or replaces rows from arrays. The first column is the key.
    fn insert(&self, names: &[String], types: &[&str], values: &[String]) -> String {
        let numbered = |write: &dyn Fn(usize, &str) -> String| {
            let each = types.iter().enumerate().map(|(place, kind)| write(place + 1, kind));
            each.collect::<Vec<_>>().join(", ")
        };
        let parameters = numbered(&|number, kind| format!("${number}::{kind}[]"));
        let aliases = numbered(&|number, _| format!("c{number}"));
        let replaced = names.iter().skip(1).map(|name| format!("{name} = EXCLUDED.{name}"));
        let replaced = match replaced.collect::<Vec<_>>().join(", ") {
            none if none.is_empty() => "NOTHING".to_owned(),
            replaced => format!("UPDATE SET {replaced}"),
        };
        format!(
            "INSERT INTO {} ({}) SELECT {} FROM unnest({parameters}) AS given ({aliases}) \
             ON CONFLICT ({}) DO {replaced}",
            self.sql,
            names.join(", "),
            values.join(", "),
            self.key,
        )
    }

    /// Returns the columns of a record.
    pub(crate) fn selected(&self, part: Part) -> String {
        if part == Part::Key {
            // An order by the name of the key must not mean this text.
            return format!("{}::text AS textsearch_key_text", self.key);
        }
        let vectors = self.vectors.iter().filter(|_| part == Part::DataAndVectors);
        let vectors = vectors.map(VectorColumn::elements);
        let data = match &self.existing {
            Some(existing) => existing.selected(),
            None => format!("{DATA}::text"),
        };
        [data].into_iter().chain(vectors).collect::<Vec<_>>().join(", ")
    }

    /// Returns the columns that [`selected`](Self::selected) reads, except the key.
    pub(crate) fn raw(&self, part: Part) -> Vec<String> {
        let data = match &self.existing {
            _ if part == Part::Key => Vec::new(),
            Some(existing) => existing.data.iter().map(|mapped| mapped.column.sql()).collect(),
            None => vec![DATA.to_owned()],
        };
        let vectors = self.vectors.iter().filter(|_| part == Part::DataAndVectors);
        data.into_iter().chain(vectors.map(|column| column.sql.clone())).collect()
    }

    /// Returns the column of a vector in the definition.
    pub(crate) fn vector_column(&self, field: &VectorField) -> Option<&VectorColumn> {
        let place = self.definition.vectors.iter().position(|vector| vector.name == field.name)?;
        self.vectors.get(place)
    }

    fn key_type(&self) -> &'static str {
        match self.definition.key.kind {
            // Unsigned, of 64 bits.
            KeyKind::Integer => "numeric(20)",
            _ => TEXT,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Table {
        let definition = RecordDefinition::new("id")
            .with_key_kind(KeyKind::Integer)
            .with_data(DataField::string("a\"b").filterable())
            .with_data(DataField::number("size").filterable())
            .with_data(DataField::string("body"))
            .with_vector(VectorField::new("embedding", 3));
        Table::new(
            "public",
            "notes",
            Arc::new(definition),
            FullTextRanking::Terms,
            &PgVectorTable::new(),
        )
    }

    #[test]
    fn each_filterable_field_and_vector_has_a_column() {
        assert_eq!(
            table().create(),
            r#"CREATE TABLE "public"."notes" ("id" numeric(20) PRIMARY KEY, "textsearch_data" json NOT NULL, "a""b" text COLLATE "C", "size" double precision, "embedding" vector(3))"#
        );
    }

    #[test]
    fn an_upsert_replaces_all_but_the_key() {
        assert_eq!(
            table().upsert().unwrap(),
            r#"INSERT INTO "public"."notes" ("id", "textsearch_data", "a""b", "size", "embedding") SELECT c1::numeric, c2::json, c3, c4, c5 FROM unnest($1::text[], $2::text[], $3::text[], $4::double precision[], $5::vector[]) AS given (c1, c2, c3, c4, c5) ON CONFLICT ("id") DO UPDATE SET "textsearch_data" = EXCLUDED."textsearch_data", "a""b" = EXCLUDED."a""b", "size" = EXCLUDED."size", "embedding" = EXCLUDED."embedding""#
        );
    }

    #[test]
    fn full_text_adds_columns_of_terms() {
        let definition =
            RecordDefinition::new("id").with_data(DataField::string("body").full_text());
        let table = Table::new(
            "public",
            "notes",
            Arc::new(definition),
            FullTextRanking::Terms,
            &PgVectorTable::new(),
        );
        assert_eq!(
            table.create(),
            r#"CREATE TABLE "public"."notes" ("id" text COLLATE "C" PRIMARY KEY, "textsearch_data" json NOT NULL, "textsearch_terms" integer[], "textsearch_weights" real[]); CREATE INDEX ON "public"."notes" USING gin ("textsearch_terms")"#
        );
        assert!(table.upsert().unwrap().contains(
            r#"SELECT c1::text, c2::json, NULLIF(($5::integer[])[c3:c4], '{}'), NULLIF(($6::real[])[c3:c4], '{}') FROM unnest($1::text[], $2::text[], $3::integer[], $4::integer[]) AS given (c1, c2, c3, c4)"#
        ));
    }

    #[test]
    fn each_field_ranked_by_postgres_has_a_column() {
        let text = DataField::string("body").full_text_in("de");
        let definition = RecordDefinition::new("id").with_data(text);
        let table = Table::new(
            "public",
            "notes",
            Arc::new(definition),
            FullTextRanking::TsRank,
            &PgVectorTable::new(),
        );
        assert_eq!(
            table.create(),
            r#"CREATE TABLE "public"."notes" ("id" text COLLATE "C" PRIMARY KEY, "textsearch_data" json NOT NULL, "textsearch_ts_body" tsvector); CREATE INDEX ON "public"."notes" USING gin ("textsearch_ts_body")"#
        );
        assert!(table.upsert().unwrap().contains(
            r#"SELECT c1::text, c2::json, to_tsvector('pg_catalog.german'::regconfig, c3) FROM unnest($1::text[], $2::text[], $3::text[]) AS given (c1, c2, c3)"#
        ));
    }
}
