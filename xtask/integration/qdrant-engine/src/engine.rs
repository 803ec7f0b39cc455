//! The collections on disk: for each, a shard of the engine and the request that created it.

use std::{
    collections::BTreeMap,
    fs, io,
    path::PathBuf,
    sync::{Arc, PoisonError, RwLock},
};

use prost::Message as _;
use qdrant_client::qdrant::{CreateCollection, UpdateCollection};
use qdrant_edge::{EdgeShard, OperationError, UpdateOperation};
use tonic::Status;

use crate::convert;

/// Holds the request that created a collection.
const CREATED: &str = "created";

pub(crate) struct Engine {
    folder: PathBuf,
    collections: RwLock<BTreeMap<String, Arc<Collection>>>,
}

pub(crate) struct Collection {
    created: RwLock<CreateCollection>,
    /// Writers need exclusive access, because the engine's flush takes its locks at once.
    shard: RwLock<EdgeShard>,
    folder: PathBuf,
}

impl Engine {
    pub(crate) fn open(folder: PathBuf) -> io::Result<Self> {
        fs::create_dir_all(&folder)?;
        let mut collections = BTreeMap::new();
        for entry in fs::read_dir(&folder)? {
            let folder = entry?.path();
            // Interrupted creations were never acknowledged.
            let Ok(bytes) = fs::read(folder.join(CREATED)) else { continue };
            let created = CreateCollection::decode(bytes.as_slice()).map_err(io::Error::other)?;
            let shard = EdgeShard::load(&folder.join("shard"), None).map_err(io::Error::other)?;
            let name = created.collection_name.clone();
            collections.insert(name, Arc::new(Collection::new(created, shard, folder)));
        }
        Ok(Self { folder, collections: RwLock::new(collections) })
    }

    pub(crate) fn names(&self) -> Vec<String> {
        self.collections.read().unwrap_or_else(PoisonError::into_inner).keys().cloned().collect()
    }

    pub(crate) fn exists(&self, name: &str) -> bool {
        self.collections.read().unwrap_or_else(PoisonError::into_inner).contains_key(name)
    }

    pub(crate) fn collection(&self, name: &str) -> Result<Arc<Collection>, Status> {
        let collections = self.collections.read().unwrap_or_else(PoisonError::into_inner);
        let found = collections.get(name).cloned();
        found.ok_or_else(|| {
            Status::not_found(format!("Not found: Collection `{name}` doesn't exist!"))
        })
    }

    pub(crate) fn create(&self, created: CreateCollection) -> Result<(), Status> {
        let name = created.collection_name.clone();
        let mut collections = self.collections.write().unwrap_or_else(PoisonError::into_inner);
        if collections.contains_key(&name) {
            return Err(Status::already_exists(format!("Collection `{name}` already exists!")));
        }
        let encoded: String = name.bytes().map(|byte| format!("{byte:02x}")).collect();
        // File names have at most 255 bytes.
        let folder = self.folder.join(encoded.get(..200).unwrap_or(&encoded));
        let shard_folder = folder.join("shard");
        fs::create_dir_all(&shard_folder)?;
        let shard = EdgeShard::new(&shard_folder, convert::config(&created)?).map_err(status)?;
        fs::write(folder.join(CREATED), created.encode_to_vec())?;
        collections.insert(name, Arc::new(Collection::new(created, shard, folder)));
        Ok(())
    }

    pub(crate) fn delete(&self, name: &str) -> Result<bool, Status> {
        let mut collections = self.collections.write().unwrap_or_else(PoisonError::into_inner);
        let Some(collection) = collections.remove(name) else { return Ok(false) };
        fs::remove_file(collection.folder.join(CREATED))?;
        let folder = collection.folder.clone();
        // Dropping the shard writes a last time.
        drop(collection);
        let _ = fs::remove_dir_all(folder);
        Ok(true)
    }
}

impl Collection {
    fn new(created: CreateCollection, shard: EdgeShard, folder: PathBuf) -> Self {
        Self { created: RwLock::new(created), shard: RwLock::new(shard), folder }
    }

    /// With later changes applied.
    pub(crate) fn created(&self) -> CreateCollection {
        self.created.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Overwrites values of the same name. Of the optimizers, only the threshold is kept, which
    /// changes nothing here.
    pub(crate) fn describe(&self, update: UpdateCollection) -> Result<(), Status> {
        let mut created = self.created.write().unwrap_or_else(PoisonError::into_inner);
        created.metadata.extend(update.metadata);
        if let Some(threshold) = update.optimizers_config.and_then(|it| it.indexing_threshold) {
            let optimizers = created.optimizers_config.get_or_insert_default();
            optimizers.indexing_threshold = Some(threshold);
        }
        Ok(fs::write(self.folder.join(CREATED), created.encode_to_vec())?)
    }

    pub(crate) fn read<T>(
        &self,
        work: impl FnOnce(&EdgeShard) -> Result<T, OperationError>,
    ) -> Result<T, Status> {
        work(&self.shard.read().unwrap_or_else(PoisonError::into_inner)).map_err(status)
    }

    /// Returns once the change is on disk.
    pub(crate) fn update(&self, operation: UpdateOperation) -> Result<(), Status> {
        let shard = self.shard.write().unwrap_or_else(PoisonError::into_inner);
        shard.update(operation).map_err(status)?;
        shard.flush();
        Ok(())
    }
}

fn status(error: OperationError) -> Status {
    match error {
        OperationError::ValidationError { .. }
        | OperationError::WrongVectorDimension { .. }
        | OperationError::VectorNameNotExists { .. } => Status::invalid_argument(error.to_string()),
        other => Status::internal(other.to_string()),
    }
}
