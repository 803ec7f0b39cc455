//! Constructors by kind.

use std::{collections::BTreeMap, fmt, sync::Arc};

use futures_util::future::BoxFuture;
use textsearch_core::{
    Error, Result, TextSearch,
    secret::Secret,
    vector::{EmbeddingGenerator, Fusion},
};

use crate::{
    CONNECTOR, EmbeddingsContext, EmbeddingsSection, IndexContext, MlIndex,
    access::{Access, AllowedHosts, Variables, of_process},
    sections::NONE,
};

type Constructor<Context, Made> =
    Arc<dyn Fn(Context) -> BoxFuture<'static, Result<Arc<Made>>> + Send + Sync>;

/// Opens the indexes of files, through constructors by kind.
///
/// It has no constructors at first: register a constructor for each kind that you use. Files are
/// untrusted: [`EmbeddingsContext::connect`] decides which host gets a key.
///
/// ```
/// use std::sync::Arc;
/// use textsearch_core::{FixedSearch, SearchOptions, TextSearch, TextSearchResult};
/// use textsearch_mlindex::{IndexContext, MlIndex, MlIndexRegistry};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> textsearch_core::Result<()> {
/// let mut registry = MlIndexRegistry::new();
/// registry.register_index("fixed", |context: IndexContext| async move {
///     let name = context.settings.required_index()?.to_owned();
///     Ok(Arc::new(FixedSearch::new([TextSearchResult::new(name)])) as Arc<dyn TextSearch>)
/// })?;
///
/// let yaml = "{ embeddings: { kind: none }, index: { kind: fixed, index: docs } }";
/// let search = registry.open(&MlIndex::from_yaml(yaml)?).await?;
/// assert_eq!(search.search("anything", &SearchOptions::top(1)).await?.into_vec().await?, ["docs"]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct MlIndexRegistry {
    indexes: BTreeMap<String, Constructor<IndexContext, dyn TextSearch>>,
    embeddings: BTreeMap<String, Constructor<EmbeddingsContext, dyn EmbeddingGenerator>>,
    access: Access,
}

impl MlIndexRegistry {
    /// Creates a registry without constructors, which reads keys and addresses from the
    /// environment.
    pub fn new() -> Self {
        let allowed = AllowedHosts::default();
        let access = Access { variables: of_process(), allowed, allows_others: true };
        Self { indexes: BTreeMap::new(), embeddings: BTreeMap::new(), access }
    }

    /// Registers the constructor of indexes of `kind`.
    ///
    /// # Errors
    ///
    /// Returns [`InvalidOptions`](textsearch_core::ErrorKind::InvalidOptions) if the kind is
    /// registered already.
    pub fn register_index<F, Opened>(&mut self, kind: &str, constructor: F) -> Result<()>
    where
        F: Fn(IndexContext) -> Opened + Send + Sync + 'static,
        Opened: Future<Output = Result<Arc<dyn TextSearch>>> + Send + 'static,
    {
        let constructor =
            Arc::new(move |context| Box::pin(constructor(context)) as BoxFuture<'_, _>);
        add(&mut self.indexes, kind, constructor)
    }

    /// Registers the constructor of embedding models of `kind`. The kind `none` is built in.
    ///
    /// # Errors
    ///
    /// Returns [`InvalidOptions`](textsearch_core::ErrorKind::InvalidOptions) if the kind is
    /// registered already.
    pub fn register_embeddings<F, Opened>(&mut self, kind: &str, constructor: F) -> Result<()>
    where
        F: Fn(EmbeddingsContext) -> Opened + Send + Sync + 'static,
        Opened: Future<Output = Result<Arc<dyn EmbeddingGenerator>>> + Send + 'static,
    {
        if kind == NONE {
            return Err(taken(kind));
        }
        let constructor =
            Arc::new(move |context| Box::pin(constructor(context)) as BoxFuture<'_, _>);
        add(&mut self.embeddings, kind, constructor)
    }

    /// Allows files to send keys to `host`, with or without a port, such as
    /// `mine.openai.azure.com`. Needs `https`, except on this machine.
    ///
    /// # Errors
    ///
    /// Returns [`InvalidOptions`](textsearch_core::ErrorKind::InvalidOptions) if `host` isn't a
    /// host.
    pub fn with_allowed_host(mut self, host: impl AsRef<str>) -> Result<Self> {
        self.access.allowed.add(host.as_ref())?;
        Ok(self)
    }

    /// Sets whether files may name other hosts, which then get queries, but no keys. Default: true.
    /// With `false`, a file can't make the program connect to them, such as to servers in your own
    /// network.
    #[must_use]
    pub fn with_other_hosts(mut self, enabled: bool) -> Self {
        self.access.allows_others = enabled;
        self
    }

    /// Sets where keys and addresses come from, by the name of their environment variable. Default:
    /// the environment of the process.
    #[must_use]
    pub fn with_variables(
        mut self,
        variables: impl Fn(&str) -> Result<Option<Secret>> + Send + Sync + 'static,
    ) -> Self {
        let variables: Variables = Arc::new(variables);
        self.access.variables = variables;
        self
    }

    /// Opens the index that a file describes.
    ///
    /// # Errors
    ///
    /// - [`InvalidOptions`](textsearch_core::ErrorKind::InvalidOptions), with the setting's path and
    ///   line, if a kind isn't registered (the error lists the registered ones), or if the model
    ///   makes vectors of another length than the file says.
    /// - The errors of the constructors.
    pub async fn open(&self, file: &MlIndex) -> Result<Arc<dyn TextSearch>> {
        let MlIndex { embeddings, index, folder } = file;
        let open_index = find(&self.indexes, &index.kind, &[])
            .map_err(|known| index.invalid("kind", &unregistered(&index.kind), &known))?;
        let embeddings = match embeddings.kind.as_str() {
            NONE => None,
            kind => {
                let open_model = find(&self.embeddings, kind, &[NONE])
                    .map_err(|known| embeddings.invalid("kind", &unregistered(kind), &known))?;
                let settings = embeddings.clone();
                let folder = folder.clone();
                let access = self.access.clone();
                let model = open_model(EmbeddingsContext { settings, folder, access }).await?;
                check_dimension(embeddings, model.as_ref())?;
                Some(model)
            }
        };
        let context = IndexContext {
            settings: index.clone(),
            embeddings,
            dimension: file.embeddings.dimension,
            folder: folder.clone(),
            fusion: Fusion::default(),
            access: self.access.clone(),
        };
        open_index(context).await
    }
}

impl Default for MlIndexRegistry {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for MlIndexRegistry {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("MlIndexRegistry")
            .field("indexes", &self.indexes.keys())
            .field("embeddings", &self.embeddings.keys())
            .field("allowed_hosts", &self.access.allowed)
            .field("other_hosts", &self.access.allows_others)
            .finish_non_exhaustive()
    }
}

fn add<C>(constructors: &mut BTreeMap<String, C>, kind: &str, constructor: C) -> Result<()> {
    if constructors.contains_key(kind) {
        return Err(taken(kind));
    }
    constructors.insert(kind.to_owned(), constructor);
    Ok(())
}

fn taken(kind: &str) -> Error {
    let actual = format_args!("`{kind}`, which is registered already");
    Error::invalid_options(CONNECTOR, "kind", actual, "another kind")
}

/// Fails with the registered kinds if `kind` isn't registered.
fn find<'a, C>(
    constructors: &'a BTreeMap<String, C>,
    kind: &str,
    built_in: &[&str],
) -> Result<&'a C, String> {
    constructors.get(kind).ok_or_else(|| {
        let mut known: Vec<&str> = constructors.keys().map(String::as_str).collect();
        known.extend(built_in);
        known.sort_unstable();
        let known: Vec<String> = known.iter().map(|kind| format!("`{kind}`")).collect();
        match known.as_slice() {
            [] => "a registered kind: there is none".to_owned(),
            known => format!("one of the registered kinds: {}", known.join(", ")),
        }
    })
}

/// Repeats a kind only if it can't be a key.
fn unregistered(kind: &str) -> String {
    if kind.chars().all(|c| c.is_ascii_lowercase() || c == '_') {
        format!("`{kind}`, which isn't registered")
    } else {
        "another kind, which isn't registered".to_owned()
    }
}

fn check_dimension(section: &EmbeddingsSection, model: &dyn EmbeddingGenerator) -> Result<()> {
    match (section.dimension, model.dimensions()) {
        (Some(declared), Some(actual)) if declared != actual => {
            let allowed = format!("{actual}, the length of the vectors of `{}`", model.model_id());
            Err(section.invalid("dimension", &declared.to_string(), &allowed))
        }
        _ => Ok(()),
    }
}
