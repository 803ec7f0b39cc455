//! The vector store under test.

use std::{
    fmt,
    pin::Pin,
    process,
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, Ordering},
    },
    time::{SystemTime, UNIX_EPOCH},
};

use textsearch_core::{
    Error, Result,
    vector::{
        DataField, DataKind, Distance, IndexKind, RecordDefinition, VectorCollection, VectorField,
        VectorStore,
    },
};

use super::{
    VectorCapabilities, VectorFeature,
    fixture::{TestCollection, refused_option},
};

type StoreFuture = Pin<Box<dyn Future<Output = Result<Arc<dyn VectorStore>>>>>;

/// The vector store under test. It need not be empty: each case uses its own collections, and
/// deletes them at the end.
pub struct VectorSubject {
    pub(crate) capabilities: VectorCapabilities,
    make: Box<dyn Fn() -> StoreFuture>,
    used: Mutex<Vec<Arc<dyn VectorCollection>>>,
}

impl VectorSubject {
    /// Makes a subject that calls `make` within the runtime of each case.
    pub fn new<S, Fut>(make: impl Fn() -> Fut + 'static, capabilities: VectorCapabilities) -> Self
    where
        S: VectorStore + 'static,
        Fut: Future<Output = Result<S>> + 'static,
    {
        let make = Box::new(move || {
            let made = make();
            Box::pin(async move { Ok(Arc::new(made.await?) as Arc<dyn VectorStore>) })
                as StoreFuture
        });
        Self { capabilities, make, used: Mutex::default() }
    }

    pub(crate) async fn store(&self) -> Arc<dyn VectorStore> {
        (self.make)().await.expect("the store is made")
    }

    /// Has a field of each sort: `title`, `body`, `year`, `tags` and a vector of two elements.
    pub(crate) fn definition(&self) -> RecordDefinition {
        RecordDefinition::new("id")
            .with_data(self.words("title").filterable())
            .with_data(self.words("body"))
            .with_data(DataField::integer("year").filterable())
            .with_data(DataField::new("tags", DataKind::Strings).filterable())
            .with_vector(self.vector("embedding", 2).with_distance(self.distance()))
    }

    pub(crate) fn words(&self, name: &str) -> DataField {
        let field = DataField::string(name);
        if self.capabilities.has_hybrid() { field.full_text() } else { field }
    }

    pub(crate) async fn collection(&self, definition: RecordDefinition) -> TestCollection {
        let store = self.store().await;
        let docs = self.opened(&store, &unused_name(), definition);
        docs.collection.ensure_exists().await.expect("the collection is created");
        docs
    }

    /// Another handle of the collection.
    pub(crate) fn again(
        &self,
        docs: &TestCollection,
        definition: RecordDefinition,
    ) -> TestCollection {
        self.opened(&docs.store, docs.collection.name(), definition)
    }

    pub(crate) fn opened(
        &self,
        store: &Arc<dyn VectorStore>,
        name: &str,
        definition: RecordDefinition,
    ) -> TestCollection {
        self.handle(store, name, definition).expect("a handle is made")
    }

    /// The store refuses the definition.
    pub(crate) async fn refuses(&self, definition: RecordDefinition, what: &str) -> Error {
        refused_option(self.handle(&self.store().await, &unused_name(), definition), what)
    }

    /// The collection is deleted when the case ends.
    pub(crate) fn handle(
        &self,
        store: &Arc<dyn VectorStore>,
        name: &str,
        definition: RecordDefinition,
    ) -> Result<TestCollection> {
        let collection = store.stored_collection(name, definition)?;
        self.used.lock().expect("no case panics here").push(Arc::clone(&collection));
        Ok(TestCollection {
            store: Arc::clone(store),
            collection,
            fusion: self.capabilities.fusion(),
        })
    }

    /// Lets go of all collections without deleting them, as if the program had ended.
    pub(crate) fn close(&self) {
        self.used.lock().expect("no case panics here").clear();
    }

    pub(crate) async fn clean_up(&self) {
        let used = std::mem::take(&mut *self.used.lock().expect("no case panics here"));
        for collection in used {
            // The case's own result counts, and the store may be gone.
            let _ = collection.delete_collection().await;
        }
    }

    /// Uses the index that the store has.
    pub(crate) fn vector(&self, name: &str, dimensions: usize) -> VectorField {
        let field = VectorField::new(name, dimensions);
        if self.capabilities.has(VectorFeature::ExactSearch) {
            field
        } else {
            field.with_index(IndexKind::hnsw())
        }
    }

    /// It ranks vectors of equal length by their angle.
    pub(crate) fn distance(&self) -> Distance {
        if self.capabilities.weighted_sum {
            return Distance::DotProduct;
        }
        let mut distances = self.capabilities.distances.iter().copied();
        let distance = distances.find(|distance| is_by_angle(*distance));
        distance.expect("the store compares by more than elements that differ")
    }
}

/// Returns whether the distance ranks vectors of equal length by their angle.
pub(crate) const fn is_by_angle(distance: Distance) -> bool {
    !matches!(distance, Distance::Hamming | Distance::Jaccard)
}

pub(crate) fn unused_name() -> String {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos();
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    format!("conformance-{}-{now}-{number}", process::id())
}

impl fmt::Debug for VectorSubject {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut printed = formatter.debug_struct("VectorSubject");
        printed.field("capabilities", &self.capabilities).finish_non_exhaustive()
    }
}
