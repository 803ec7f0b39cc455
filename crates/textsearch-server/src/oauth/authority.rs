//! Checks access tokens.

use std::sync::Arc;

use serde_json::Value;
use textsearch_core::Filter;

use super::{
    LEEWAY, OAuthConfig, TenantFilter, claims::Rules, introspection::Introspection, jwt::Jwts, now,
    provider::Provider, refusal::refused, rights::rights,
};
use crate::{Result, Right, problem::Answer};

/// A longer token is no token.
const MAX_TOKEN_BYTES: usize = 16 << 10;

/// The time until a token is checked again, in seconds.
const MAX_GRANT: u64 = 60;

/// Checks access tokens.
pub(crate) struct Authority {
    check: Check,
    tenants: Option<TenantFilter>,
}

enum Check {
    /// By their signatures.
    Jwts(Jwts),
    /// By asking the provider.
    Introspection(Arc<Introspection>),
}

/// The tenant and the rights of a token.
#[derive(Clone)]
pub(crate) struct Grant {
    /// The tenant that the token names, if tenants are kept apart.
    pub(crate) tenant: Option<Arc<str>>,
    pub(crate) rights: Arc<[Right]>,
    until: u64,
    /// Of the keys.
    version: u64,
}

impl Authority {
    pub(crate) fn new(config: &OAuthConfig) -> Result<Self> {
        let provider = Provider::new(config)?;
        let url = config.public_url.trim_end_matches('/');
        let mut audiences = vec![url.to_owned(), format!("{url}/"), format!("{url}/mcp")];
        audiences.extend(config.audiences.iter().cloned());
        let issuer = config.issuer.clone();
        let check = match (&config.client_id, &config.client_secret) {
            (Some(id), Some(secret)) => {
                let rules = Rules { issuer, audiences, are_required: false };
                let introspection = Introspection::new(provider, id, secret, rules);
                Check::Introspection(Arc::new(introspection))
            }
            _ => {
                let rules = Rules { issuer, audiences, are_required: true };
                Check::Jwts(Jwts::new(provider, config, rules))
            }
        };
        Ok(Self { check, tenants: config.tenant()? })
    }

    /// Returns the tenant and the rights of the token, or a problem, which never quotes the token.
    pub(crate) async fn grant(&self, token: &[u8]) -> Answer<Grant> {
        if token.len() > MAX_TOKEN_BYTES {
            return Err(refused("is too long"));
        }
        let token = std::str::from_utf8(token).map_err(|_| refused("is no text"))?;
        let version = self.version();
        let claims = match &self.check {
            Check::Jwts(jwts) => jwts.claims(token).await?,
            Check::Introspection(introspection) => introspection.claims(token).await?,
        };
        let latest = now().saturating_add(MAX_GRANT);
        let expiry = claims.get("exp").and_then(Value::as_f64);
        let until =
            expiry.map_or(latest, |expiry| latest.min((expiry as u64).saturating_add(LEEWAY)));
        let tenant = match &self.tenants {
            Some(filter) => Some(filter.tenant(&claims)?.into()),
            None => None,
        };
        Ok(Grant { tenant, rights: rights(&claims).into(), until, version })
    }

    /// Returns whether the grant still holds without another check.
    pub(crate) fn confirms(&self, grant: &Grant) -> bool {
        now() < grant.until && self.version() == grant.version
    }

    /// Returns the filter of the tenant `name`.
    pub(crate) fn filter_for(&self, name: &str) -> Option<Filter> {
        self.tenants.as_ref().map(|tenants| tenants.filter_for(name))
    }

    fn version(&self) -> u64 {
        match &self.check {
            Check::Jwts(jwts) => jwts.version(),
            Check::Introspection(_) => 0,
        }
    }
}
