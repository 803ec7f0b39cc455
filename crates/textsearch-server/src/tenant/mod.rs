//! Tenants: holders of tokens, with their rights and views. Each tenant has its own view of every
//! source, so no endpoint can forget a filter.

mod directory;
mod identity;
mod kernel;
mod members;
mod source;
mod view;

pub(crate) use self::{directory::Directory, identity::Identity, source::Source, view::View};

use std::sync::Arc;

use textsearch_kernel::{Kernel, KernelPlugin};
use textsearch_mcp::{McpHttpConfig, McpHttpService, McpServer, McpServerConfig};

use crate::{
    Result, Right, ServerConfig, Services,
    capacity::Capacity,
    problem::{Answer, Kind, Problem},
    retrieval::TenantDocuments,
};

/// The plugin of the selected source, in templates.
const SELECTED: &str = "SearchPlugin";

pub(crate) struct Tenant {
    pub(crate) name: String,
    pub(crate) sources: Vec<Source>,
    pub(crate) documents: Option<TenantDocuments>,
    pub(crate) mcp: McpHttpService,
    /// Its share of the server's capacity, if there are other tenants.
    pub(crate) capacity: Option<Capacity>,
    /// The plugins of all sources, and the model.
    kernel: Kernel,
}

/// Who sent a request.
#[derive(Clone)]
pub(crate) struct Caller {
    pub(crate) tenant: Arc<Tenant>,
    pub(crate) rights: Arc<[Right]>,
}

impl Caller {
    fn new(tenant: Tenant, rights: &[Right]) -> Self {
        Self { tenant: Arc::new(tenant), rights: rights.into() }
    }

    pub(crate) fn may(&self, right: Right) -> bool {
        self.rights.contains(&right)
    }
}

impl Tenant {
    fn new(identity: Identity, services: &Services, config: &ServerConfig) -> Result<Self> {
        let sources = services.sources.iter().map(|source| Source::new(source, &identity, config));
        let sources = sources.collect::<Result<Vec<_>>>()?;
        let kernel = kernel::kernel(&sources, services, config)?;
        let documents = match &services.document_writer {
            Some(writer) => Some(TenantDocuments::new(writer, &identity)?),
            None => None,
        };
        let mcp = mcp(kernel.clone(), &sources, config)?;
        let capacity = Capacity::of_tenant(config);
        Ok(Self { name: identity.name, sources, documents, mcp, capacity, kernel })
    }

    /// Returns the source called `name`, or the first.
    pub(crate) fn source(&self, name: Option<&str>) -> Answer<&Source> {
        let source = match name {
            Some(name) => self.sources.iter().find(|source| source.name == name),
            None => self.sources.first(),
        };
        source.ok_or_else(|| match self.sources.as_slice() {
            [] => Problem::new(Kind::NotFound, "the server has no source to search"),
            sources => Problem::invalid("source", "there is no such source")
                .with_allowed(sources.iter().map(|source| source.name.as_str())),
        })
    }

    /// Returns the documents of the retrieval-plugin interface.
    pub(crate) fn documents(&self) -> Answer<&TenantDocuments> {
        let missing = || Problem::new(Kind::NotFound, "the server has no store to write to");
        self.documents.as_ref().ok_or_else(missing)
    }

    /// Returns a kernel in which `SearchPlugin` searches `source`.
    pub(crate) fn kernel_for(&self, source: &Source) -> Kernel {
        self.kernel_with(&source.selected)
    }

    /// Like [`kernel_for`](Self::kernel_for), without parameters for fields: no variable of the
    /// server's own templates can become a filter.
    pub(crate) fn kernel_without_fields(&self, source: &Source) -> Kernel {
        self.kernel_with(&source.without_fields)
    }

    /// Returns a kernel with `plugin` in place of the plugin with the same name.
    pub(crate) fn kernel_with(&self, plugin: &KernelPlugin) -> Kernel {
        let mut kernel = self.kernel.clone();
        kernel.replace_plugin(plugin.clone());
        kernel
    }
}

/// Each tenant has its own MCP server, because its callers share the documents found.
fn mcp(kernel: Kernel, sources: &[Source], config: &ServerConfig) -> Result<McpHttpService> {
    let mut settings =
        McpServerConfig::new("textsearch").with_functions(sources.iter().map(Source::function));
    settings.documents = sources.iter().find_map(Source::mcp_documents);
    settings.call_timeout = config.request_timeout;
    settings.max_concurrent_calls = config.max_concurrent_requests;
    // The origin is checked before, and removed.
    let mut http = McpHttpConfig::new().with_allowed_hosts(&config.allowed_hosts);
    http.max_body_bytes = config.max_body_bytes;
    Ok(McpServer::new(kernel, settings)?.http_service(http)?)
}
