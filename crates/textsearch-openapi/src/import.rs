//! The import of a document, operation by operation.

use std::{collections::HashSet, sync::Arc};

use serde_json::Value;
use textsearch_core::{
    Error, ErrorKind,
    http::{HttpClient, Method, Url},
};
use textsearch_kernel::{KernelError, KernelFunction, KernelPlugin, Result, function::Invocation};

use crate::{
    CONNECTOR, ImportedOperation, OpenApiOperation, OpenApiPlugin, OpenApiSettings,
    RefusedOperation,
    call::Callable,
    document::Document,
    limits,
    name::Names,
    operation::{self, Source},
    schema::SchemaReader,
    server,
};

/// Methods of path items, in the order of import.
const METHODS: &[(&str, Method)] = &[
    ("get", Method::GET),
    ("head", Method::HEAD),
    ("options", Method::OPTIONS),
    ("post", Method::POST),
    ("put", Method::PUT),
    ("patch", Method::PATCH),
    ("delete", Method::DELETE),
    ("query", Method::QUERY),
    ("trace", Method::TRACE),
];

/// What models' interfaces accept for `Plugin-Function`.
const MAX_QUALIFIED_NAME: usize = 64;

/// Few real documents have more than 2,000; most models accept 128 tools.
const MAX_OPERATIONS: usize = 10_000;

const MAX_TAGS: usize = 20;

pub(crate) struct Importer<'a> {
    name: String,
    document: &'a Document,
    settings: &'a OpenApiSettings,
    server: Option<Url>,
    document_url: Option<Url>,
    schemas: SchemaReader<'a>,
    names: Names,
    clients: Clients,
    functions: Vec<KernelFunction>,
    operations: Vec<ImportedOperation>,
    refused: Vec<RefusedOperation>,
}

impl<'a> Importer<'a> {
    pub(crate) fn new(
        name: String,
        document: &'a Document,
        settings: &'a OpenApiSettings,
    ) -> Result<Self> {
        let longest = MAX_QUALIFIED_NAME.saturating_sub(name.len() + 1);
        let document_url = settings.document_url.as_deref().map(parse_document_url).transpose()?;
        Ok(Self {
            name,
            document,
            settings,
            server: server::named_by_application(settings)?,
            clients: Clients::new(settings, document_url.as_ref())?,
            document_url,
            schemas: SchemaReader::new(document),
            names: Names::new(longest),
            functions: Vec::new(),
            operations: Vec::new(),
            refused: Vec::new(),
        })
    }

    pub(crate) fn import(mut self) -> Result<OpenApiPlugin> {
        let document = self.document;
        let paths = document.root().get("paths").and_then(Value::as_object);
        let mut unseen: HashSet<&str> =
            self.settings.operations.iter().map(String::as_str).collect();
        // Others are extensions.
        let paths = paths.into_iter().flatten().filter(|(path, _)| !path.starts_with("x-"));
        for (path, item) in paths {
            let resolved = document.resolve(item);
            let item = resolved.as_ref().map_or(item, |item| item);
            for (method, operation, refusal) in operations_of(item) {
                let described = describe(&method, path, operation);
                if let Some(id) = &described.operation_id {
                    unseen.remove(id.as_str());
                }
                if self.is_wanted(&described) {
                    let source = Source { document, path_item: item, operation };
                    self.add(source, described, refusal)?;
                }
            }
            if let Err(reason) = resolved {
                self.refuse(describe(&Method::GET, path, &Value::Null), reason)?;
            }
        }
        if let Some(missing) = unseen.into_iter().min() {
            let allowed = "operations that the document has";
            let missing = format!("`{missing}`");
            return Err(Error::invalid_options(CONNECTOR, "operations", missing, allowed).into());
        }
        let description = document.root().pointer("/info/description").and_then(Value::as_str);
        let described = description.or_else(|| document.root().pointer("/info/title")?.as_str());
        let described = described.unwrap_or_default().chars().take(1_000).collect::<String>();
        let plugin = KernelPlugin::new(self.name, described, self.functions)?;
        Ok(OpenApiPlugin { plugin, operations: self.operations, refused: self.refused })
    }

    fn is_wanted(&self, operation: &OpenApiOperation) -> bool {
        let settings = self.settings;
        let is_in =
            |ids: &[String]| operation.operation_id.as_ref().is_some_and(|id| ids.contains(id));
        (settings.operations.is_empty() || is_in(&settings.operations))
            && !is_in(&settings.excluded_operations)
            && settings.operation_filter.as_ref().is_none_or(|filter| filter(operation))
    }

    fn add(
        &mut self,
        source: Source<'a>,
        operation: OpenApiOperation,
        refusal: Option<String>,
    ) -> Result<()> {
        if self.operations.len() + self.refused.len() == MAX_OPERATIONS {
            let message = format!("the document has more than {MAX_OPERATIONS} operations");
            return Err(Error::new(ErrorKind::Undecodable, CONNECTOR, message).into());
        }
        match refusal.map_or_else(|| self.function(&source, &operation), Err) {
            Ok((function, server)) => {
                let name = function.name().to_owned();
                self.operations.push(ImportedOperation { function: name, operation, server });
                self.functions.push(function);
                Ok(())
            }
            Err(reason) => self.refuse(operation, reason),
        }
    }

    fn refuse(&mut self, operation: OpenApiOperation, reason: String) -> Result<()> {
        if self.settings.strict {
            let name = format!("{} {}", operation.method, operation.path);
            return Err(KernelError::invalid_function(name, reason));
        }
        self.refused.push(RefusedOperation { operation, reason });
        Ok(())
    }

    fn function(
        &mut self,
        source: &Source<'a>,
        operation: &OpenApiOperation,
    ) -> Result<(KernelFunction, Url), String> {
        let server = self.server(source)?;
        let client = self.clients.for_server(&server)?;
        let (plan, mut metadata) =
            operation::read(source, operation, server.clone(), &mut self.schemas, self.settings)?;
        let authenticator = self.settings.authenticator.clone();
        if authenticator.is_some() && plan.security.may_send_credentials() {
            self.check_gets_credentials(&plan.server)?;
        }
        let original = operation.operation_id.as_deref();
        let of_path = || {
            format!(
                "{}_{}",
                operation.method.as_str().to_lowercase(),
                operation.path.trim_matches('/')
            )
        };
        metadata.name = self.names.take(&original.map_or_else(of_path, str::to_owned));
        metadata.read_only = Some(operation.read_only);
        metadata.is_open_world = Some(true);
        metadata.original_name = original.filter(|id| *id != metadata.name).map(str::to_owned);
        let callable = Arc::new(Callable { plan, client, authenticator });
        let body = move |invocation: Invocation| {
            let callable = Arc::clone(&callable);
            async move { callable.call(&invocation).await }
        };
        let function = KernelFunction::new(metadata, body).map_err(|error| error.to_string())?;
        Ok((function, server))
    }

    fn server(&self, source: &Source<'a>) -> Result<Url, String> {
        if let Some(server) = &self.server {
            return Ok(server.clone());
        }
        let places = [source.operation, source.path_item, self.document.root()];
        let servers = places.into_iter().filter_map(|place| place.get("servers")?.as_array());
        let first = servers.into_iter().find_map(|servers| servers.first());
        server::from_document(first, self.settings, self.document_url.as_ref())
    }

    /// A document from outside must not decide who gets the application's credentials.
    fn check_gets_credentials(&self, server: &Url) -> Result<(), String> {
        let own = self.document_url.as_ref().map(Url::origin);
        if !self.settings.untrusted || self.server.is_some() || own == Some(server.origin()) {
            return Ok(());
        }
        Err(format!(
            "its server `{server}` isn't the document's; set `server_url` to send credentials there"
        ))
    }
}

/// The clients of the calls.
struct Clients {
    client: HttpClient,
    /// Whether the application named neither the servers nor their document.
    is_guarded: bool,
    settings: OpenApiSettings,
}

impl Clients {
    fn new(
        settings: &OpenApiSettings,
        document_url: Option<&Url>,
    ) -> textsearch_core::Result<Self> {
        let mut settings = settings.clone();
        let is_guarded = settings.untrusted && settings.server_url.is_none();
        // The application named this host itself, unless its name resolves to a local address.
        let is_local = |url: &&Url| {
            let refused = settings.addresses.check_url(url).err();
            refused.is_some_and(|refused| refused.allowable_host().is_some())
        };
        if let Some(host) = document_url.filter(is_local).and_then(host) {
            settings.addresses = settings.addresses.with_allowed_host(host)?;
        }
        let client = match &settings.http_client {
            Some(client) => client.clone(),
            None if is_guarded => guarded(&settings)?,
            None => HttpClient::new(CONNECTOR, settings.http.clone())?,
        };
        Ok(Self { client, is_guarded, settings })
    }

    fn for_server(&self, server: &Url) -> Result<HttpClient, String> {
        if self.is_guarded {
            let checked = self.settings.addresses.check_url(server);
            checked.map_err(|refused| {
                format!("its server: {refused}; set `server_url` or `allowed_host`")
            })?;
        }
        Ok(self.client.clone())
    }
}

#[cfg(feature = "default")]
fn guarded(settings: &OpenApiSettings) -> textsearch_core::Result<HttpClient> {
    let addresses = settings.addresses.clone();
    let resolver = textsearch_core::http::SystemResolver::default();
    HttpClient::for_untrusted_urls(CONNECTOR, settings.http.clone(), addresses, resolver)
}

#[cfg(not(feature = "default"))]
fn guarded(_: &OpenApiSettings) -> textsearch_core::Result<HttpClient> {
    let allowed = "a client that checks addresses, or the default features";
    Err(Error::invalid_options(CONNECTOR, "http_client", "missing", allowed))
}

pub(crate) fn parse_document_url(url: &str) -> textsearch_core::Result<Url> {
    let url = Url::parse(url).ok().filter(|url| matches!(url.scheme(), "http" | "https"));
    url.ok_or_else(|| {
        let value = "not such a URL";
        let allowed = "an absolute http or https URL";
        Error::invalid_options(CONNECTOR, "document_url", value, allowed)
    })
}

/// Returns host and port, as the address rules take them.
fn host(url: &Url) -> Option<String> {
    Some(format!("{}:{}", url.host_str()?, url.port_or_known_default()?))
}

/// Returns the operations of a path item, and why some of them can't be imported.
fn operations_of(item: &Value) -> impl Iterator<Item = (Method, &Value, Option<String>)> {
    let fixed = METHODS.iter().filter_map(|(key, method)| {
        let is_trace = *method == Method::TRACE;
        let refusal = is_trace.then(|| "its method is TRACE, which isn't supported".to_owned());
        Some((method.clone(), item.get(key)?, refusal))
    });
    let others = item.get("additionalOperations").and_then(Value::as_object);
    let others = others.into_iter().flatten().map(|(name, operation)| {
        let short = Some(name.as_str()).filter(|name| limits::is_short(name));
        let method = short.and_then(|name| Method::from_bytes(name.as_bytes()).ok());
        let shown = short.unwrap_or("too long");
        let refusal = format!(
            "its method `{shown}` is one of `additionalOperations`, which aren't supported"
        );
        (method.unwrap_or_default(), operation, Some(refusal))
    });
    fixed.chain(others)
}

fn describe(method: &Method, path: &str, operation: &Value) -> OpenApiOperation {
    let tags = operation.get("tags").and_then(Value::as_array).into_iter().flatten();
    let tags = tags.filter_map(Value::as_str).filter(|tag| limits::is_short(tag)).take(MAX_TAGS);
    let id = operation::text(operation, "operationId").filter(|id| limits::is_short(id));
    OpenApiOperation {
        method: method.clone(),
        path: path.to_owned(),
        operation_id: id.map(str::to_owned),
        tags: tags.map(str::to_owned).collect(),
        read_only: method.is_safe(),
    }
}
