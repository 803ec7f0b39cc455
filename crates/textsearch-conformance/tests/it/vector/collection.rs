//! Records by key.

use std::{cmp::Ordering, collections::BTreeMap, sync::Arc};

use serde_json::{Map, Value};
use textsearch_conformance::core::{
    Error, ErrorKind, Filter, Result, SearchResults, async_trait,
    filter::{Comparison, DateTime, FilterValue},
    results::TotalCount,
    vector::{
        DataKind, GetOptions, RecordDefinition, RecordKey, ScanOptions, Scored, SearchInput,
        StoredRecord, VectorCollection, VectorField, VectorSearchOptions,
    },
};

use super::{
    ranking,
    store::{Collections, Mistake, Stored, fits, locked, not_found, refused},
};

pub(super) struct ListCollection {
    pub(super) collections: Collections,
    pub(super) name: String,
    pub(super) definition: Arc<RecordDefinition>,
    pub(super) mistake: Mistake,
}

impl ListCollection {
    pub(super) fn has(&self, mistake: Mistake) -> bool {
        self.mistake == mistake
    }

    fn change<T>(
        &self,
        change: impl FnOnce(&mut BTreeMap<RecordKey, StoredRecord>) -> Result<T>,
    ) -> Result<T> {
        let mut collections = locked(&self.collections);
        if self.has(Mistake::CreatesMissingCollections) {
            collections.entry(self.name.clone()).or_insert_with(|| self.empty());
        }
        let stored = collections.get_mut(&self.name).ok_or_else(|| not_found(&self.name))?;
        change(&mut stored.records)
    }

    fn empty(&self) -> Stored {
        Stored { definition: Arc::clone(&self.definition), records: BTreeMap::new() }
    }

    pub(super) fn matching(&self, filter: Option<&Filter>) -> Result<Vec<StoredRecord>> {
        if let Some(filter) = filter
            && !self.has(Mistake::IgnoresUnknownFields)
        {
            self.definition.check_filter(filter, "lists")?;
            if self.has(Mistake::DoesLess) && filter.to_string().contains("9007199254740993") {
                return Err(refused("filter", filter, "numbers of 53 bits"));
            }
        }
        let lets_through =
            |record: &&StoredRecord| filter.is_none_or(|filter| self.lets(filter, &record.data));
        self.change(|records| Ok(records.values().filter(lets_through).cloned().collect()))
    }

    fn lets(&self, filter: &Filter, data: &Map<String, Value>) -> bool {
        match filter {
            Filter::Compare { field, operator: Comparison::Ne, .. }
                if self.has(Mistake::LeavesOutMissingFields) =>
            {
                data.contains_key(field) && filter.matches_object(data)
            }
            Filter::Compare { field, operator, value: FilterValue::DateTime(date) }
                if self.has(Mistake::ComparesDatesAsTexts) =>
            {
                Filter::compare(field, *operator, date.to_string()).matches_object(data)
            }
            _ => filter.matches_object(data),
        }
    }

    pub(super) fn finish(&self, mut record: StoredRecord, with_vectors: bool) -> StoredRecord {
        if !with_vectors && !self.has(Mistake::SendsVectorsAlways) {
            record.vectors.clear();
        }
        record
    }

    fn key(&self, key: &RecordKey) -> RecordKey {
        match key {
            RecordKey::String(text) if self.has(Mistake::FoldsKeys) => text.to_lowercase().into(),
            key => self.definition.key.canonical(key).into_owned(),
        }
    }

    fn check(&self, record: &StoredRecord) -> Result<()> {
        let bad = |message: &str| {
            Err(Error::new(ErrorKind::invalid_record(record.key.to_string()), "lists", message))
        };
        if !self.definition.key.accepts(&record.key) {
            return bad("the key is of another kind");
        }
        for (name, vector) in &record.vectors {
            let field = self.definition.vectors.iter().find(|field| field.name == *name);
            let Some(field) = field else { return bad("there is no such vector") };
            if !self.has(Mistake::AcceptsAnyVector) && !is_comparable(vector, field) {
                return bad("a vector does not fit");
            }
        }
        if self.has(Mistake::DoesLess) && !self.is_plain(record) {
            return bad("a value does not fit");
        }
        Ok(())
    }

    fn is_plain(&self, record: &StoredRecord) -> bool {
        const LARGEST: u64 = 1 << 53;
        let is_small = |value: &Value| {
            let size = value.as_u64().or_else(|| value.as_i64().map(i64::unsigned_abs));
            size.is_none_or(|size| size <= LARGEST)
        };
        record.data.iter().all(|(name, value)| {
            let kind = self.definition.data_field(name).map(|field| field.kind);
            let is_key = *name == self.definition.key.name;
            (is_key || is_small(value))
                && (value.is_null() || kind.is_none_or(|kind| fits(value, kind)))
        })
    }

    fn stored(&self, mut record: StoredRecord, old: Option<&StoredRecord>) -> StoredRecord {
        if self.has(Mistake::RoundsNumbers) {
            for value in record.data.values_mut().filter(|value| value.is_f64()) {
                *value = Value::from(value.as_f64().map(|number| number as f32));
            }
        }
        if self.has(Mistake::ForgetsNull) {
            record.data.retain(|_, value| !value.is_null());
        }
        if let (true, Some(old)) = (self.has(Mistake::KeepsOldFields), old) {
            let mut data = old.data.clone();
            data.append(&mut record.data);
            record.data = data;
        }
        record.key = self.key(&record.key);
        record
    }
}

pub(super) fn is_comparable(vector: &[f32], field: &VectorField) -> bool {
    vector.len() == field.dimensions
        && vector.iter().all(|element| element.is_finite())
        && !(field.distance.needs_direction() && vector.iter().all(|element| *element == 0.0))
}

#[async_trait]
impl VectorCollection for ListCollection {
    fn name(&self) -> &str {
        &self.name
    }

    fn store_name(&self) -> &str {
        "lists"
    }

    fn definition(&self) -> &Arc<RecordDefinition> {
        &self.definition
    }

    async fn exists(&self) -> Result<bool> {
        Ok(locked(&self.collections).contains_key(&self.name))
    }

    async fn ensure_exists(&self) -> Result<()> {
        let mut collections = locked(&self.collections);
        let stored = collections.entry(self.name.clone()).or_insert_with(|| self.empty());
        let shape = |definition: &RecordDefinition| -> Vec<_> {
            let fields = definition.vectors.iter();
            fields.map(|field| (field.name.clone(), field.dimensions, field.distance)).collect()
        };
        if shape(&stored.definition) == shape(&self.definition) {
            return Ok(());
        }
        let (found, allowed) = (shape(&self.definition), shape(&stored.definition));
        Err(refused("definition", format_args!("{found:?}"), &format!("{allowed:?}")))
    }

    async fn delete_collection(&self) -> Result<()> {
        locked(&self.collections).remove(&self.name);
        Ok(())
    }

    async fn upsert(&self, given: Vec<StoredRecord>) -> Result<()> {
        self.change(|records| {
            if !self.has(Mistake::StoresPartsOfBatches) {
                given.iter().try_for_each(|record| self.check(record))?;
            }
            for record in given {
                self.check(&record)?;
                let record = self.stored(record.clone(), records.get(&record.key));
                records.insert(record.key.clone(), record);
            }
            Ok(())
        })
    }

    async fn get(&self, keys: &[RecordKey], options: &GetOptions) -> Result<Vec<StoredRecord>> {
        self.change(|records| {
            let found = keys.iter().filter_map(|key| records.get(&self.key(key))).cloned();
            Ok(found.map(|record| self.finish(record, options.include_vectors)).collect())
        })
    }

    async fn delete(&self, keys: &[RecordKey]) -> Result<()> {
        self.change(|records| {
            keys.iter().for_each(|key| drop(records.remove(&self.key(key))));
            Ok(())
        })
    }

    async fn delete_matching(&self, filter: &Filter) -> Result<()> {
        let gone = self.matching(Some(filter))?;
        self.change(|records| {
            gone.iter().for_each(|record| drop(records.remove(&record.key)));
            Ok(())
        })
    }

    async fn scan(&self, options: &ScanOptions) -> Result<SearchResults<StoredRecord>> {
        let mut found = self.matching(options.filter.as_ref())?;
        for order in options.order_by.iter().rev() {
            let kind = self.definition.data_field(&order.field).map(|field| field.kind);
            if kind.is_none() && order.field != self.definition.key.name {
                return Err(refused("order_by", &order.field, "id, title, body, year or tags"));
            }
            if self.has(Mistake::DoesLess) && kind == Some(DataKind::String) {
                return Err(refused("order_by", &order.field, "a number"));
            }
            found.sort_by(|one, other| {
                compare(
                    one,
                    other,
                    &order.field,
                    kind == Some(DataKind::DateTime),
                    order.is_descending,
                )
            });
        }
        let count = found.len() as u64;
        let window = found.into_iter().skip(options.skip).take(options.top.unwrap_or(usize::MAX));
        let window = window.map(|record| self.finish(record, options.include_vectors));
        Ok(SearchResults::from_vec(window.collect()).with_total_count(TotalCount::Exact(count)))
    }

    async fn search(
        &self,
        input: &SearchInput,
        options: &VectorSearchOptions,
    ) -> Result<SearchResults<Scored<StoredRecord>>> {
        match input {
            SearchInput::Vector(vector) => {
                let ranked = ranking::by_vector(self, vector, options)?;
                Ok(ranking::window(self, ranked, options))
            }
            SearchInput::Text(text) => self.full_text_search(text, options).await,
            other => Err(refused("input", format_args!("{other:?}"), "a vector or a text")),
        }
    }

    async fn full_text_search(
        &self,
        text: &str,
        options: &VectorSearchOptions,
    ) -> Result<SearchResults<Scored<StoredRecord>>> {
        Ok(ranking::window(self, ranking::by_words(self, text, options)?, options))
    }

    async fn hybrid_search(
        &self,
        text: &str,
        vector: Option<Arc<[f32]>>,
        options: &VectorSearchOptions,
    ) -> Result<SearchResults<Scored<StoredRecord>>> {
        let vector = vector.ok_or_else(|| refused("vector", "not given", "a vector"))?;
        Ok(ranking::window(self, ranking::fused(self, text, &vector, options)?, options))
    }
}

/// Missing values come last in both directions.
fn compare(
    one: &StoredRecord,
    other: &StoredRecord,
    field: &str,
    is_date: bool,
    is_descending: bool,
) -> Ordering {
    let value =
        |record: &StoredRecord| record.data.get(field).filter(|value| !value.is_null()).cloned();
    let (Some(left), Some(right)) = (value(one), value(other)) else {
        return value(one).is_none().cmp(&value(other).is_none());
    };
    let date = |value: &Value| DateTime::parse(value.as_str().unwrap_or_default()).ok();
    let ordering = if is_date {
        date(&left).cmp(&date(&right))
    } else {
        let number = left.as_f64().partial_cmp(&right.as_f64()).unwrap_or(Ordering::Equal);
        let text = left.as_str().cmp(&right.as_str());
        number.then(text).then(left.as_bool().cmp(&right.as_bool()))
    };
    if is_descending { ordering.reverse() } else { ordering }
}
