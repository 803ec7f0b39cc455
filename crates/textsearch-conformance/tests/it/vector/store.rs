//! A vector store of plain lists.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard},
};

use textsearch_conformance::core::{
    Error, ErrorKind, Result, async_trait,
    vector::{
        DataKind, Distance, IndexKind, KeyKind, RecordDefinition, RecordKey, StoredRecord,
        VectorCollection, VectorStore,
    },
};

use super::collection::ListCollection;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mistake {
    None,
    /// No mistake: rejects the operations that the test declares as missing.
    DoesLess,
    AcceptsAnyVector,
    BreaksTiesBackwards,
    ComparesDatesAsTexts,
    CountsTheWindow,
    CreatesMissingCollections,
    FiltersAfterTop,
    FoldsKeys,
    ForgetsNull,
    IgnoresTheRankConstant,
    IgnoresUnknownFields,
    IgnoresWeights,
    KeepsOldFields,
    LeavesOutMissingFields,
    RanksBackwards,
    RoundsNumbers,
    SendsVectorsAlways,
    SkipsTwice,
    StoresPartsOfBatches,
    TakesThresholdsAsExclusive,
}

pub(super) struct Stored {
    pub(super) definition: Arc<RecordDefinition>,
    pub(super) records: BTreeMap<RecordKey, StoredRecord>,
}

pub(super) type Collections = Arc<Mutex<BTreeMap<String, Stored>>>;

pub(super) struct ListStore {
    collections: Collections,
    mistake: Mistake,
}

impl ListStore {
    pub(super) fn new(mistake: Mistake) -> Self {
        Self { collections: Collections::default(), mistake }
    }
}

pub(super) fn locked(collections: &Collections) -> MutexGuard<'_, BTreeMap<String, Stored>> {
    collections.lock().unwrap()
}

pub(super) fn refused(option: &str, value: impl std::fmt::Display, allowed: &str) -> Error {
    Error::invalid_options("lists", option, value, allowed)
}

#[async_trait]
impl VectorStore for ListStore {
    fn name(&self) -> &str {
        "lists"
    }

    async fn collection_names(&self) -> Result<Vec<String>> {
        Ok(locked(&self.collections).keys().cloned().collect())
    }

    fn stored_collection(
        &self,
        name: &str,
        definition: RecordDefinition,
    ) -> Result<Arc<dyn VectorCollection>> {
        definition.validate("lists")?;
        if name.is_empty() {
            return Err(refused("name", "empty", "a name"));
        }
        if definition.vectors.iter().any(|field| field.index != IndexKind::Exact) {
            return Err(refused("index", "a graph", "exact"));
        }
        if self.mistake == Mistake::DoesLess {
            check_less(&definition)?;
        }
        Ok(Arc::new(ListCollection {
            collections: Arc::clone(&self.collections),
            name: name.to_owned(),
            definition: Arc::new(definition),
            mistake: self.mistake,
        }))
    }
}

fn check_less(definition: &RecordDefinition) -> Result<()> {
    if definition.vectors.iter().any(|field| field.distance == Distance::Hamming) {
        return Err(refused("distance", "hamming", "any other"));
    }
    if definition.key.kind == KeyKind::Uuid {
        return Err(refused("key", "a UUID", "a text or an integer"));
    }
    if definition.full_text_fields().next().is_some() {
        return Err(refused("full_text", "a field", "none"));
    }
    Ok(())
}

pub(super) fn fits(value: &serde_json::Value, kind: DataKind) -> bool {
    match kind {
        DataKind::String => value.is_string(),
        DataKind::DateTime => value.is_string(),
        DataKind::Integer => value.is_i64() || value.is_u64(),
        DataKind::Number => value.is_number(),
        DataKind::Boolean => value.is_boolean(),
        DataKind::Strings => value.is_array(),
        _ => true,
    }
}

pub(super) fn not_found(name: &str) -> Error {
    Error::new(ErrorKind::collection_not_found(name), "lists", format!("no collection `{name}`"))
}
