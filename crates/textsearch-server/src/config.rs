//! Settings of a server.

use std::time::Duration;

use textsearch_core::Filter;
use textsearch_documents::ReadLimits;

use crate::{
    AccessToken, OAuthConfig, Result, Right, ServerError,
    access::{self, ANYONE},
};

/// The number of results of a search that names none.
pub(crate) const DEFAULT_TOP: usize = 5;

/// Who may reach a server, and its limits.
///
/// The defaults suit a server for programs on the same machine: requests for another `Host` and
/// requests from web pages of other origins are refused, and without tokens everyone may search.
///
/// ```
/// use textsearch_core::Filter;
/// use textsearch_server::{AccessToken, Right, ServerConfig};
///
/// let acme = AccessToken::new("acme", "a-long-random-token")
///     .with_rights([Right::Search, Right::Prompt])
///     .with_fixed_filter(Filter::eq("tenant", "acme"));
/// let config = ServerConfig::new().with_allowed_hosts(["search.example"]).with_token(acme);
/// assert_eq!(config.tokens.len(), 1);
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ServerConfig {
    /// The accepted values of `Host`, with or without a port: `localhost`, `127.0.0.1` and `::1`.
    pub allowed_hosts: Vec<String>,
    /// The web pages of other origins that may call the server, such as `https://app.example`; none.
    pub allowed_origins: Vec<String>,
    /// The tokens; none. With at least one, each request must send a token as
    /// `Authorization: Bearer`.
    pub tokens: Vec<AccessToken>,
    /// The identity provider whose tokens the server accepts, besides its own tokens; none.
    pub oauth: Option<OAuthConfig>,
    /// The rights of callers if there are no tokens: all but [`Right::Upsert`].
    pub anonymous_rights: Vec<Right>,
    /// A condition on everything that any caller finds; none.
    pub fixed_filter: Option<Filter>,
    /// The fields that a token with a filter sees and may filter on, besides those of its filter;
    /// all by default. To this token, other fields don't exist. Set them if sources learned fields from records of several tenants.
    pub shown_fields: Option<Vec<String>>,
    /// Limits on files that clients upload. Their parser of PDF runs in this process, unless
    /// [`pdf_reader`](ReadLimits::pdf_reader) is set.
    pub read_limits: ReadLimits,
    /// The maximum size of a request: 1 MiB.
    pub max_body_bytes: usize,
    /// The maximum size of the results of one search: 4 MiB. Further results are left out.
    pub max_response_bytes: usize,
    /// The maximum number of results of one search: 50.
    pub max_top: usize,
    /// The maximum number of results that a search may skip: 10,000.
    pub max_skip: usize,
    /// The maximum number of requests at once: 64. Further requests get the status 503.
    pub max_concurrent_requests: usize,
    /// The maximum time of a request, except for an answer: 30 s.
    pub request_timeout: Duration,
    /// The maximum time of an answer: 300 s.
    pub answer_timeout: Duration,
    /// How long a shutdown waits for running requests: 30 s.
    pub shutdown_timeout: Duration,
    /// The maximum size of a template: 16 KiB. The time to compile one grows with the square of its
    /// size.
    pub max_template_bytes: usize,
    /// The maximum number of bytes that one rendering inserts or computes: 4 MiB.
    pub max_prompt_bytes: usize,
    /// The maximum number of calls in one prompt or answer, and of the queries that
    /// replace its question: 16.
    pub max_calls: usize,
}

impl ServerConfig {
    /// Creates the settings of a server for programs on the same machine.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the accepted values of `Host`, for a server that other machines reach by name.
    #[must_use]
    pub fn with_allowed_hosts(
        mut self,
        hosts: impl IntoIterator<Item = impl Into<String>>,
    ) -> Self {
        self.allowed_hosts = hosts.into_iter().map(Into::into).collect();
        self
    }

    /// Sets the origins of the web pages that may call the server.
    #[must_use]
    pub fn with_allowed_origins(
        mut self,
        origins: impl IntoIterator<Item = impl Into<String>>,
    ) -> Self {
        self.allowed_origins = origins.into_iter().map(Into::into).collect();
        self
    }

    /// Adds a token.
    #[must_use]
    pub fn with_token(mut self, token: AccessToken) -> Self {
        self.tokens.push(token);
        self
    }

    /// Sets the tokens.
    #[must_use]
    pub fn with_tokens(mut self, tokens: impl IntoIterator<Item = AccessToken>) -> Self {
        self.tokens = tokens.into_iter().collect();
        self
    }

    /// Accepts tokens of an identity provider, too.
    #[must_use]
    pub fn with_oauth(mut self, oauth: OAuthConfig) -> Self {
        self.oauth = Some(oauth);
        self
    }

    /// Adds a condition on everything that any caller finds. A second one narrows the first.
    #[must_use]
    pub fn with_fixed_filter(mut self, filter: Filter) -> Self {
        self.fixed_filter = access::both(self.fixed_filter, Some(filter));
        self
    }

    pub(crate) fn needs_token(&self) -> bool {
        !self.tokens.is_empty() || self.oauth.is_some()
    }

    pub(crate) fn check(&self) -> Result<()> {
        let limits = [
            ("max_body_bytes", self.max_body_bytes),
            ("max_response_bytes", self.max_response_bytes),
            ("max_top", self.max_top),
            ("max_concurrent_requests", self.max_concurrent_requests),
            ("max_template_bytes", self.max_template_bytes),
            ("max_prompt_bytes", self.max_prompt_bytes),
            ("max_calls", self.max_calls),
        ];
        if let Some((setting, _)) = limits.into_iter().find(|(_, value)| *value == 0) {
            return Err(ServerError::setting(setting, "is 0: expected 1 or more"));
        }
        if self.allowed_hosts.is_empty() {
            let message = "is empty: expected the names by which clients reach the server";
            return Err(ServerError::setting("allowed_hosts", message));
        }
        if !self.needs_token() && self.anonymous_rights.contains(&Right::Upsert) {
            let message = "has `upsert`: only a token may write";
            return Err(ServerError::setting("anonymous_rights", message));
        }
        self.oauth.as_ref().map_or(Ok(()), OAuthConfig::check)?;
        access::check(&self.tokens)
    }
}

impl Default for ServerConfig {
    fn default() -> Self {
        Self {
            allowed_hosts: ["localhost", "127.0.0.1", "::1"].map(str::to_owned).to_vec(),
            allowed_origins: Vec::new(),
            tokens: Vec::new(),
            oauth: None,
            anonymous_rights: ANYONE.to_vec(),
            fixed_filter: None,
            shown_fields: None,
            read_limits: ReadLimits::default(),
            max_body_bytes: 1 << 20,
            max_response_bytes: 4 << 20,
            max_top: 50,
            max_skip: 10_000,
            max_concurrent_requests: 64,
            request_timeout: Duration::from_secs(30),
            answer_timeout: Duration::from_secs(300),
            shutdown_timeout: Duration::from_secs(30),
            max_template_bytes: 16 << 10,
            max_prompt_bytes: 4 << 20,
            max_calls: 16,
        }
    }
}
