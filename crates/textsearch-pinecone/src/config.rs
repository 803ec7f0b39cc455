//! The settings of a store.

use std::time::Duration;

use textsearch_core::{
    Result,
    http::{Endpoint, HttpSettings, Secret, variable},
};

use crate::{CONNECTOR, error::refused};

/// Environment variable for the API key. [`PineconeConfig::from_env`] requires it.
pub const PINECONE_API_KEY: &str = "PINECONE_API_KEY";

/// Environment variable for the address of the control plane; see
/// [`PineconeConfig::with_endpoint`].
pub const PINECONE_ENDPOINT: &str = "PINECONE_ENDPOINT";

/// Environment variable for the cloud of new indexes; see [`PineconeConfig::with_cloud`].
pub const PINECONE_CLOUD: &str = "PINECONE_CLOUD";

/// Environment variable for the region of new indexes; see [`PineconeConfig::with_cloud`].
pub const PINECONE_REGION: &str = "PINECONE_REGION";

pub(crate) const ENDPOINT: &str = "https://api.pinecone.io";

/// Pinecone's name for the namespace of requests without one.
pub(crate) const DEFAULT_NAMESPACE: &str = "__default__";

const LONGEST_NAMESPACE: usize = 512;

/// API key and settings of a [Pinecone](https://docs.pinecone.io) project.
///
/// ```
/// use textsearch_pinecone::PineconeConfig;
///
/// let config = PineconeConfig::new("sesame").with_cloud("gcp", "us-central1").with_namespace("acme");
/// assert!(!format!("{config:?}").contains("sesame"));
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct PineconeConfig {
    /// The API key of a project.
    pub api_key: Secret,
    /// The address of the control plane; `https://api.pinecone.io` by default. The control plane
    /// returns the host of each index, which gets the key too, over the same scheme.
    pub endpoint: Endpoint,
    /// The namespace of all collections; Pinecone's default namespace if unset.
    pub namespace: Option<String>,
    /// The cloud of new indexes: `aws` (the default), `gcp` or `azure`.
    pub cloud: String,
    /// The region of new indexes; `us-east-1` by default.
    pub region: String,
    /// Whether definitions may have full-text fields, for hybrid search; false by default.
    pub hybrid_search: bool,
    /// How long `ensure_exists` waits for a new index; 5 minutes by default.
    pub ready_timeout: Duration,
    /// Timeouts, retries and limits. Defaults of [`HttpSettings`], with 64 MiB per response.
    pub http: HttpSettings,
}

impl PineconeConfig {
    /// Creates the settings of a project, with defaults for the rest.
    pub fn new(api_key: impl Into<Secret>) -> Self {
        Self {
            api_key: api_key.into(),
            endpoint: ENDPOINT.into(),
            namespace: None,
            cloud: "aws".to_owned(),
            region: "us-east-1".to_owned(),
            hybrid_search: false,
            ready_timeout: Duration::from_secs(5 * 60),
            http: HttpSettings::default().with_max_body_bytes(64 * 1024 * 1024),
        }
    }

    /// Reads the key from [`PINECONE_API_KEY`] and, if set, [`PINECONE_ENDPOINT`],
    /// [`PINECONE_CLOUD`] and [`PINECONE_REGION`].
    ///
    /// # Errors
    /// - [`Authentication`](crate::ErrorKind::Authentication), naming the variable, if there is no
    ///   key.
    /// - [`InvalidOptions`](crate::ErrorKind::InvalidOptions) if a value isn't Unicode.
    pub fn from_env() -> Result<Self> {
        let mut config = Self::new(Secret::from_env(CONNECTOR, PINECONE_API_KEY)?);
        if let Some(endpoint) = variable(CONNECTOR, PINECONE_ENDPOINT)? {
            config.endpoint = endpoint.into();
        }
        if let Some(cloud) = variable(CONNECTOR, PINECONE_CLOUD)? {
            config.cloud = cloud;
        }
        if let Some(region) = variable(CONNECTOR, PINECONE_REGION)? {
            config.region = region;
        }
        Ok(config)
    }

    /// Sets the address of the control plane.
    #[must_use]
    pub fn with_endpoint(mut self, endpoint: impl Into<Endpoint>) -> Self {
        self.endpoint = endpoint.into();
        self
    }

    /// Sets the namespace of all collections. It also decides what `delete_collection`
    /// [deletes](crate::PineconeStore#creating-and-deleting-collections).
    #[must_use]
    pub fn with_namespace(mut self, namespace: impl Into<String>) -> Self {
        self.namespace = Some(namespace.into());
        self
    }

    /// Sets the cloud and the region of new indexes: see Pinecone's [list of
    /// regions](https://docs.pinecone.io/guides/index-data/create-an-index#cloud-regions).
    #[must_use]
    pub fn with_cloud(mut self, cloud: impl Into<String>, region: impl Into<String>) -> Self {
        self.cloud = cloud.into();
        self.region = region.into();
        self
    }

    /// Sets whether definitions may have full-text fields, for hybrid search; false by default.
    ///
    /// Each record then stores the words of these fields as sparse values, and one query scores
    /// vector and words:
    ///
    /// > `vector_weight` × dot product + (1 − `vector_weight`) × word score
    ///
    /// This is Pinecone's [own
    /// fusion](https://docs.pinecone.io/guides/search/hybrid-search/single-index), with the weight
    /// of [`Fusion::WeightedScores`](crate::vector::Fusion::WeightedScores) as its `alpha`. Any
    /// other fusion is rejected.
    ///
    /// ```no_run
    /// use textsearch_pinecone::{
    ///     PineconeConfig, PineconeStore,
    ///     vector::{
    ///         DataField, Distance, Fusion, IndexKind, RecordDefinition, VectorField, VectorSearchOptions,
    ///         VectorStoreExt,
    ///     },
    /// };
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> textsearch_pinecone::Result<()> {
    /// let store = PineconeStore::new(PineconeConfig::from_env()?.with_hybrid_search(true))?;
    /// let embedding = VectorField::new("embedding", 3)
    ///     .with_distance(Distance::DotProduct)
    ///     .with_index(IndexKind::hnsw());
    /// let definition = RecordDefinition::new("id")
    ///     .with_data(DataField::string("text").full_text_in("en").with_mean_length(120.0))
    ///     .with_vector(embedding);
    /// let notes = store.dynamic_collection("notes", definition)?;
    /// notes.ensure_exists().await?;
    ///
    /// let options = VectorSearchOptions::top(5).with_fusion(Fusion::weighted_scores(0.75));
    /// let results = notes.hybrid_search("waiting readers", Some([0.1, 0.2, 0.3].into()), &options).await?;
    /// println!("{:?}", results.into_vec().await?);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// - **The word score is not BM25.** It is the share of the query's words in the record, from 0
    ///   to 1. A word weighs more the more often it occurs and the shorter the text is, as in BM25.
    ///   Rare words weigh no more than common ones, because Pinecone doesn't count them.
    /// - **Neither score is scaled to the ranking**, unlike in other stores. Use vectors of length
    ///   1; otherwise one score outweighs the other.
    /// - Set each field's language, which removes stop words from queries, and its mean length in
    ///   words (256 by default).
    /// - The vector must be compared by [`DotProduct`](crate::vector::Distance::DotProduct). Records
    ///   without a vector aren't found.
    /// - A record or a query has at most 2,048 different words; others are rejected. With several
    ///   full-text fields, a record's words count for each field and once more.
    /// - The index remembers the full-text fields, and writes and hybrid searches check them. Other
    ///   ones need another index.
    /// - The command line and `DocumentIndex` don't use it: they compare vectors by cosine.
    #[must_use]
    pub fn with_hybrid_search(mut self, enabled: bool) -> Self {
        self.hybrid_search = enabled;
        self
    }

    /// Sets how long `ensure_exists` waits for a new index.
    #[must_use]
    pub fn with_ready_timeout(mut self, timeout: Duration) -> Self {
        self.ready_timeout = timeout;
        self
    }

    /// Sets timeouts, retries and limits. `ensure_exists` polls a new index with the same pauses.
    #[must_use]
    pub fn with_http_settings(mut self, settings: HttpSettings) -> Self {
        self.http = settings;
        self
    }

    pub(crate) fn check(&self) -> Result<()> {
        if self.api_key.is_empty() {
            return Err(refused("api_key", "empty", "the API key of a project"));
        }
        for (option, value) in [("cloud", &self.cloud), ("region", &self.region)] {
            if value.is_empty() {
                return Err(refused(option, "empty", "a name such as aws and us-east-1"));
            }
        }
        let Some(namespace) = &self.namespace else { return Ok(()) };
        let is_ascii = namespace.bytes().all(|byte| (1..=0x7f).contains(&byte));
        if namespace.is_empty() || namespace.len() > LONGEST_NAMESPACE || !is_ascii {
            let allowed = "1 to 512 ASCII characters, none of them zero";
            return Err(refused("namespace", format_args!("`{namespace}`"), allowed));
        }
        match namespace.as_str() {
            DEFAULT_NAMESPACE => {
                let allowed = "unset for the default namespace";
                Err(refused("namespace", "`__default__`", allowed))
            }
            // No path of a URL can hold them.
            "." | ".." => Err(refused("namespace", format_args!("`{namespace}`"), "another name")),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(config: &PineconeConfig) -> String {
        config.check().unwrap_err().to_string()
    }

    #[test]
    fn refusal_names_the_setting() {
        let config = || PineconeConfig::new("sesame");
        assert!(config().with_namespace("a b~").check().is_ok());
        for namespace in ["", "é", "a\0b", &"n".repeat(513)] {
            let refusal = refusal(&config().with_namespace(namespace));
            assert!(refusal.starts_with("pinecone: `namespace` is"), "{refusal}");
        }
        assert!(refusal(&config().with_namespace("__default__")).contains("expected unset"));
        assert!(refusal(&PineconeConfig::new("")).contains("`api_key` is empty"));
        assert!(refusal(&config().with_cloud("aws", "")).contains("`region` is empty"));
    }
}
