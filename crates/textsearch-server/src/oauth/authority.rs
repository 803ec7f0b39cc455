//! From an access token to what it allows.

use std::sync::Arc;

use jsonwebtoken::get_current_timestamp;
use serde_json::{Map, Value};

use super::{
    LEEWAY, OAuthConfig, introspection::Introspection, jwt::Jwts, provider::Provider,
    refusal::refused, rights::rights,
};
use crate::{Result, Right, problem::Answer};

/// A longer token is no token.
const MAX_TOKEN_BYTES: usize = 16 << 10;

/// The time until a token is checked again, in seconds.
const MAX_GRANT: u64 = 60;

/// Checks access tokens.
pub(crate) enum Authority {
    /// By their signatures.
    Jwts(Jwts),
    /// By asking the provider.
    Introspection(Box<Introspection>),
}

/// What a token allows.
#[derive(Clone)]
pub(crate) struct Grant {
    pub(crate) claims: Arc<Map<String, Value>>,
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
        Ok(match (&config.client_id, &config.client_secret) {
            (Some(id), Some(secret)) => {
                let introspection = Introspection::new(provider, id, secret, audiences);
                Self::Introspection(Box::new(introspection))
            }
            _ => Self::Jwts(Jwts::new(provider, config, &audiences)),
        })
    }

    /// Returns what the token allows. The problem says what is wrong, and repeats nothing of the token.
    pub(crate) async fn grant(&self, token: &[u8]) -> Answer<Grant> {
        if token.len() > MAX_TOKEN_BYTES {
            return Err(refused("is too long"));
        }
        let token = std::str::from_utf8(token).map_err(|_| refused("is no text"))?;
        let version = self.version();
        let claims = match self {
            Self::Jwts(jwts) => jwts.claims(token).await?,
            Self::Introspection(introspection) => introspection.claims(token).await?,
        };
        let latest = get_current_timestamp() + MAX_GRANT;
        let expiry = claims.get("exp").and_then(Value::as_f64);
        let until =
            expiry.map_or(latest, |expiry| latest.min((expiry as u64).saturating_add(LEEWAY)));
        let rights = rights(&claims).into();
        Ok(Grant { claims: Arc::new(claims), rights, until, version })
    }

    /// Returns whether the grant still holds without another check.
    pub(crate) fn confirms(&self, grant: &Grant) -> bool {
        get_current_timestamp() < grant.until && self.version() == grant.version
    }

    fn version(&self) -> u64 {
        match self {
            Self::Jwts(jwts) => jwts.version(),
            Self::Introspection(_) => 0,
        }
    }
}
