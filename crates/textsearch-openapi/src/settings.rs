//! The settings of an import.

use std::{collections::BTreeMap, fmt, sync::Arc};

use textsearch_core::{
    Result,
    http::{AddressPolicy, HttpClient, HttpSettings},
};

use crate::{OpenApiAuthenticator, OpenApiOperation};

type OperationFilter = dyn Fn(&OpenApiOperation) -> bool + Send + Sync;

/// Settings of a plugin: its server, credentials, operations and limits.
///
/// ```
/// use textsearch_core::http::Secret;
/// use textsearch_openapi::{Credentials, OpenApiSettings};
///
/// let settings = OpenApiSettings::new()
///     .with_server_url("https://api.example.com/v2")
///     .with_authenticator(Credentials::Bearer(Secret::from("token")))
///     .with_operation_filter(|operation| operation.read_only);
/// ```
#[derive(Clone)]
#[non_exhaustive]
pub struct OpenApiSettings {
    /// The server to call instead of the document's servers. Address rules don't apply to it.
    pub server_url: Option<String>,
    /// The values of variables in the document's server URLs, by name.
    pub server_variables: BTreeMap<String, String>,
    /// The URL that relative server URLs are resolved against. A fetched document has its own.
    pub document_url: Option<String>,
    /// Whether the document comes from outside, so that the address rules apply to its servers.
    /// Always true for a fetched document.
    pub untrusted: bool,
    /// The addresses that an untrusted document may make the plugin call: public ones.
    pub addresses: AddressPolicy,
    /// Supplies credentials: none.
    pub authenticator: Option<Arc<dyn OpenApiAuthenticator>>,
    /// The operations to import, by `operationId`; empty means all.
    pub operations: Vec<String>,
    /// The operations to leave out, by `operationId`.
    pub excluded_operations: Vec<String>,
    /// Decides which operations to import.
    pub operation_filter: Option<Arc<OperationFilter>>,
    /// Whether the parameter of each body property is called `payload_` and its name. Default: false,
    /// so only a property whose name is taken gets the prefix.
    pub payload_namespacing: bool,
    /// Whether an operation that can't be imported is an error. Default: false, so it is in
    /// [`refused`](crate::OpenApiPlugin::refused).
    pub strict: bool,
    /// Maximum size of the document in bytes: 16 MiB.
    pub max_document_bytes: usize,
    /// Timeouts, retries and limits of requests.
    pub http: HttpSettings,
    /// The client for all requests, instead of the built-in ones.
    pub http_client: Option<HttpClient>,
}

impl Default for OpenApiSettings {
    fn default() -> Self {
        Self {
            server_url: None,
            server_variables: BTreeMap::new(),
            document_url: None,
            untrusted: false,
            addresses: AddressPolicy::public_only(),
            authenticator: None,
            operations: Vec::new(),
            excluded_operations: Vec::new(),
            operation_filter: None,
            payload_namespacing: false,
            strict: false,
            max_document_bytes: 16 * 1024 * 1024,
            http: HttpSettings::default(),
            http_client: None,
        }
    }
}

impl OpenApiSettings {
    /// Creates the default settings.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the server to call instead of the document's servers.
    #[must_use]
    pub fn with_server_url(mut self, url: impl Into<String>) -> Self {
        self.server_url = Some(url.into());
        self
    }

    /// Sets the value of a variable in the document's server URLs, instead of its default.
    #[must_use]
    pub fn with_server_variable(
        mut self,
        name: impl Into<String>,
        value: impl Into<String>,
    ) -> Self {
        self.server_variables.insert(name.into(), value.into());
        self
    }

    /// Sets the URL that relative server URLs are resolved against.
    #[must_use]
    pub fn with_document_url(mut self, url: impl Into<String>) -> Self {
        self.document_url = Some(url.into());
        self
    }

    /// Sets whether the document comes from outside, so that the address rules apply to its
    /// servers. Default: false. A fetched document is always untrusted.
    #[must_use]
    pub fn with_untrusted(mut self, enabled: bool) -> Self {
        self.untrusted = enabled;
        self
    }

    /// Sets the addresses that an untrusted document may make the plugin call. Default: public
    /// ones.
    #[must_use]
    pub fn with_addresses(mut self, addresses: AddressPolicy) -> Self {
        self.addresses = addresses;
        self
    }

    /// Also allows this host to an untrusted document, such as `api.internal:8080`. Without a port,
    /// all its ports are allowed.
    ///
    /// # Errors
    ///
    /// Returns [`InvalidOptions`](textsearch_core::ErrorKind::InvalidOptions) if `host` isn't a
    /// host with an optional port.
    pub fn with_allowed_host(mut self, host: impl Into<String>) -> Result<Self> {
        self.addresses = self.addresses.with_allowed_host(host)?;
        Ok(self)
    }

    /// Sets the supplier of credentials: [`Credentials`](crate::Credentials) or your own.
    #[must_use]
    pub fn with_authenticator(
        mut self,
        authenticator: impl OpenApiAuthenticator + 'static,
    ) -> Self {
        self.authenticator = Some(Arc::new(authenticator));
        self
    }

    /// Imports only these operations, by `operationId`. Default: all.
    #[must_use]
    pub fn with_operations(mut self, ids: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.operations = ids.into_iter().map(Into::into).collect();
        self
    }

    /// Imports only operations that `filter` accepts.
    #[must_use]
    pub fn with_operation_filter(
        mut self,
        filter: impl Fn(&OpenApiOperation) -> bool + Send + Sync + 'static,
    ) -> Self {
        self.operation_filter = Some(Arc::new(filter));
        self
    }

    /// Sets timeouts, retries and limits of requests.
    #[must_use]
    pub fn with_http_settings(mut self, settings: HttpSettings) -> Self {
        self.http = settings;
        self
    }

    /// Sets the client for all requests. Its own settings apply.
    ///
    /// With an untrusted document, create it with `HttpClient::for_untrusted_urls`: the plugin
    /// checks the names of servers, but only the client sees the addresses behind them.
    #[must_use]
    pub fn with_http_client(mut self, client: HttpClient) -> Self {
        self.http_client = Some(client);
        self
    }
}

impl fmt::Debug for OpenApiSettings {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("OpenApiSettings")
            .field("untrusted", &self.untrusted)
            .field("addresses", &self.addresses)
            .field("has_authenticator", &self.authenticator.is_some())
            .field("operations", &self.operations)
            .field("excluded_operations", &self.excluded_operations)
            .field("payload_namespacing", &self.payload_namespacing)
            .field("strict", &self.strict)
            .field("max_document_bytes", &self.max_document_bytes)
            .field("http", &self.http)
            .finish_non_exhaustive()
    }
}
