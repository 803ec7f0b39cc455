//! From an access token to its claims.

use std::{collections::HashMap, sync::Arc};

use jsonwebtoken::{
    Algorithm, Validation, decode, decode_header,
    errors::{Error, ErrorKind},
    get_current_timestamp,
};
use serde_json::{Map, Value};

use super::{
    OAuthConfig, SigningAlgorithm, crypto, keys::Keys, provider::Provider, rights::rights,
};
use crate::{
    Result, Right,
    problem::{Answer, Kind, Problem},
};

/// A longer token is no token.
const MAX_TOKEN_BYTES: usize = 16 << 10;

/// For clocks that differ.
const LEEWAY: u64 = 60;

/// The time until a token is checked again, in seconds.
const MAX_GRANT: u64 = 60;

/// Checks access tokens.
pub(crate) struct Authority {
    keys: Arc<Keys>,
    validations: HashMap<Algorithm, Validation>,
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
        crypto::install();
        let keys = Arc::new(Keys::new(Provider::new(config)?, config));
        let url = config.public_url.trim_end_matches('/');
        let mut audiences = vec![url.to_owned(), format!("{url}/"), format!("{url}/mcp")];
        audiences.extend(config.audiences.iter().cloned());
        let validation = |algorithm: &SigningAlgorithm| {
            let algorithm = algorithm.algorithm();
            let mut validation = Validation::new(algorithm);
            validation.set_required_spec_claims(&["exp", "iss", "aud"]);
            validation.set_issuer(&[&config.issuer]);
            validation.set_audience(&audiences);
            validation.validate_nbf = true;
            validation.leeway = LEEWAY;
            (algorithm, validation)
        };
        Ok(Self { keys, validations: config.algorithms.iter().map(validation).collect() })
    }

    /// Returns what the token allows. The problem says what is wrong, and repeats nothing of the token.
    pub(crate) async fn grant(&self, token: &[u8]) -> Answer<Grant> {
        if token.len() > MAX_TOKEN_BYTES {
            return Err(refused("is too long"));
        }
        let header =
            decode_header(token).map_err(|_| refused("is neither known nor a signed JWT"))?;
        let validation = self.validations.get(&header.alg);
        let validation =
            validation.ok_or_else(|| refused("has an algorithm that isn't accepted"))?;
        let key = self.keys.key(&header).await?;
        let version = self.keys.current().version;
        let token = decode::<Map<String, Value>>(token, &key, validation)
            .map_err(|error| reason(&error))?;
        let claims = token.claims;
        let now = get_current_timestamp();
        // Checked to be a number.
        let expiry = claims.get("exp").and_then(Value::as_f64).unwrap_or_default() as u64;
        let until = expiry.saturating_add(LEEWAY).min(now + MAX_GRANT);
        let rights = rights(&claims).into();
        Ok(Grant { claims: Arc::new(claims), rights, until, version })
    }

    /// Returns whether the grant still holds without another check.
    pub(crate) fn confirms(&self, grant: &Grant) -> bool {
        get_current_timestamp() < grant.until && self.keys.current().version == grant.version
    }
}

impl SigningAlgorithm {
    fn algorithm(self) -> Algorithm {
        match self {
            Self::Rs256 => Algorithm::RS256,
            Self::Ps256 => Algorithm::PS256,
            Self::Es256 => Algorithm::ES256,
            Self::Es384 => Algorithm::ES384,
            Self::EdDsa => Algorithm::EdDSA,
        }
    }
}

fn reason(error: &Error) -> Problem {
    match error.kind() {
        ErrorKind::ExpiredSignature => refused("has expired"),
        ErrorKind::ImmatureSignature => refused("isn't valid yet"),
        ErrorKind::InvalidAudience => refused("is for another server: its `aud` isn't accepted"),
        ErrorKind::InvalidIssuer => refused("is from another issuer"),
        ErrorKind::InvalidSignature => refused("has a wrong signature"),
        ErrorKind::MissingRequiredClaim(claim) | ErrorKind::InvalidClaimFormat(claim) => {
            // One of the few that are required.
            refused(&format!("has no valid claim `{claim}`"))
        }
        _ => refused("is no valid JWT"),
    }
}

fn refused(fault: &str) -> Problem {
    Problem::new(Kind::Unauthorized, format!("the token {fault}"))
}
