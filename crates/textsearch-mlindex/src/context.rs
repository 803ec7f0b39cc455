//! The arguments of constructors.

use std::{
    fmt,
    path::{Component, Path, PathBuf},
    sync::Arc,
};

use textsearch_core::{
    Result,
    secret::Secret,
    vector::{EmbeddingGenerator, Fusion},
};

use crate::{
    EmbeddingsSection, IndexSection, Service, ServiceAccess,
    access::{Access, ServiceSettings},
    sections::API_BASE,
};

const MODEL: &str = "model";

/// The argument of a constructor of embedding models.
#[non_exhaustive]
pub struct EmbeddingsContext {
    /// The section of the file.
    pub settings: EmbeddingsSection,
    /// The folder of the file, if it was read from one.
    pub folder: Option<PathBuf>,
    pub(crate) access: Access,
}

impl EmbeddingsContext {
    /// Returns the address of `service`, and its key from the environment.
    ///
    /// The address comes from the file (`api_base`), else from the environment, else it is the
    /// provider's. The key is sent only to the origin in the service's environment variable, to the
    /// provider, and to hosts that the
    /// [registry allows](crate::MlIndexRegistry::with_allowed_host).
    ///
    /// # Errors
    ///
    /// Returns [`InvalidOptions`](textsearch_core::ErrorKind::InvalidOptions), with the setting's
    /// path and line, if the file's address may not receive the key or isn't allowed, if the file
    /// names another variable than the service's, or if there is no address.
    pub fn connect(&self, service: &Service) -> Result<ServiceAccess> {
        let EmbeddingsSection { place, api_base, connection, .. } = &self.settings;
        let address = api_base.as_ref();
        self.access
            .connect(service, &ServiceSettings { place, setting: API_BASE, address, connection })
    }
}

impl EmbeddingsContext {
    /// Returns the folder that the setting `model` names, below the folder of the file.
    ///
    /// # Errors
    ///
    /// Returns [`InvalidOptions`](textsearch_core::ErrorKind::InvalidOptions), with the setting's
    /// path and line, if the setting is missing, leads out of the file's folder, or names no
    /// folder.
    pub fn model_folder(&self) -> Result<PathBuf> {
        let allowed = "the path of a folder below that of the file";
        let missing = || self.settings.missing(MODEL, allowed);
        let (model, folder) = match (&self.settings.model, &self.folder) {
            (Some(model), Some(folder)) => (model, folder),
            (None, _) => return Err(missing()),
            (_, None) => {
                return Err(self.settings.invalid(MODEL, "a path without a file", allowed));
            }
        };
        let is_below = |part| matches!(part, Component::Normal(_));
        if !Path::new(model).components().all(is_below) {
            return Err(self.settings.invalid(MODEL, "a path that leads elsewhere", allowed));
        }
        let path = folder.join(model);
        if path.is_dir() {
            Ok(path)
        } else {
            Err(self.settings.invalid(MODEL, "a path without a folder", allowed))
        }
    }
}

/// The argument of a constructor of indexes.
#[non_exhaustive]
pub struct IndexContext {
    /// The section of the file.
    pub settings: IndexSection,
    /// The model that embeds queries; `None` for an index without embeddings.
    pub embeddings: Option<Arc<dyn EmbeddingGenerator>>,
    /// The number of elements of each vector, if the file says it.
    pub dimension: Option<usize>,
    /// The folder of the file, if it was read from one.
    pub folder: Option<PathBuf>,
    /// The fusion of a hybrid search. Set it for stores that accept only one, such as Azure AI Search.
    pub fusion: Fusion,
    pub(crate) access: Access,
}

impl IndexContext {
    /// Returns the address of `service` (`endpoint`), and its key from the environment, by the rules
    /// of [`EmbeddingsContext::connect`].
    ///
    /// # Errors
    ///
    /// Returns the errors of [`EmbeddingsContext::connect`].
    pub fn connect(&self, service: &Service) -> Result<ServiceAccess> {
        self.access.connect(service, &self.service_settings())
    }

    /// Returns the connection string in the environment variable `variable`, such as the URL of a
    /// database with user and password.
    ///
    /// # Errors
    ///
    /// Returns [`InvalidOptions`](textsearch_core::ErrorKind::InvalidOptions), with the setting's
    /// path and line, if the file has an address or names another variable, or if the variable isn't
    /// set.
    pub fn connection_string(&self, variable: &'static str) -> Result<Secret> {
        self.access.connection_string(variable, &self.service_settings())
    }

    fn service_settings(&self) -> ServiceSettings<'_> {
        let IndexSection { place, endpoint, connection, addressed_by, .. } = &self.settings;
        ServiceSettings { place, setting: addressed_by, address: endpoint.as_ref(), connection }
    }
}

impl fmt::Debug for EmbeddingsContext {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("EmbeddingsContext")
            .field("settings", &self.settings)
            .field("folder", &self.folder)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for IndexContext {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("IndexContext")
            .field("settings", &self.settings)
            .field("model", &self.embeddings.as_deref().map(EmbeddingGenerator::model_id))
            .field("dimension", &self.dimension)
            .finish_non_exhaustive()
    }
}
