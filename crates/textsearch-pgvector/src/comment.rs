//! The comment of a collection's table: its definition, and how it is stored.

use std::collections::BTreeMap;

use textsearch_core::{
    Error, ErrorKind, Result,
    serde::{Deserialize, Serialize},
    text_analysis::Analyzer,
    vector::RecordDefinition,
};

use crate::{
    CONNECTOR, FullTextRanking, PgVectorTable,
    error::refused,
    table::Table,
    vectors::{Built, VectorColumn},
};

/// The begin of the comments.
const MARK: &str = "textsearch collection: ";

#[derive(Serialize, Deserialize)]
#[serde(crate = "textsearch_core::serde")]
pub(crate) struct Described {
    pub(crate) definition: RecordDefinition,
    pub(crate) full_text_ranking: FullTextRanking,
    /// The version of the analysis of terms.
    analyzer: u32,
    /// Complete after [`Described::read`]: older comments lack it.
    #[serde(default)]
    pub(crate) vectors: BTreeMap<String, Built>,
}

impl Described {
    pub(crate) fn new(table: &Table, vectors: BTreeMap<String, Built>) -> Self {
        Self {
            definition: (*table.definition).clone(),
            full_text_ranking: table.ranking,
            analyzer: Analyzer::VERSION,
            vectors,
        }
    }

    pub(crate) fn is_in(comment: &str) -> bool {
        comment.starts_with(MARK)
    }

    /// `None` if the comment is no collection's. Before columns had types, the definition named each
    /// index.
    pub(crate) fn read(comment: &str) -> Option<serde_json::Result<Self>> {
        let json = comment.strip_prefix(MARK)?;
        Some(serde_json::from_str(json).map(|mut described: Self| {
            for field in &described.definition.vectors {
                let column = VectorColumn::new(field, &PgVectorTable::new());
                let built = Built { kind: column.kind, index: column.index };
                described.vectors.entry(field.name.clone()).or_insert(built);
            }
            described
        }))
    }

    pub(crate) fn write(&self) -> Result<String> {
        let json = serde_json::to_string(self).map_err(|error| {
            let message = format!("the definition cannot be written as JSON: {error}");
            Error::new(ErrorKind::Undecodable, CONNECTOR, message).with_source(error)
        })?;
        Ok(format!("{MARK}{json}"))
    }

    /// Checks that the words of the table can be searched.
    pub(crate) fn check_words(&self, table: &Table) -> Result<()> {
        if table.definition.full_text_fields().next().is_none() {
            return Ok(());
        }
        let ranking = table.ranking;
        let allowed = self.full_text_ranking;
        if ranking != allowed {
            let allowed = format!("{allowed:?}, as in the table; or another collection");
            return Err(refused("full_text_ranking", format_args!("{ranking:?}"), &allowed));
        }
        let current = Analyzer::VERSION;
        let version = self.analyzer;
        // Terms of another analysis would not be found.
        if table.has_terms() && version != current {
            let value =
                format_args!("version {current}, and the table's terms have version {version}");
            let allowed = "a collection that is written again with this version";
            return Err(refused("analyzer", value, allowed));
        }
        Ok(())
    }
}
