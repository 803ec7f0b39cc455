//! JWTs, which the identity provider signed (RFC 7519).

use std::sync::Arc;

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::Value;

use super::{
    OAuthConfig,
    claims::{Claims, Rules},
    keys::Keys,
    provider::Provider,
    refusal::refused,
    signature::Algorithm,
};
use crate::problem::Answer;

pub(crate) struct Jwts {
    keys: Arc<Keys>,
    rules: Rules,
}

/// A token, in parts that nobody has checked.
struct Jwt<'t> {
    header: Header,
    claims: Claims,
    message: &'t str,
    signature: Vec<u8>,
}

#[derive(Deserialize)]
struct Header {
    alg: String,
    kid: Option<String>,
    /// Names extensions that a reader must know. The server knows none.
    crit: Option<Value>,
    /// Says that the claims are written in another way (RFC 7797).
    b64: Option<Value>,
}

impl Jwts {
    pub(super) fn new(provider: Provider, config: &OAuthConfig, rules: Rules) -> Self {
        Self { keys: Arc::new(Keys::new(provider, config)), rules }
    }

    /// Returns the claims of a token that is signed, in time and for this server.
    pub(super) async fn claims(&self, token: &str) -> Answer<Claims> {
        let jwt = Jwt::parse(token).ok_or_else(|| refused("is neither known nor a signed JWT"))?;
        if jwt.header.crit.is_some() || jwt.header.b64.is_some() {
            return Err(refused("needs an extension that the server doesn't know"));
        }
        let algorithm = Algorithm::from_name(&jwt.header.alg);
        let algorithm = algorithm.ok_or_else(|| refused("has an algorithm that isn't accepted"))?;
        // Before the key, so that a token for another server doesn't make this one ask for keys.
        self.rules.check(&jwt.claims)?;
        let key = self.keys.key(jwt.header.kid.as_deref(), algorithm).await?;
        if !key.signed(algorithm, jwt.message.as_bytes(), &jwt.signature) {
            return Err(refused("has a wrong signature"));
        }
        Ok(jwt.claims)
    }

    /// Returns a number that changes with the keys.
    pub(super) fn version(&self) -> u64 {
        self.keys.current().version
    }
}

impl<'t> Jwt<'t> {
    fn parse(token: &'t str) -> Option<Self> {
        let (message, signature) = token.rsplit_once('.')?;
        let (header, claims) = message.split_once('.')?;
        let header = decoded(header)?;
        let claims = decoded(claims)?;
        let signature = URL_SAFE_NO_PAD.decode(signature).ok()?;
        Some(Self { header, claims, message, signature })
    }
}

fn decoded<T: DeserializeOwned>(part: &str) -> Option<T> {
    serde_json::from_slice(&URL_SAFE_NO_PAD.decode(part).ok()?).ok()
}
