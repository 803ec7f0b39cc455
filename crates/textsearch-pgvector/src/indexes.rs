//! Indexes of vectors: which ones a table has or lacks.

use std::collections::BTreeMap;

use textsearch_core::{Result, vector::VectorField};

use crate::{
    table::Table,
    vectors::{Built, Index, VectorColumn},
};

impl Table {
    /// Returns the vectors' columns of the table after missing indexes are built.
    ///
    /// # Errors
    /// Returns `InvalidOptions`, which names the field, if `existing` has another type or index.
    pub(crate) fn built(
        &self,
        existing: &BTreeMap<String, Built>,
    ) -> Result<BTreeMap<String, Built>> {
        let fields = self.definition.vectors.iter().zip(&self.vectors);
        let built = fields.map(|(field, column)| {
            let new = Built { kind: column.kind, index: column.index.clone() };
            let built = match existing.get(&field.name) {
                Some(old) => new.on(old, &field.name)?,
                None => new,
            };
            Ok((field.name.clone(), built))
        });
        built.collect()
    }

    /// Returns the vectors whose indexes `existing` lacks.
    pub(crate) fn missing_indexes(
        &self,
        existing: &BTreeMap<String, Built>,
    ) -> Vec<(&VectorField, &VectorColumn)> {
        let fields = self.definition.vectors.iter().zip(&self.vectors);
        let is_missing =
            |name: &str| existing.get(name).is_none_or(|built| built.index == Index::None);
        let missing = |(field, column): &(&VectorField, &VectorColumn)| {
            column.index != Index::None && is_missing(&field.name)
        };
        fields.filter(missing).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use textsearch_core::vector::{HnswParameters, IndexKind, RecordDefinition};

    use super::*;
    use crate::{FullTextRanking, IvfFlatParameters, PgVectorTable, VectorType};

    fn vector() -> VectorField {
        VectorField::new("embedding", 3)
    }

    fn typed(kind: VectorType) -> PgVectorTable {
        PgVectorTable::new().with_vector_type("embedding", kind)
    }

    fn ivf(lists: u32) -> PgVectorTable {
        PgVectorTable::new().with_ivf_flat("embedding", IvfFlatParameters::new(lists))
    }

    fn hnsw() -> VectorField {
        vector().with_index(IndexKind::hnsw())
    }

    fn table(field: VectorField, settings: &PgVectorTable) -> Table {
        let definition = RecordDefinition::new("id").with_vector(field);
        Table::new("public", "notes", Arc::new(definition), FullTextRanking::Terms, settings)
    }

    #[test]
    fn an_index_can_be_added_but_not_changed() {
        let none = PgVectorTable::new();
        let built = |table: &Table| table.built(&BTreeMap::new()).unwrap();
        let exact = table(vector(), &none);
        let graph = table(hnsw(), &none);
        let lists = table(vector(), &ivf(9));
        assert_eq!(graph.built(&built(&exact)).unwrap(), built(&graph));
        assert_eq!(exact.built(&built(&graph)).unwrap(), built(&graph));
        assert_eq!(graph.missing_indexes(&built(&exact)).len(), 1);
        assert!(graph.missing_indexes(&built(&graph)).is_empty());
        let other = table(
            vector().with_index(HnswParameters { connections: 8, ..HnswParameters::default() }),
            &none,
        );
        let half = table(hnsw(), &typed(VectorType::HalfIndex));
        for (new, old, expected) in [
            (&other, &graph, "connections: 16"),
            (&lists, &graph, "HnswParameters"),
            (&graph, &lists, "IvfFlatParameters { lists: 9"),
            (&half, &graph, "Single with"),
            (&table(vector(), &typed(VectorType::Half)), &exact, "Single without an index"),
            (&table(vector(), &ivf(8)), &lists, "lists: 9"),
        ] {
            let error = new.built(&built(old)).unwrap_err();
            assert!(error.message().contains(expected), "{error}");
        }
    }
}
