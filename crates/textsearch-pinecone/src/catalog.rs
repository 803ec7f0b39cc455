//! Indexes: creation, which takes a while, and deletion.

use std::{collections::BTreeMap, sync::atomic::Ordering, time::Duration};

use textsearch_core::{
    Error, ErrorKind, Result,
    http::{Method, Url},
    vector::RecordDefinition,
};
use tokio::time::{Instant, sleep};

use crate::{
    CONNECTOR,
    client::{Api, unless_status},
    config::DEFAULT_NAMESPACE,
    definition::metric,
    error::{is_missing_namespace, refused},
    handle::Handle,
    tags,
    wire::{
        CreateIndex, CreateNamespace, DENSE, DeleteAll, Deployment, Done, Index, Namespace,
        Namespaces, NewField, NewSchema,
    },
};

/// The state of an index that is being deleted.
const TERMINATING: &str = "Terminating";

/// How often waiting is reported.
const EVERY: Duration = Duration::from_secs(10);

/// States that no waiting ends.
const FAILED: [&str; 3] = ["InitializationFailed", "Failed", "Disabled"];

/// Returns the names of all indexes or, with a namespace, of the indexes that have it.
pub(crate) async fn names(api: &Api) -> Result<Vec<String>> {
    let mut names = Vec::new();
    for index in api.indexes().await? {
        if is_usable(&index) && has_namespace(api, &index).await? {
            names.push(index.name);
        }
    }
    names.sort_unstable();
    Ok(names)
}

/// Other indexes hold documents, which the vectors API can't read.
fn is_usable(index: &Index) -> bool {
    index.status.state != TERMINATING && index.schema.fields.contains_key(DENSE)
}

async fn has_namespace(api: &Api, index: &Index) -> Result<bool> {
    let Some(namespace) = &api.config.namespace else { return Ok(true) };
    if !index.status.ready {
        return Ok(false);
    }
    let request = api.request(Method::GET, &api.host(index)?, &["namespaces", namespace]);
    let response: Result<Done> = api.send(request).await;
    match response {
        Ok(_) => Ok(true),
        Err(error) if is_missing_namespace(&error) => Ok(false),
        Err(_) if is_gone(api, &index.name).await => Ok(false),
        Err(error) => Err(error),
    }
}

/// Returns whether the index is missing or being deleted, which another program may have done since
/// the last look. Its host then answers in various ways, or not at all.
async fn is_gone(api: &Api, name: &str) -> bool {
    find(api, name).await.is_ok_and(|index| index.is_none())
}

/// Returns the index unless it is missing or being deleted.
async fn find(api: &Api, name: &str) -> Result<Option<Index>> {
    let index = api.index(name).await?;
    Ok(index.filter(|index| index.status.state != TERMINATING))
}

/// Returns whether the index has namespaces besides the default one.
async fn has_other_namespaces(api: &Api, index: &Index) -> Result<bool> {
    let request = api.request(Method::GET, &api.host(index)?, &["namespaces"]);
    let Namespaces { namespaces, pagination } = api.send(request).await?;
    let is_other =
        |namespace: &Namespace| !["", DEFAULT_NAMESPACE].contains(&namespace.name.as_str());
    Ok(pagination.is_some() || namespaces.iter().any(is_other))
}

fn check_ready(index: &Index) -> Result<()> {
    if index.status.ready {
        return Ok(());
    }
    let message = format!(
        "the index `{}` is not ready ({}); call ensure_exists, which waits for it",
        index.name, index.status.state
    );
    Err(Error::new(ErrorKind::Unavailable, CONNECTOR, message))
}

impl Handle {
    pub(crate) async fn is_there(&self) -> Result<bool> {
        self.forget();
        match find(&self.api, &self.name).await? {
            Some(index) => has_namespace(&self.api, &index).await,
            None => Ok(false),
        }
    }

    /// Returns the address of the index.
    ///
    /// # Errors
    /// Returns `CollectionNotFound`, or `Unavailable` while the index is initializing.
    pub(crate) async fn open(&self) -> Result<Url> {
        if let Some(host) = self.api.known().get(&self.name) {
            return Ok(host.clone());
        }
        let index = self.ready_index().await?;
        self.remember(&index)
    }

    /// Checks once that the index holds records of the definition. Another handle may know it, with
    /// other words.
    ///
    /// # Errors
    /// As [`Self::open`], or `InvalidOptions`.
    pub(crate) async fn check_fits(&self) -> Result<()> {
        if self.fits.load(Ordering::Relaxed) {
            return Ok(());
        }
        let index = self.ready_index().await?;
        check_fits(&self.definition, &index)?;
        self.remember(&index)?;
        self.fits.store(true, Ordering::Relaxed);
        Ok(())
    }

    async fn ready_index(&self) -> Result<Index> {
        let index = find(&self.api, &self.name).await?;
        let index = index.ok_or_else(|| Error::collection_not_found(CONNECTOR, &self.name))?;
        check_ready(&index)?;
        if !has_namespace(&self.api, &index).await? {
            return Err(Error::collection_not_found(CONNECTOR, &self.name));
        }
        Ok(index)
    }

    /// Creates the index and the namespace if missing, and waits until the index is ready.
    pub(crate) async fn ensure(&self) -> Result<()> {
        let started = Instant::now();
        for looks in 0.. {
            let index = self.api.index(&self.name).await?;
            let state = match &index {
                Some(index) if index.status.state == TERMINATING => TERMINATING,
                Some(index) => {
                    check_fits(&self.definition, index)?;
                    if index.status.ready {
                        match self.finish(index).await {
                            Err(_) if is_gone(&self.api, &self.name).await => continue,
                            finished => finished?,
                        }
                        self.fits.store(true, Ordering::Relaxed);
                        return Ok(());
                    }
                    index.status.state.as_str()
                }
                // Another program may have just created it.
                None => {
                    self.create().await?;
                    "Initializing"
                }
            };
            self.wait(state, started, looks).await?;
        }
        Ok(())
    }

    async fn wait(&self, state: &str, started: Instant, looks: u32) -> Result<()> {
        let name = &self.name;
        if FAILED.contains(&state) {
            let message = format!("the index `{name}` is unusable: its state is {state}");
            return Err(Error::new(ErrorKind::Backend, CONNECTOR, message));
        }
        let waited = started.elapsed();
        let limit = self.api.config.ready_timeout;
        if waited >= limit {
            let message = format!(
                "the index `{name}` is not ready after {limit:?} ({state}); call ensure_exists \
                 again to go on waiting"
            );
            return Err(Error::new(ErrorKind::Timeout, CONNECTOR, message));
        }
        let pause = self.api.pause(looks).min(limit.saturating_sub(waited));
        if looks == 0 {
            tracing::info!(index = %name, state, ?limit, "waiting for an index");
        } else if is_due(waited, pause) {
            let waited = Duration::from_secs(waited.as_secs());
            tracing::info!(index = %name, state, ?waited, ?limit, "still waiting for an index");
        }
        sleep(pause).await;
        Ok(())
    }

    async fn create(&self) -> Result<()> {
        let field = self.definition.vectors.first();
        let metric = field.and_then(|field| metric(field.distance)).unwrap_or("cosine");
        // An index needs vectors, and so does each of its records.
        let dimension = field.map_or(1, |field| field.dimensions);
        let field = NewField { kind: "dense_vector", dimension, metric };
        let config = &self.api.config;
        let index = CreateIndex {
            name: &self.name,
            schema: NewSchema { fields: BTreeMap::from([(DENSE, field)]) },
            deployment: Deployment {
                deployment_type: "managed",
                cloud: &config.cloud,
                region: &config.region,
            },
            tags: tags::tags(&self.definition),
        };
        self.api.create_index(&index).await.map(drop)
    }

    async fn finish(&self, index: &Index) -> Result<()> {
        if let Some(name) = &self.api.config.namespace
            && !has_namespace(&self.api, index).await?
        {
            let host = self.api.host(index)?;
            let request = self.api.request(Method::POST, &host, &["namespaces"]);
            let request = request.with_json(&CreateNamespace { name });
            let _: Option<Done> = unless_status(409, self.api.send(request).await)?;
        }
        self.remember(index).map(drop)
    }

    /// Deletes the namespace. Without one, deletes the index, or empties the default namespace if the
    /// index has others.
    ///
    /// # Errors
    /// - `InvalidOptions` if another program created the index
    /// - `Unavailable` while the index is initializing
    pub(crate) async fn delete_all(&self) -> Result<()> {
        self.forget();
        let Some(index) = find(&self.api, &self.name).await? else { return Ok(()) };
        if !index.tags.as_ref().is_some_and(tags::are_ours) {
            let value = format_args!("`{}`, an index that another program created", self.name);
            let allowed =
                "an index that ensure_exists created; delete others in Pinecone's console";
            return Err(refused("name", value, allowed));
        }
        check_ready(&index)?;
        match self.delete_from(&index).await {
            Err(error) if is_missing_namespace(&error) => Ok(()),
            Err(_) if is_gone(&self.api, &self.name).await => Ok(()),
            deleted => deleted,
        }
    }

    async fn delete_from(&self, index: &Index) -> Result<()> {
        let host = self.api.host(index)?;
        let request = match &self.api.config.namespace {
            Some(name) => self.api.request(Method::DELETE, &host, &["namespaces", name]),
            None if has_other_namespaces(&self.api, index).await? => {
                let request = self.api.request(Method::POST, &host, &["vectors", "delete"]);
                request.with_json(&DeleteAll { delete_all: true }).with_idempotent(true)
            }
            None => return self.api.delete_index(&self.name).await,
        };
        let _: Done = self.api.send(request).await?;
        Ok(())
    }

    fn remember(&self, index: &Index) -> Result<Url> {
        let host = self.api.host(index)?;
        self.api.known().insert(self.name.clone(), host.clone());
        Ok(host)
    }

    pub(crate) fn forget(&self) {
        self.fits.store(false, Ordering::Relaxed);
        self.api.known().remove(&self.name);
    }
}

/// Checks that the index can hold records of the definition.
fn check_fits(definition: &RecordDefinition, index: &Index) -> Result<()> {
    let Some(dense) = index.schema.fields.get(DENSE) else {
        let value = format_args!("`{}`, an index of documents", index.name);
        let allowed = "an index of the vectors API, or a name that is free";
        return Err(refused("name", value, allowed));
    };
    tags::check(definition, &index.tags.clone().unwrap_or_default())?;
    let Some(field) = definition.vectors.first() else { return Ok(()) };
    let old = (dense.dimension, dense.metric.as_deref());
    let new = (Some(field.dimensions), metric(field.distance));
    if old == new {
        return Ok(());
    }
    let shape = |(dimensions, metric): (Option<usize>, Option<&str>)| {
        let dimensions = dimensions.unwrap_or_default();
        format!("{dimensions} dimensions by {}", metric.unwrap_or("no metric"))
    };
    let allowed = format!("{}, as in the index", shape(old));
    Err(refused(&field.name, shape(new), &allowed))
}

/// Whether the pause after `waited` passes the time of a report.
fn is_due(waited: Duration, pause: Duration) -> bool {
    let reports = |time: Duration| time.as_secs() / EVERY.as_secs();
    reports(waited.saturating_add(pause)) > reports(waited)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waiting_is_reported_once_in_each_interval() {
        let pause = EVERY / 4;
        let due = |looks: &u32| is_due(pause * *looks, pause);
        assert_eq!((0..12).filter(due).collect::<Vec<_>>(), [3, 7, 11]);
    }
}
