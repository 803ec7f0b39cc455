//! A collection.

use std::sync::Arc;

use rusqlite::Connection;
use textsearch_core::{
    Filter, Result, SearchResults, async_trait,
    results::TotalCount,
    vector::{
        GetOptions, RecordDefinition, RecordKey, ScanOptions, ScanOrder, Scored, SearchInput, StoredRecord,
        VectorCollection, VectorSearchOptions,
    },
};

use crate::{
    CONNECTOR, columns,
    database::{Database, backend},
    records::{self, Opened},
    refused,
};

pub(crate) struct {{type_name}}Collection {
    database: Database,
    name: String,
    definition: Arc<RecordDefinition>,
}

impl {{type_name}}Collection {
    pub(crate) fn new(database: Database, name: &str, definition: RecordDefinition) -> Self {
        Self { database, name: name.to_owned(), definition: Arc::new(definition) }
    }

    async fn read<T: Send + 'static>(
        &self,
        work: impl FnOnce(Opened<'_>) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        self.database.read(self.opened(work)).await
    }

    async fn write<T: Send + 'static>(
        &self,
        work: impl FnOnce(Opened<'_>) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        self.database.write(self.opened(work)).await
    }

    fn opened<T>(
        &self,
        work: impl FnOnce(Opened<'_>) -> Result<T> + Send + 'static,
    ) -> impl FnOnce(&Connection) -> Result<T> + Send + 'static {
        let name = self.name.clone();
        let definition = Arc::clone(&self.definition);
        move |connection| work(Opened::new(connection, &name, &definition)?)
    }
}

#[async_trait]
impl VectorCollection for {{type_name}}Collection {
    fn name(&self) -> &str {
        &self.name
    }

    fn store_name(&self) -> &str {
        CONNECTOR
    }

    fn definition(&self) -> &Arc<RecordDefinition> {
        &self.definition
    }

    async fn exists(&self) -> Result<bool> {
        let name = self.name.clone();
        let exists = move |connection: &_| records::exists(connection, &name).map_err(backend);
        self.database.read(exists).await
    }

    async fn ensure_exists(&self) -> Result<()> {
        let name = self.name.clone();
        let definition = Arc::clone(&self.definition);
        let create = move |connection: &_| records::create(connection, &name, &definition);
        self.database.write(create).await
    }

    async fn delete_collection(&self) -> Result<()> {
        let name = self.name.clone();
        let delete = move |connection: &_| records::delete(connection, &name).map_err(backend);
        self.database.write(delete).await
    }

    async fn upsert(&self, records: Vec<StoredRecord>) -> Result<()> {
        for record in &records {
            self.definition.check_record(CONNECTOR, record)?;
            columns::values(record, &self.definition)?;
        }
        self.write(move |opened| records.iter().try_for_each(|record| opened.put(record))).await
    }

    async fn get(&self, keys: &[RecordKey], options: &GetOptions) -> Result<Vec<StoredRecord>> {
        let keys = keys.to_vec();
        let with_vectors = options.include_vectors;
        self.read(move |opened| {
            let found = keys.iter().map(|key| opened.get(key, with_vectors));
            found.filter_map(Result::transpose).collect()
        })
        .await
    }

    async fn delete(&self, keys: &[RecordKey]) -> Result<()> {
        let keys = keys.to_vec();
        self.write(move |opened| keys.iter().try_for_each(|key| opened.delete(key))).await
    }

    async fn delete_matching(&self, filter: &Filter) -> Result<()> {
        self.definition.check_filter(Some(filter), CONNECTOR)?;
        let filter = filter.clone();
        self.write(move |opened| {
            let found = opened.matching(Some(&filter))?;
            found.iter().try_for_each(|record| opened.delete(&record.key))
        })
        .await
    }

    async fn scan(&self, options: &ScanOptions) -> Result<SearchResults<StoredRecord>> {
        self.definition.check_filter(options.filter.as_ref(), CONNECTOR)?;
        let order = ScanOrder::new(&options.order_by, &self.definition, CONNECTOR)?;
        let options = options.clone();
        self.read(move |opened| {
            let found = order.sorted(opened.matching(options.filter.as_ref())?);
            let count = TotalCount::Exact(found.len() as u64);
            let top = options.top.unwrap_or(usize::MAX);
            let mut window: Vec<_> = found.into_iter().skip(options.skip).take(top).collect();
            if options.include_vectors {
                window.iter_mut().try_for_each(|record| opened.add_vectors(record))?;
            }
            Ok(SearchResults::from_vec(window).with_total_count(count))
        })
        .await
    }

    async fn search(
        &self,
        input: &SearchInput,
        options: &VectorSearchOptions,
    ) -> Result<SearchResults<Scored<StoredRecord>>> {
        let SearchInput::Vector(query) = input else {
            return Err(refused("input", "a text", "a vector, or an embedding generator"));
        };
        self.definition.check_filter(options.filter.as_ref(), CONNECTOR)?;
        let field = self.definition.vector_field(options.vector_field.as_deref(), CONNECTOR)?;
        field.check_query(query, CONNECTOR)?;
        let order = options.order(field.distance.is_higher_better(), CONNECTOR)?;
        let query = Arc::clone(query);
        let options = options.clone();
        let field = field.clone();
        let definition = Arc::clone(&self.definition);
        self.read(move |opened| {
            let mut found = opened.scored(options.filter.as_ref(), &field, &query)?;
            order.rank(&mut found, |(record, score)| (*score, &record.key));
            let count = TotalCount::Exact(found.len() as u64);
            let window = options.window(found).map(|(mut record, score)| {
                if options.include_vectors {
                    opened.add_vectors(&mut record)?;
                }
                Ok(Scored::new(record, score, Arc::clone(&definition)))
            });
            let results = SearchResults::from_vec(window.collect::<Result<_>>()?);
            Ok(results.with_total_count(options.include_total_count.then_some(count)))
        })
        .await
    }

    async fn full_text_search(
        &self,
        _: &str,
        _: &VectorSearchOptions,
    ) -> Result<SearchResults<Scored<StoredRecord>>> {
        Err(refused("full_text", "a text", "a vector: the store has no full text"))
    }

    async fn hybrid_search(
        &self,
        _: &str,
        _: Option<Arc<[f32]>>,
        _: &VectorSearchOptions,
    ) -> Result<SearchResults<Scored<StoredRecord>>> {
        Err(refused("hybrid", "a text", "a vector: the store has no full text"))
    }
}
