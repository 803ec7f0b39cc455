//! Security schemes, and the credentials that the application supplies for them.

use std::{fmt, sync::Arc};

use async_trait::async_trait;
use base64::{Engine as _, engine::general_purpose::STANDARD};
use textsearch_core::{
    Result,
    http::{Secret, Url, closed_set},
};

use crate::{OpenApiOperation, security::Parts};

/// Supplies the credentials of calls.
///
/// The plugin asks before each call of an operation that names security schemes, once for each
/// scheme, and before each call of an operation that says nothing about security. It never asks
/// for operations that the document declares public.
///
/// [`Credentials`] implement it for fixed credentials.
///
/// ```
/// use textsearch_core::{Result, async_trait, http::Secret};
/// use textsearch_openapi::{AuthenticationRequest, Credentials, OpenApiAuthenticator, SecurityKind};
///
/// struct Tokens;
///
/// #[async_trait]
/// impl OpenApiAuthenticator for Tokens {
///     async fn credentials(&self, request: &AuthenticationRequest<'_>) -> Result<Option<Credentials>> {
///         let kind = request.scheme.map(|scheme| &scheme.kind);
///         // Here, a token for `request.scopes` may be fetched.
///         Ok(matches!(kind, Some(SecurityKind::OAuth2)).then(|| Credentials::Bearer(Secret::from("token"))))
///     }
/// }
/// ```
#[async_trait]
pub trait OpenApiAuthenticator: Send + Sync {
    /// Returns the credentials for one scheme of one call, or `None` if there are none for it.
    ///
    /// # Errors
    ///
    /// Returns an error that ends the call. A model doesn't see it.
    async fn credentials(&self, request: &AuthenticationRequest<'_>)
    -> Result<Option<Credentials>>;
}

#[async_trait]
impl<T: OpenApiAuthenticator + ?Sized> OpenApiAuthenticator for Arc<T> {
    async fn credentials(
        &self,
        request: &AuthenticationRequest<'_>,
    ) -> Result<Option<Credentials>> {
        (**self).credentials(request).await
    }
}

/// A call that needs credentials.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct AuthenticationRequest<'a> {
    /// The security scheme; `None` if the document says nothing about security.
    pub scheme: Option<&'a SecurityScheme>,
    /// The OAuth scopes that the operation needs.
    pub scopes: &'a [String],
    /// The operation to be called.
    pub operation: &'a OpenApiOperation,
    /// The server that gets the credentials.
    pub server: &'a Url,
}

/// A security scheme of the document.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SecurityScheme {
    /// The scheme's name in the document.
    pub name: String,
    /// The kind of credentials it takes.
    pub kind: SecurityKind,
}

/// The kind of credentials that a security scheme takes.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum SecurityKind {
    /// A key in a header, query parameter or cookie: [`Credentials::Key`].
    #[non_exhaustive]
    ApiKey {
        /// The part of the request that carries the key.
        place: KeyPlace,
        /// The name of the header, parameter or cookie.
        parameter: String,
    },
    /// HTTP basic authentication: [`Credentials::Basic`].
    Basic,
    /// A bearer token: [`Credentials::Bearer`].
    Bearer,
    /// An OAuth 2 access token, which the application obtains: [`Credentials::Bearer`].
    OAuth2,
    /// An OpenID Connect token, which the application obtains: [`Credentials::Bearer`].
    OpenIdConnect,
}

closed_set! {
    /// The part of a request that carries an API key.
    pub enum KeyPlace {
        /// A header.
        Header = "header",
        /// A query parameter.
        Query = "query",
        /// A cookie.
        Cookie = "cookie",
    }
}

/// Credentials for a call. As an [`OpenApiAuthenticator`], they are used for each scheme that takes
/// them.
#[derive(Clone)]
#[non_exhaustive]
pub enum Credentials {
    /// An API key.
    Key(Secret),
    /// A bearer or OAuth token.
    Bearer(Secret),
    /// A user and a password.
    #[non_exhaustive]
    Basic {
        /// The user.
        user: String,
        /// The password.
        password: Secret,
    },
}

impl Credentials {
    /// Creates the credentials of HTTP basic authentication.
    pub fn basic(user: impl Into<String>, password: impl Into<Secret>) -> Self {
        Self::Basic { user: user.into(), password: password.into() }
    }

    pub(crate) fn fit(&self, scheme: Option<&SecurityScheme>) -> bool {
        use SecurityKind::{ApiKey, Basic, Bearer, OAuth2, OpenIdConnect};
        match (self, scheme.map(|scheme| &scheme.kind)) {
            (Self::Key(_), kind) => matches!(kind, Some(ApiKey { .. })),
            (Self::Bearer(_), kind) => matches!(kind, None | Some(Bearer | OAuth2 | OpenIdConnect)),
            (Self::Basic { .. }, kind) => matches!(kind, None | Some(Basic)),
        }
    }

    /// Adds the credentials to the request, and a cookie to `cookies`.
    pub(crate) fn apply(&self, scheme: Option<&SecurityScheme>, parts: Parts) -> Parts {
        let Parts { request, mut cookies } = parts;
        let request = match (self, scheme.map(|scheme| &scheme.kind)) {
            (Self::Key(key), Some(SecurityKind::ApiKey { place, parameter })) => match place {
                KeyPlace::Header => request.with_secret_header(parameter.as_str(), key),
                KeyPlace::Query => request.with_secret_query(parameter, key),
                KeyPlace::Cookie => {
                    cookies.push(format!("{parameter}={}", key.expose()));
                    request.with_secret(key)
                }
            },
            (Self::Key(key) | Self::Bearer(key), _) => request.with_bearer(key),
            (Self::Basic { user, password }, _) => {
                let encoded = STANDARD.encode(format!("{user}:{}", password.expose()));
                let header = Secret::from(format!("Basic {encoded}"));
                request.with_secret_header("authorization", &header).with_secret(password)
            }
        };
        Parts { request, cookies }
    }
}

#[async_trait]
impl OpenApiAuthenticator for Credentials {
    async fn credentials(
        &self,
        request: &AuthenticationRequest<'_>,
    ) -> Result<Option<Credentials>> {
        Ok(self.fit(request.scheme).then(|| self.clone()))
    }
}

impl fmt::Debug for Credentials {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Key(_) => "Key(..)",
            Self::Bearer(_) => "Bearer(..)",
            Self::Basic { .. } => "Basic(..)",
        })
    }
}
