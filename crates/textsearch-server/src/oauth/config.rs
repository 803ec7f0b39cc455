//! Settings of the identity provider.

use textsearch_core::{
    Filter,
    http::{HttpClient, Secret, Url},
};

use super::TenantFilter;
use crate::{Result, ServerError};

const SETTING: &str = "oauth";

/// The identity provider whose access tokens the server accepts, as an OAuth 2.0 resource server.
///
/// A token is a JWT that the provider signed for this server, unless the server
/// [asks](Self::with_introspection) the provider about it. Signatures are checked for RS256, PS256, ES256,
/// ES384 or EdDSA, as the provider's key demands. Each scope `textsearch:RIGHT`, such as
/// `textsearch:search`, gives the [right](crate::Right) of that name.
///
/// ```
/// use textsearch_server::{OAuthConfig, ServerConfig};
///
/// let oauth = OAuthConfig::new("https://login.example", "https://search.example")
///     .with_tenant("org", r#"tenant = "{org}""#.parse()?);
/// let config = ServerConfig::new().with_allowed_hosts(["search.example"]).with_oauth(oauth);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct OAuthConfig {
    /// The provider's issuer, exactly as in its tokens. HTTPS, except on this machine.
    pub issuer: String,
    /// The URL by which clients reach the server, without a path. HTTPS, except on this machine.
    pub public_url: String,
    /// Further accepted audiences, for providers that don't put the server's URL into tokens; none.
    /// The public URL, with and without `/` or `/mcp`, is always accepted.
    pub audiences: Vec<String>,
    /// Where the provider's keys are; by default where its metadata says.
    pub jwks_url: Option<String>,
    /// The claim that names the caller's tenant; none. Without it, all callers see the same.
    pub tenant_claim: Option<String>,
    /// The condition on everything that a tenant finds, writes and deletes, with `{CLAIM}` in the
    /// place of the claim's value.
    pub tenant_filter: Option<Filter>,
    /// Who the server is at the provider, to ask it about each token (RFC 7662) instead of checking
    /// signatures; nobody. For providers whose tokens aren't JWTs.
    pub client_id: Option<String>,
    /// The secret of [`client_id`](Self::client_id).
    pub client_secret: Option<Secret>,
    /// Sends the requests to the provider. The default client waits for at most 10 s, and needs the
    /// core's feature `reqwest`.
    pub http_client: Option<HttpClient>,
}

impl OAuthConfig {
    /// Accepts tokens that the provider `issuer` made for the server at `public_url`.
    pub fn new(issuer: impl Into<String>, public_url: impl Into<String>) -> Self {
        Self {
            issuer: issuer.into(),
            public_url: public_url.into(),
            audiences: Vec::new(),
            jwks_url: None,
            tenant_claim: None,
            tenant_filter: None,
            client_id: None,
            client_secret: None,
            http_client: None,
        }
    }

    /// Keeps tenants apart by a claim. `filter` holds everywhere for a caller, with the claim's value in
    /// the place of `{CLAIM}` in its texts. It stands in `=` or `in`, or in `starts_with` before `/`. Tokens
    /// without the claim are refused.
    #[must_use]
    pub fn with_tenant(mut self, claim: impl Into<String>, filter: Filter) -> Self {
        self.tenant_claim = Some(claim.into());
        self.tenant_filter = Some(filter);
        self
    }

    /// Asks the provider about each token, as the client `id`, instead of checking signatures.
    #[must_use]
    pub fn with_introspection(mut self, id: impl Into<String>, secret: impl Into<Secret>) -> Self {
        self.client_id = Some(id.into());
        self.client_secret = Some(secret.into());
        self
    }

    pub(crate) fn check(&self) -> Result<()> {
        let public_url = safe_url("public_url", &self.public_url)?;
        // Everybody can read it.
        if public_url.as_str() != format!("{}/", public_url.origin().ascii_serialization()) {
            return Err(invalid("`public_url` is more than an origin: expected https://HOST"));
        }
        safe_url("issuer", &self.issuer)?;
        if let Some(url) = &self.jwks_url {
            safe_url("jwks_url", url)?;
        }
        if self.client_id.is_some() != self.client_secret.is_some() {
            return Err(invalid("has `client_id` or `client_secret` alone: expected both"));
        }
        self.tenant().map(drop)
    }

    /// Returns how the claim of a token becomes a filter.
    pub(crate) fn tenant(&self) -> Result<Option<TenantFilter>> {
        match (&self.tenant_claim, &self.tenant_filter) {
            (Some(claim), Some(filter)) => {
                TenantFilter::new(claim, filter).map(Some).map_err(invalid)
            }
            (None, None) => Ok(None),
            _ => Err(invalid("has `tenant_claim` or `tenant_filter` alone: expected both")),
        }
    }
}

/// Returns a URL whose responses nobody on the way can change.
pub(super) fn safe_url(name: &str, text: &str) -> Result<Url> {
    let url = Url::parse(text).ok();
    let url = url.filter(|url| url.scheme() == "https" || url.scheme() == "http" && is_local(url));
    url.ok_or_else(|| {
        invalid(format!("`{name}` is `{text}`: expected https://…, or http://127.0.0.1:PORT"))
    })
}

fn is_local(url: &Url) -> bool {
    matches!(url.host_str(), Some("localhost" | "127.0.0.1" | "[::1]"))
}

fn invalid(message: impl Into<String>) -> ServerError {
    ServerError::setting(SETTING, message)
}
