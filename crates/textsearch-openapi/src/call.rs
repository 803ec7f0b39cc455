//! One call of an operation.

use std::sync::Arc;

use serde_json::Value;
use textsearch_core::{
    Error, ErrorKind,
    http::{HttpClient, HttpRequest, HttpResponse, Secret, read_json},
};
use textsearch_kernel::{KernelError, Result, function::Invocation};

use crate::{CONNECTOR, OpenApiAuthenticator, operation::Plan, security::Parts};

/// Statuses that say that a request is wrong. Others are the application's or the service's
/// problem, and not a model's.
const MISTAKES_OF_CALLER: &[u16] = &[400, 404, 409, 410, 413, 422];

/// An operation that can be called.
pub(crate) struct Callable {
    pub(crate) plan: Plan,
    pub(crate) client: HttpClient,
    pub(crate) authenticator: Option<Arc<dyn OpenApiAuthenticator>>,
}

impl Callable {
    pub(crate) async fn call(&self, invocation: &Invocation) -> Result<Value> {
        let function = invocation.function.qualified_name();
        let parts = self.plan.request(&function, &invocation.arguments)?;
        let request = self.authenticated(parts).await?;
        match self.client.send(request.clone()).await {
            Ok(response) => Ok(read(&request, response)?),
            Err(error) => Err(explained(&function, error)),
        }
    }

    async fn authenticated(&self, parts: Parts) -> textsearch_core::Result<HttpRequest> {
        let Plan { operation, server, security, .. } = &self.plan;
        let Parts { request, cookies } = match self.authenticator.as_deref() {
            Some(authenticator) => {
                security.authenticate(authenticator, operation, server, parts).await?
            }
            None => parts,
        };
        // A request with a secret stays within its origin: arguments are for this service alone.
        let request = request.with_secret(&Secret::from(""));
        if cookies.is_empty() {
            return Ok(request);
        }
        Ok(request.with_secret_header("cookie", &Secret::from(cookies.join("; "))))
    }
}

/// Lets a model see the service's answer if the arguments caused it.
fn explained(function: &str, error: Error) -> KernelError {
    match error.kind() {
        ErrorKind::UnexpectedStatus { status, excerpt, .. }
            if MISTAKES_OF_CALLER.contains(status) =>
        {
            let separator = if excerpt.is_empty() { "" } else { ": " };
            let message =
                format!("were refused by the service with status {status}{separator}{excerpt}");
            KernelError::invalid_arguments(function, message)
        }
        _ => KernelError::from(error),
    }
}

fn read(request: &HttpRequest, response: HttpResponse) -> textsearch_core::Result<Value> {
    if response.body.is_empty() {
        return Ok(Value::Null);
    }
    let undecodable = |message: &str| request.error(CONNECTOR, ErrorKind::Undecodable, message);
    match response.content_type().as_deref() {
        Some(kind) if kind == "application/json" || kind.ends_with("+json") => {
            read_json(&response.body).map_err(|error| {
                let line = error.line();
                let column = error.column();
                undecodable(&format!("answered with broken JSON at line {line}, column {column}"))
            })
        }
        Some(kind) if kind.starts_with("text/") => Ok(text(&response)),
        None => Ok(text(&response)),
        Some(kind) => Err(undecodable(&format!("answered with `{kind}`; expected JSON or text"))),
    }
}

fn text(response: &HttpResponse) -> Value {
    Value::String(String::from_utf8_lossy(&response.body).into_owned())
}
